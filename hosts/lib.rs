//! The effect of each reply of a hook on each coding agent.
//!
//! For programs that predict or test the effect of a reply; a hook call does not use this crate. The facts are in one
//! data file per agent, `hosts/<agent>.toml`, which is embedded in the program and parsed on first use. The head of
//! each file explains the format.
//!
//! ```no_run
//! use snaphook_adapters::fit::{Limits, fit};
//! use snaphook_adapters::model::{Decision, Incoming};
//! use snaphook_adapters::protocol::Native;
//! use snaphook_adapters::registry::Registry;
//! use snaphook_hosts::{Effect, account};
//!
//! let registry = Registry::standard();
//! let hygge = registry.get("hygge").ok_or("unknown agent")?;
//! let call = r#"{"event":"pre_tool","tool_name":"bash","tool_input":{"command":"ls"}}"#;
//! let Incoming::Event(event) = hygge.parse(&Native::new(call))? else { return Err("no event".into()) };
//! let (fitted, _) = fit(Decision::deny("not here"), &event, &Limits::default());
//! let reply = hygge.format(&event, &fitted);
//!
//! let account = account("hygge").ok_or("no data file")?;
//! assert_eq!(account.interpret(&event, "0.17.5", &reply).effect, Effect::Blocks);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod account;
#[cfg(feature = "testing")]
pub mod cases;
mod effect;
mod interpret;
mod pattern;
mod present;
#[cfg(feature = "testing")]
pub mod testing;
mod translate;

use std::sync::LazyLock;

pub use account::{Account, AccountError, EffectRule, EventAccount, Exit, Form, PartRule};
pub use effect::{AnswerPart, Effect, Mark};
pub use interpret::Outcome;
pub use pattern::Pattern;
pub use translate::{ReadAnswer, SpokenMessage, Subscription, Translator, Untranslatable};

macro_rules! accounts {
    ($($id:literal: $module:ident::$agent:ident,)*) => {
        /// The ids of the agents with a data file.
        pub const ACCOUNTS: &[&str] = &[$($id),*];

        /// Returns true if the effect of some reply was measured on the agent's program or its hook code. An agent
        /// without a data file, or whose data file follows its source or documentation alone, is *unverified*. The file
        /// is not parsed.
        pub fn is_verified(id: &str) -> bool {
            match id {
                $($id => const { measured(include_str!(concat!($id, ".toml"))) })*
                _ => false,
            }
        }

        /// Returns the account of an agent, or `None` if no data file describes the agent.
        pub fn account(id: &str) -> Option<&'static Account> {
            match id {
                $($id => {
                    const FILE: &str = include_str!(concat!($id, ".toml"));
                    static EFFECTS: [u8; effects(FILE)] = first(FILE.as_bytes());
                    static ACCOUNT: LazyLock<Option<Account>> =
                        LazyLock::new(|| Account::parse(str::from_utf8(&EFFECTS).ok()?).ok());
                    ACCOUNT.as_ref()
                })*
                _ => None,
            }
        }
    };
}

snaphook_adapters::standard_agents!(accounts);

/// Returns the length of the first part of a data file. The cases and runs, which are for tests, are not embedded.
const fn effects(file: &str) -> usize {
    let mut rest = file.as_bytes();
    while let [_, after @ ..] = rest {
        if let [b'\n', b'#', b' ', b'=', b'=', ..] = rest {
            break;
        }
        rest = after;
    }
    file.len() - rest.len()
}

/// Returns true if the first part of a data file has an effect with one of the marks `prog`, `run` and `run-t`.
const fn measured(file: &str) -> bool {
    let mut rest = file.as_bytes().split_at(effects(file)).0;
    while let [_, after @ ..] = rest {
        if let [b'm', b'a', b'r', b'k', b' ', b'=', b' ', b'"', b'p' | b'r', b'r' | b'u', ..] = rest {
            return true;
        }
        rest = after;
    }
    false
}

const fn first<const N: usize>(mut from: &[u8]) -> [u8; N] {
    let mut to = [0; N];
    let mut rest: &mut [u8] = &mut to;
    while let ([byte, from_rest @ ..], [place, to_rest @ ..]) = (from, rest) {
        *place = *byte;
        (from, rest) = (from_rest, to_rest);
    }
    to
}
