//! `xxd`.

use super::program::Program;
use super::sort::second;
use crate::options::Given;
use crate::words::Word;

pub(super) const PROGRAMS: &[Program] =
    &[Program { touches: |call| second(&arguments(call.arguments)), ..Program::reader(&["xxd"]) }];

/// Splits the arguments: options are words with one dash that can be abbreviated.
fn arguments(words: &[Word]) -> Given<'_> {
    let mut found = Given::default();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let value = word.value.as_str();
        if word.may_be_option() {
            found.unsure.get_or_insert(word);
        }
        if value == "--" {
            found.operands.extend(rest.by_ref());
            break;
        }
        let given = value.strip_prefix("--").or_else(|| value.strip_prefix('-')).filter(|given| !given.is_empty());
        let next = |given: &str| {
            let names = ["cols", "group", "len", "name", "offset", "skip", "seek", "R"];
            names.iter().any(|name| given.starts_with(name) || name.get(..1) == Some(given))
        };
        match given {
            Some(given) if next(given) => drop(rest.next()),
            Some(_) => {}
            None => found.operands.push(word),
        }
    }
    found
}
