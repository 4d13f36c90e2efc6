//! Parses the keys of a `[[handler]]` that asks a service over HTTP.

use toml::de::DeTable;
use url::Url;

use super::endpoint::{address, allows_plain, token_and_ca};
use super::parser::FileParser;
use super::reader::TomlValue;
use crate::endpoint::HttpEndpoint;
use crate::handler::{DecisionService, ServiceForm};

/// The keys of a handler that only a service has.
pub(super) const KEYS: &[&str] = &["http", "opa", "token_file", "token_env", "ca", "allow_plain_http"];

const OPA_KEYS: &[&str] = &["url", "path"];

/// Reads the service of a handler; `None` if it has none or an error.
pub(super) fn read(parser: &mut FileParser<'_, '_>, path: &str, table: &DeTable<'_>) -> Option<DecisionService> {
    let path_of = |key: &str| format!("{path}.{key}");
    let private = (!allows_plain(parser, path, table)).then_some("events");
    let (url, form) = match (table.get("http"), table.get("opa")) {
        (Some(value), _) => {
            let text = parser.reader.text(value, &path_of("http"))?;
            (address(parser, value, &path_of("http"), text, private), ServiceForm::Plain)
        }
        (None, Some(value)) => (opa(parser, value, &path_of("opa"), private), ServiceForm::Opa),
        (None, None) => {
            for (key, _) in table.iter().filter(|(key, _)| KEYS.contains(&key.get_ref().as_ref())) {
                let says = "has a meaning only with `http` or `opa`";
                parser.reader.fault(key.span().start, &path_of(key.get_ref()), says);
            }
            return None;
        }
    };
    let (token, ca) = token_and_ca(parser, path, table);
    let mut endpoint = HttpEndpoint::new(url?);
    (endpoint.token, endpoint.ca) = (token, ca);
    Some(DecisionService::new(endpoint, form))
}

/// Reads the address of an OPA server, and the document that has the decision.
fn opa(parser: &mut FileParser<'_, '_>, value: &TomlValue<'_>, path: &str, private: Option<&str>) -> Option<Url> {
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
    let mut url = address(parser, server, &format!("{path}.url"), text, private)?;
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
