//! Computes the index keys of the rules that could match the atoms of a call.

use super::atoms::{Atom, AtomKind, host};
use super::matching::{guarding, is_ruled};
use crate::policy::command::{base_name, net_words};
use crate::policy::path::{PathContext, comparable};
use crate::policy::rule::{Asked, COMMANDS, IndexSection, PLACES};

/// Returns the index keys for the atoms of a call.
pub(super) fn asked(atoms: &[Atom], context: &PathContext) -> Asked {
    let mut asked = Asked::default();
    asked.section(IndexSection::Always);
    for atom in atoms {
        match &atom.what {
            AtomKind::Part(part) => {
                let spelled = part.spelled(context).iter().map(String::as_str);
                for text in spelled.chain([part.part.text.as_str()]).chain(part.part.based.as_deref()) {
                    asked.line(&COMMANDS, text);
                }
                asked.section(IndexSection::Command);
                if part.part.opaque.is_some() {
                    net(&mut asked, &net_words(&part.part.text));
                }
            }
            AtomKind::Pipeline(_) => asked.section(IndexSection::Command),
            AtomKind::Hidden { .. } => asked.all(IndexSection::Command),
            AtomKind::Text { words, .. } => net(&mut asked, words),
            AtomKind::Path(path) if !is_ruled(path) => {}
            AtomKind::Path(path) => {
                asked.section(IndexSection::Path);
                for form in path.forms(context) {
                    asked.words(IndexSection::Path, comparable(form.text()).split('/'));
                }
            }
            AtomKind::Fetch { url, host: cell } => match host(url, cell) {
                Some(host) => {
                    let starts = std::iter::once(0).chain(host.match_indices('.').map(|(at, _)| at + 1));
                    asked.words(IndexSection::Domain, starts.filter_map(|start| host.get(start..)));
                }
                None => asked.all(IndexSection::Domain),
            },
            AtomKind::Mcp(_) => asked.section(IndexSection::Mcp),
            AtomKind::Agent(_) => asked.section(IndexSection::Agent),
            AtomKind::WebSearch | AtomKind::Other => {}
        }
    }
    asked
}

/// Returns the index keys for atoms whose unknown parts may be any text.
pub(super) fn possibly<'a>(atoms: impl Iterator<Item = &'a Atom>, context: &PathContext) -> Asked {
    let mut asked = Asked::default();
    for atom in atoms {
        match &atom.what {
            AtomKind::Part(part) => {
                for (start, next) in part.part.starts() {
                    asked.start(&COMMANDS, &start, &next);
                }
            }
            AtomKind::Path(path) => {
                for start in path.starts(context) {
                    for kind in guarding(path) {
                        let line = start.line(kind);
                        match &start.next {
                            Some(next) => asked.start(&PLACES, &line, next),
                            None => asked.line(&PLACES, &line),
                        }
                    }
                }
            }
            _ => {}
        }
    }
    asked
}

/// A rule may name any of the words (B8).
fn net(asked: &mut Asked, words: &[String]) {
    asked.section(IndexSection::Command);
    asked.words(IndexSection::Net, words.iter().flat_map(|word| [word.as_str(), base_name(word)]));
}
