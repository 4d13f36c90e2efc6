//! Addresses to which events and records are sent.

use std::path::PathBuf;

/// An address, and what a request to it needs.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HttpEndpoint {
    /// The address.
    pub url: String,
    /// The source of the bearer token; `None` for no token.
    pub token: Option<TokenSource>,
    /// The file with the only certificate authorities that are trusted; `None` for those of the system.
    pub ca: Option<PathBuf>,
}

impl HttpEndpoint {
    /// Creates an endpoint without a token, with the certificate authorities of the system.
    pub fn new(url: impl Into<String>) -> Self {
        Self { url: url.into(), token: None, ca: None }
    }

    /// Returns true if requests are sent without encryption.
    pub fn is_plain(&self) -> bool {
        self.url.starts_with("http:")
    }

    /// The name of the machine in the address.
    pub(crate) fn host(&self) -> &str {
        let rest = self.url.split_once("://").map_or("", |(_, rest)| rest);
        let authority = rest.split(['/', '?']).next().unwrap_or_default();
        authority.rsplit_once(':').filter(|(_, port)| port.parse::<u16>().is_ok()).map_or(authority, |(host, _)| host)
    }
}

/// The source of a bearer token.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TokenSource {
    /// A file.
    File(PathBuf),
    /// An environment variable.
    Variable(String),
}
