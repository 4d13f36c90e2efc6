//! Which rules may speak about the atoms of a call: the words under which they would be filed.

use super::atoms::{Atom, PathAct, What, host};
use super::matching::guarding;
use crate::policy::command::{base_name, net_words};
use crate::policy::path::{Ground, comparable};
use crate::policy::rule::{Asked, COMMANDS, Drawer, PLACES};

/// What the atoms of a call ask for.
pub(super) fn asked(atoms: &[Atom], ground: &Ground) -> Asked {
    let mut asked = Asked::default();
    asked.drawer(Drawer::Always);
    for atom in atoms {
        match &atom.what {
            What::Part(part) => {
                let spelled = part.spelled(ground).iter().map(String::as_str);
                for text in spelled.chain([part.part.text.as_str()]).chain(part.part.based.as_deref()) {
                    asked.line(&COMMANDS, text);
                }
                asked.drawer(Drawer::Command);
                if part.part.opaque.is_some() {
                    net(&mut asked, &net_words(&part.part.text));
                }
            }
            What::Pipeline(_) => asked.drawer(Drawer::Command),
            What::Hidden { .. } => asked.all(Drawer::Command),
            What::Text { words, .. } => net(&mut asked, words),
            What::Path(path) if path.act == PathAct::Name => {}
            What::Path(path) => {
                asked.drawer(Drawer::Path);
                for form in path.forms(ground) {
                    asked.words(Drawer::Path, comparable(form.text()).split('/'));
                }
            }
            What::Fetch { url, host: cell } => match host(url, cell) {
                Some(host) => {
                    let starts = std::iter::once(0).chain(host.match_indices('.').map(|(at, _)| at + 1));
                    asked.words(Drawer::Domain, starts.filter_map(|start| host.get(start..)));
                }
                None => asked.all(Drawer::Domain),
            },
            What::Mcp(_) => asked.drawer(Drawer::Mcp),
            What::Agent(_) => asked.drawer(Drawer::Agent),
            What::WebSearch | What::Other => {}
        }
    }
    asked
}

/// What atoms ask for if what nobody knows of them may be any text.
pub(super) fn possibly<'a>(atoms: impl Iterator<Item = &'a Atom>, ground: &Ground) -> Asked {
    let mut asked = Asked::default();
    for atom in atoms {
        match &atom.what {
            What::Part(part) => {
                for (start, next) in part.part.starts() {
                    asked.start(&COMMANDS, &start, &next);
                }
            }
            What::Path(path) if path.act != PathAct::Name => {
                for start in path.starts(ground) {
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

/// Any of the words may be one that a rule names (B8).
fn net(asked: &mut Asked, words: &[String]) {
    asked.drawer(Drawer::Command);
    asked.words(Drawer::Net, words.iter().flat_map(|word| [word.as_str(), base_name(word)]));
}
