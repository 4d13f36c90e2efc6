//! Patterns over the hosts of URLs (N1).

use crate::wildcard::Wildcard;

/// A pattern over the host of a URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DomainPattern {
    /// `*`: every host.
    All,
    /// `*.d`: all subdomains of `d`.
    Below(Vec<Wildcard>),
    /// One pattern for each label.
    Labels(Vec<Wildcard>),
}

impl DomainPattern {
    /// Parses the text after `domain:`.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let text = text.strip_suffix('.').unwrap_or(text);
        if text == "*" {
            return Ok(Self::All);
        }
        let bad = text.is_empty() || text.contains(['/', '@', '\\', '?', '#']) || text.chars().any(char::is_whitespace);
        if bad || (text.contains(':') && !text.starts_with('[')) {
            return Err(format!(
                "has an invalid host name `{text}`; expected a name such as `example.org`, without scheme, port and path"
            ));
        }
        let (below, rest) = match text.strip_prefix("*.") {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let labels = rest.split('.').map(label).collect();
        Ok(if below { Self::Below(labels) } else { Self::Labels(labels) })
    }

    /// The labels at the end of every matching host; `None` if none are known.
    pub(crate) fn end(&self) -> Option<String> {
        let (Self::Below(labels) | Self::Labels(labels)) = self else { return None };
        let literal = labels.iter().rev().take_while(|label| !label.has_star()).count();
        let end = labels.iter().skip(labels.len() - literal).map(Wildcard::head).collect::<Vec<_>>().join(".");
        (!end.is_empty()).then_some(end)
    }

    /// Returns true if a host from [`host_of`] matches.
    pub(crate) fn matches(&self, host: &str) -> bool {
        let labels: Vec<&str> = host.split('.').collect();
        let same = |want: &[Wildcard], have: &[&str]| {
            want.len() == have.len() && want.iter().zip(have).all(|(want, have)| want.matches(have))
        };
        match self {
            Self::All => true,
            Self::Labels(want) => same(want, &labels),
            Self::Below(want) => {
                let above = labels.len().saturating_sub(want.len());
                above > 0 && labels.get(above..).is_some_and(|tail| same(want, tail))
            }
        }
    }
}

/// Converts one label to lower case, and to punycode if it is not ASCII.
fn label(text: &str) -> Wildcard {
    if text.is_ascii() || text.contains('*') {
        return Wildcard::plain(&text.to_lowercase());
    }
    let ascii = url::Host::parse(text).map_or_else(|_| text.to_lowercase(), |host| host.to_string());
    Wildcard::plain(&ascii)
}

/// The host of a URL in lower case and punycode, without user, port and trailing dot. Returns `None` if the URL is invalid
/// or has no host.
pub(crate) fn host_of(url: &str) -> Option<String> {
    let url = url::Url::parse(url.trim()).ok()?;
    let host = url.host_str()?.to_lowercase();
    let host = host.strip_suffix('.').unwrap_or(&host);
    (!host.is_empty()).then(|| host.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn n1_hosts_are_compared_label_by_label() {
        for (pattern, url, matches) in [
            ("*.x.org", "https://a.b.X.org:8/", true),
            ("*.x.org", "https://x.org", false),
            ("*.x.org", "https://x.org.evil.com", false),
            ("x.org", "https://u:p@x.org./p?q#f", true),
            ("x.org", "https://x.org:443@evil.com/", false),
            ("a.*.org", "http://a.b.org", true),
            ("a.*.org", "http://a.b.c.org", false),
            ("*", "http://127.0.0.1/", true),
            ("127.0.0.1", "http://0x7f.1/", true),
            ("[::1]", "http://[::1]:80/", true),
            ("bücher.de", "https://xn--bcher-kva.de/", true),
            ("bücher.de", "https://BÜCHER.de/", true),
            ("x.org", "https://ｘ.org/", true),
            ("x.org", "https:\\\\x.org", true),
        ] {
            let pattern = DomainPattern::read(pattern).unwrap();
            assert_eq!(pattern.matches(&host_of(url).unwrap()), matches, "{pattern:?} {url}");
        }
        for unreadable in ["not a url", "x.org", "data:text/plain,x", "https://", "https://a b/"] {
            assert_eq!(host_of(unreadable), None, "{unreadable}");
        }
        for bad in ["https://x.org", "x.org/p", "x.org:80", ""] {
            assert!(DomainPattern::read(bad).is_err(), "{bad}");
        }
    }
}
