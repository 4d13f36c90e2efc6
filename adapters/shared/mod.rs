//! Wire forms that several agents use. A family is a set of functions; the table of an agent names them.

pub mod claude_style;
pub mod json;
pub(crate) mod json_rpc;
pub mod plugin;
pub mod result_text;
