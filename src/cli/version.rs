//! The version of the program, with what it was built from and for.

use std::sync::OnceLock;

/// The version, such as `0.1.0 (3a865b3, x86_64-linux-musl)`. The commit is known only of a released program.
pub(super) fn version() -> &'static str {
    static TEXT: OnceLock<String> = OnceLock::new();
    TEXT.get_or_init(|| {
        let commit = option_env!("SNAPHOOK_COMMIT").and_then(|commit| commit.get(..7));
        let commit = commit.map(|commit| format!("{commit}, ")).unwrap_or_default();
        format!("{} ({commit}{}-{}{LIBRARY})", env!("CARGO_PKG_VERSION"), std::env::consts::ARCH, std::env::consts::OS)
    })
}

/// The C library, as in the name of a target.
const LIBRARY: &str = if cfg!(target_env = "musl") {
    "-musl"
} else if cfg!(target_env = "gnu") {
    "-gnu"
} else if cfg!(target_env = "msvc") {
    "-msvc"
} else {
    ""
};
