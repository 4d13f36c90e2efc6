//! Builtins and reserved words that change the meaning of later words, or run text.

use super::code::InlineCode;
use super::inside::Inside;
use super::program::{Call, Loads, Program, TextWords};
use crate::devices::is_input;
use crate::effects::{Touch, all};

pub(super) const PROGRAMS: &[Program] = &[
    // The text that a builtin runs is for deny and ask rules; the command counts as not understood.
    Program {
        inside: |call| {
            let words: Vec<_> = call.arguments.iter().map(|word| word.value.as_str()).collect();
            Inside { texts: vec![words.join(" ")], ..Inside::default() }
        },
        ..Program::opaque(&["eval"])
    },
    Program {
        inside: |call| Inside {
            texts: call.arguments.first().map(|word| word.value.clone()).into_iter().collect(),
            ..Inside::default()
        },
        ..Program::opaque(&["trap"])
    },
    Program {
        code: source,
        touches: |call| all(Touch::Read, call.arguments.first()).collect(),
        loads: Loads { arguments: true, ..Loads::NOTHING },
        ..Program::of(&["source", "."])
    },
    Program { operands: |_| Touch::MayRead, texts: |_| &TextWords::ALL, ..Program::opaque(&["hash"]) },
    Program::text(&["cd", "chdir", "pushd", "popd"]),
    Program::opaque(&[
        "alias",
        "coproc",
        "function",
        "select",
        "let",
        "declare",
        "typeset",
        "local",
        "integer",
        "float",
        "nameref",
        "mapfile",
        "readarray",
        "getopts",
        "enable",
        "disable",
        "bind",
        "complete",
        "compgen",
        "compopt",
        "fc",
        "shopt",
        "setopt",
        "unsetopt",
        "emulate",
        "autoload",
        "zmodload",
        "functions",
        "sched",
        "zstyle",
        "zformat",
        "zparseopts",
        "zregexparse",
        "zpty",
        "zle",
        "vared",
        "print",
        "bindkey",
        "zcompile",
        "rehash",
        "private",
        "if",
        "then",
        "else",
        "elif",
        "fi",
        "for",
        "while",
        "until",
        "do",
        "done",
        "case",
        "esac",
        "in",
        "!",
        "{",
        "}",
        "repeat",
        "foreach",
        "end",
        "nocorrect",
        "-",
        "always",
    ]),
];

/// A file that is known may still do anything, so that a rule has to name it.
fn source(call: &Call<'_>) -> InlineCode {
    let says = format!("`{}`", call.word.value);
    let is_builtin = call.word.value == call.name;
    let is_known = call.arguments.first().is_some_and(|file| {
        let plain = !file.is_dynamic() && !file.brace && !file.tilde && !file.value.starts_with('-');
        plain && !is_input(&file.value) && !file.value.is_empty()
    });
    if is_builtin && is_known { InlineCode::Opaque(says) } else { InlineCode::Not(says) }
}
