//! Parses the keys of a `[[handler]]` that asks a service over HTTP.

use toml::de::DeTable;
use url::{Host, Url};

use super::parser::FileParser;
use super::reader::TomlValue;
use crate::handler::{DecisionService, ServiceForm, TokenSource};

/// The keys of a handler that only a service has.
pub(super) const KEYS: &[&str] = &["http", "opa", "token_file", "token_env", "ca", "allow_plain_http"];

const OPA_KEYS: &[&str] = &["url", "path"];

/// Reads the service of a handler; `None` if it has none or an error.
pub(super) fn read(parser: &mut FileParser<'_, '_>, path: &str, table: &DeTable<'_>) -> Option<DecisionService> {
    let path_of = |key: &str| format!("{path}.{key}");
    let allows_plain = match table.get("allow_plain_http") {
        Some(value) => parser.reader.bool(value, &path_of("allow_plain_http")).unwrap_or_default(),
        None => false,
    };
    let (url, form) = match (table.get("http"), table.get("opa")) {
        (Some(value), _) => {
            let text = parser.reader.text(value, &path_of("http"))?;
            (address(parser, value, &path_of("http"), text, allows_plain), ServiceForm::Plain)
        }
        (None, Some(value)) => (opa(parser, value, &path_of("opa"), allows_plain), ServiceForm::Opa),
        (None, None) => {
            for (key, _) in table.iter().filter(|(key, _)| KEYS.contains(&key.get_ref().as_ref())) {
                let says = "has a meaning only with `http` or `opa`";
                parser.reader.fault(key.span().start, &path_of(key.get_ref()), says);
            }
            return None;
        }
    };
    let (source, home) = (parser.reader.source, parser.machine.home());
    let mut text = |key: &str| {
        let value = table.get(key)?;
        parser.reader.text(value, &path_of(key)).map(|text| (value.span().start, text))
    };
    let named = |(_, file): (usize, &str)| source.named(file, home);
    let (file, variable, ca) = (text("token_file").map(named), text("token_env"), text("ca").map(named));
    let token = match (file, variable) {
        (Some(_), Some((at, _))) => {
            parser.reader.fault(at, &path_of("token_env"), "expected only one of `token_file` and `token_env`");
            None
        }
        (file, variable) => {
            file.map(TokenSource::File).or(variable.map(|(_, name)| TokenSource::Variable(name.to_owned())))
        }
    };
    let mut service = DecisionService::new(url?.to_string(), form);
    (service.token, service.ca) = (token, ca);
    Some(service)
}

/// Reads the address of an OPA server, and the document that has the decision.
fn opa(parser: &mut FileParser<'_, '_>, value: &TomlValue<'_>, path: &str, allows_plain: bool) -> Option<Url> {
    let table = parser.reader.table(value, path)?;
    for (key, _) in table.iter().filter(|(key, _)| !OPA_KEYS.contains(&key.get_ref().as_ref())) {
        parser.reader.unknown(path, key, OPA_KEYS);
    }
    let (Some(server), Some(document)) = (table.get("url"), table.get("path")) else {
        let says =
            "expected `url` and `path`, such as { url = \"http://127.0.0.1:8181\", path = \"snaphook/decision\" }";
        parser.reader.fault(value.span().start, path, says);
        return None;
    };
    let text = parser.reader.text(server, &format!("{path}.url"))?;
    let mut url = address(parser, server, &format!("{path}.url"), text, allows_plain)?;
    let path = format!("{path}.path");
    let steps = parser.reader.text(document, &path)?.trim_matches('/');
    let is_step =
        |step: &str| !step.is_empty() && step.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b));
    if !steps.split('/').all(is_step) {
        let says = format!("invalid path `{steps}`; expected the path of a rule, such as `snaphook/decision`");
        parser.reader.fault(document.span().start, &path, &says);
        return None;
    }
    let before = url.path().trim_end_matches('/');
    url.set_path(&format!("{before}/v1/data/{steps}"));
    Some(url)
}

/// Reads an address to which an event may be sent.
fn address(
    parser: &mut FileParser<'_, '_>,
    value: &TomlValue<'_>,
    path: &str,
    text: &str,
    allows_plain: bool,
) -> Option<Url> {
    let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    let says = match &url {
        None => format!("invalid address `{text}`; expected one such as `https://decisions.example.org/snaphook`"),
        Some(url) if !url.username().is_empty() || url.password().is_some() => {
            "has a name or a password; use `token_file` or `token_env`".to_owned()
        }
        Some(url) if url.scheme() == "http" && !allows_plain && !is_loopback(url) => {
            "would send events to another machine without encryption; use `https://`, or set `allow_plain_http = true`"
                .to_owned()
        }
        Some(_) => return url,
    };
    parser.reader.fault(value.span().start, path, &says);
    None
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}
