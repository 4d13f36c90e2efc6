//! Limits of the analysis.

/// The limits within which a command is read; what is longer is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScriptLimits {
    /// The maximum length of a command, in bytes.
    pub bytes: usize,
    /// The maximum nesting depth.
    pub depth: usize,
    /// The maximum number of words, in all nested texts.
    pub words: usize,
}

impl Default for ScriptLimits {
    fn default() -> Self {
        Self { bytes: 16 << 10, depth: 64, words: 20_000 }
    }
}

impl ScriptLimits {
    /// Creates limits on the length in bytes, the nesting depth and the number of words.
    pub fn new(bytes: usize, depth: usize, words: usize) -> Self {
        Self { bytes, depth, words }
    }
}
