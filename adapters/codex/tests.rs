//! What is particular to Codex.

use super::*;
use crate::shared::claude_style::laws;

#[test]
fn the_laws_hold() {
    laws::keep(&Codex, "codex");
}
