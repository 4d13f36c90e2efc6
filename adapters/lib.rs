//! The hook protocols of coding agents, parsed into one model. The reply is written in each agent's own form.
//!
//! This crate is for programs that judge the tool calls of several agents. It contains neither a policy nor a program,
//! and uses no file, clock, environment variable, process or runtime. [`Native`](protocol::Native) holds the input and
//! [`Reply`](model::Reply) the output.
//!
//! ```text
//! bytes -> Native -> parse -> HookEvent -> (your decision) -> fit -> Fitted -> format -> Reply
//! ```
//!
//! A decision never becomes more permissive: [`fit::fit`] is the only function that may change it, and it reports the
//! losses.

pub mod fit;
pub mod model;
pub mod prelude;
pub mod protocol;
pub mod raw;
pub mod registry;
pub mod shared;
#[cfg(feature = "testing")]
pub mod testing;

pub use raw::Raw;

/// Lists files by their folders, as in `paths!["~/.agent": "plugins", "skills"; ".agent": "skills"]`.
#[macro_export]
macro_rules! paths {
    ($($folder:literal: $($file:literal),+);+ $(;)?) => {
        &[$($(concat!($folder, "/", $file)),+),+]
    };
}

/// Calls a macro with the agents of this crate, sorted by id. The modules, the [registry](registry::Registry::standard) and the data
/// files of `snaphook-hosts` are derived from this list.
#[macro_export]
macro_rules! standard_agents {
    ($macro:ident) => {
        $macro! {
            "antigravity": antigravity::ANTIGRAVITY,
            "augment": augment::AUGMENT,
            "claude-code": claude_code::ClaudeCode,
            "cline": cline::Cline,
            "codex": codex::Codex,
            "copilot": copilot::COPILOT,
            "crush": crush::CRUSH,
            "cursor": cursor::Cursor,
            "devin": devin::DEVIN,
            "docker-agent": docker_agent::DockerAgent,
            "droid": droid::DROID,
            "gemini-cli": gemini_cli::GEMINI_CLI,
            "goose": goose::GOOSE,
            "grok": grok::Grok,
            "hermes": hermes::Hermes,
            "hygge": hygge::HYGGE,
            "iflow": iflow::IFLOW,
            "kilo": kilo::KILO,
            "kimi": kimi::KIMI,
            "kiro": kiro::KIRO,
            "mistral-vibe": mistral_vibe::MISTRAL_VIBE,
            "openclaw": openclaw::OPENCLAW,
            "opencode": opencode::OPENCODE,
            "openhands": openhands::OPENHANDS,
            "pi": pi::PI,
            "picoclaw": picoclaw::PicoClaw,
            "qwen-code": qwen_code::QWEN_CODE,
            "windsurf": windsurf::WINDSURF,
        }
    };
}

macro_rules! modules {
    ($($id:literal: $module:ident::$agent:ident,)*) => {
        $(pub mod $module;)*

        static STANDARD: &[&dyn protocol::HookProtocol] = &[$(&$module::$agent),*];
    };
}

standard_agents!(modules);
