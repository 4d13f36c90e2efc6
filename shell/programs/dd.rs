//! `dd`.

use super::program::Program;
use crate::effects::{Extent, FileEffect, Touch};
use crate::words::Word;

pub(super) const PROGRAMS: &[Program] = &[Program {
    operands: |_| Touch::MayRead,
    touches: |call| call.arguments.iter().filter_map(copied).collect(),
    ..Program::of(&["dd"])
}];

/// `if=` and `of=`.
fn copied(word: &Word) -> Option<FileEffect> {
    let key = word.value.find('=').unwrap_or(word.value.len());
    if word.splits() || word.glob || word.spans.iter().any(|span| span.start < key) {
        return Some((Touch::Write, Word::somewhere(), Extent::Perhaps));
    }
    let (key, path) = word.value.split_once('=')?;
    let touch = match key {
        "if" => Touch::Read,
        "of" => Touch::Write,
        _ => return None,
    };
    Some((touch, word.tail(word.value.len() - path.len()), Extent::Itself))
}
