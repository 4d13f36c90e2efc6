//! The facts about one command.

use std::rc::Rc;

use super::part::Part;
use super::patch;
use super::touched_paths::Touched;

/// The result of the analysis of one command.
#[derive(Debug, Clone)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "independent facts about one text")]
pub struct Script {
    /// The simple commands that were recognised; complete if the command is understood.
    pub parts: Vec<Rc<Part>>,
    /// The files named by redirections and operands.
    pub touched: Vec<Touched>,
    /// The parts of each member of each pipeline with several members.
    pub pipelines: Vec<Vec<Vec<Rc<Part>>>>,
    /// The word that makes the command not understood. No rule then allows the command (B1), and deny and ask
    /// rules also search the raw text (B8).
    pub not_understood: Option<String>,
    /// True if some of the text could not be split into commands.
    pub torn: bool,
    /// True if a here-document has the code of a program, which only the raw text has.
    pub code_in_document: bool,
    /// True if a limit was reached, so that rules do not see the rest. False for a text of at most [`Self::KEPT`] bytes
    /// that is longer than `[limits] command`; such a text is not parsed at all.
    pub cut: bool,
    /// The reason why the command is refused: it may contain a patch that an agent would apply and that cannot
    /// be read for certain.
    pub refused: Option<String>,
    /// True if the command applies a patch.
    pub patches: bool,
    /// The text that was analysed, or the beginning of a text that was not.
    pub raw: String,
}

impl Script {
    /// How many bytes are kept of a text that is not analysed. Operating systems do not pass longer arguments to a program.
    pub const KEPT: usize = 1 << 20;

    /// A text that is not analysed; `why` says the reason.
    pub fn unread(text: &str, why: String) -> Self {
        let raw = text.get(..text.floor_char_boundary(Self::KEPT)).unwrap_or_default().to_owned();
        let (touched, refused) = match patch::torn(text) {
            Ok(touched) => (touched, None),
            Err(why) => (Vec::new(), Some(why)),
        };
        Self {
            parts: Vec::new(),
            patches: refused.is_some() || !touched.is_empty(),
            touched,
            pipelines: Vec::new(),
            not_understood: Some(why),
            torn: true,
            code_in_document: false,
            cut: raw.len() < text.len(),
            refused,
            raw,
        }
    }
}
