//! Wire forms that several agents use. A family is a set of functions; an agent is a table that
//! names them.

pub mod claude_style;
pub mod guard;
pub mod json;
