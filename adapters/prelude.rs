//! The names that the tables and reply writers of an adapter use.

pub use crate::Raw;
pub use crate::fit::Fitted;
pub use crate::model::{Change, Detail, EventKind, HookEvent, Incoming, Reply, Target, Verdict, VerdictKind};
pub use crate::paths;
pub use crate::protocol::{
    Absent, ActionKind, Agent, Block, Body, ConfigFile, Element, Entry, EntryForm, EventRow, FailureAnswer, Field,
    Fields, HookProtocol, Host, HostShell, KnownLimit, McpNames, Moved, Native, ParseError, Power, Registration, Role,
    SessionFolder, SharedHooks, Slot, ToolRow, WireChange, Wrapping,
};
pub use crate::shared::{claude_style, json::JsonBuilder};
