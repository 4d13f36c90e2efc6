//! Which rules may speak about the atoms of a call: the words under which they would be filed.

use super::atoms::{Atom, What, host};
use crate::policy::command::{base_name, net_words};
use crate::policy::path::{Ground, comparable};
use crate::policy::rule::{Asked, Drawer, beginnings};

/// What the atoms of a call ask for.
pub(super) fn asked(atoms: &[Atom], ground: &Ground) -> Asked {
    let mut asked = Asked::new();
    for atom in atoms {
        match &atom.what {
            What::Part(part) => {
                asked.words(Drawer::Command, beginnings(&part.part.text));
                let spelled = part.spelled(ground).iter().map(String::as_str);
                for text in spelled.chain(part.part.based.as_deref()) {
                    asked.words(Drawer::Command, beginnings(text));
                }
                // What nobody knows may be any of the words behind the program.
                if let Some(program) = part.part.words.first().filter(|_| atom.is_open()) {
                    asked.words(Drawer::Program, [program.value.as_str(), base_name(&program.value)]);
                }
                if part.part.opaque.is_some() {
                    net(&mut asked, &net_words(&part.part.text));
                }
            }
            What::Pipeline(_) => asked.drawer(Drawer::Command),
            What::Text { words, .. } => net(&mut asked, words),
            What::Path(path) if path.is_open() => asked.all(Drawer::Path),
            What::Path(path) => {
                for form in path.forms(ground) {
                    asked.words(Drawer::Path, form.text().split('/').map(comparable));
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

/// Any of the words may be the program that a rule names (B8).
fn net(asked: &mut Asked, words: &[String]) {
    asked.drawer(Drawer::Command);
    asked.words(Drawer::Program, words.iter().flat_map(|word| [word.as_str(), base_name(word)]));
}
