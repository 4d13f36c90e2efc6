//! Parses the address of a service or a collector, and the keys that a request to it needs.

use std::path::PathBuf;

use toml::de::{DeTable, DeValue};
use url::{Host, Url};

use super::parser::FileParser;
use super::reader::TomlValue;
use crate::endpoint::{HttpEndpoint, TokenSource};

const OTLP_KEYS: &[&str] = &["url", "token_file", "token_env", "ca", "allow_plain_http"];
/// The path of log records in OTLP.
const OTLP_LOGS: &str = "v1/logs";

/// Reads the collector of `[audit] otlp`: an address, or a table with one.
pub(super) fn otlp(parser: &mut FileParser<'_, '_>, value: &TomlValue<'_>) -> Option<HttpEndpoint> {
    const PATH: &str = "audit.otlp";
    if let DeValue::String(text) = value.get_ref() {
        return Some(HttpEndpoint::new(of_logs(address(parser, value, PATH, text, None)?)));
    }
    let DeValue::Table(table) = value.get_ref() else {
        parser.reader.fault(
            value.span().start,
            PATH,
            "expected an address such as `http://collector:4318`, or a table with `url`",
        );
        return None;
    };
    for (key, _) in table.iter().filter(|(key, _)| !OTLP_KEYS.contains(&key.get_ref().as_ref())) {
        parser.reader.unknown(PATH, key, OTLP_KEYS);
    }
    let (token, ca) = token_and_ca(parser, PATH, table);
    let private = (!allows_plain(parser, PATH, table) && token.is_some()).then_some("the token");
    let Some(url) = table.get("url") else {
        parser.reader.fault(value.span().start, PATH, "expected `url`, such as `https://collector.example.org:4318`");
        return None;
    };
    let path = format!("{PATH}.url");
    let text = parser.reader.text(url, &path)?;
    let mut endpoint = HttpEndpoint::new(of_logs(address(parser, url, &path, text, private)?));
    (endpoint.token, endpoint.ca) = (token, ca);
    Some(endpoint)
}

/// Adds the path of log records to the address of a collector, unless it has it.
fn of_logs(mut url: Url) -> Url {
    let path = url.path().trim_end_matches('/').to_owned();
    if !path.ends_with(&format!("/{OTLP_LOGS}")) {
        url.set_path(&format!("{path}/{OTLP_LOGS}"));
    }
    url
}

/// Reads `allow_plain_http`.
pub(super) fn allows_plain(parser: &mut FileParser<'_, '_>, path: &str, table: &DeTable<'_>) -> bool {
    let value = table.get("allow_plain_http");
    value.is_some_and(|value| parser.reader.bool(value, &format!("{path}.allow_plain_http")).unwrap_or_default())
}

/// Reads `token_file` or `token_env`, and `ca`.
pub(super) fn token_and_ca(
    parser: &mut FileParser<'_, '_>,
    path: &str,
    table: &DeTable<'_>,
) -> (Option<TokenSource>, Option<PathBuf>) {
    let path_of = |key: &str| format!("{path}.{key}");
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
    (token, ca)
}

/// Reads an address to which something may be sent. `private` is what may be sent to another machine with encryption only.
pub(super) fn address(
    parser: &mut FileParser<'_, '_>,
    value: &TomlValue<'_>,
    path: &str,
    text: &str,
    private: Option<&str>,
) -> Option<Url> {
    let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    let says = match (&url, private) {
        (None, _) => format!("invalid address `{text}`; expected one such as `https://example.org/path`"),
        (Some(url), _) if !url.username().is_empty() || url.password().is_some() => {
            "has a name or a password; use `token_file` or `token_env`".to_owned()
        }
        (Some(url), Some(private)) if url.scheme() == "http" && !is_loopback(url) => {
            format!(
                "would send {private} to another machine without encryption; use `https://`, or set `allow_plain_http = true`"
            )
        }
        _ => return url,
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
