//! What is particular to Claude Code.

use super::*;
use crate::shared::claude_style::laws;

#[test]
fn the_laws_hold() {
    laws::keep(&ClaudeCode, "claude_code");
}
