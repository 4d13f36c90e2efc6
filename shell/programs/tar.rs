//! `tar`.

use super::code::Found;
use super::program::{Call, Program, TextWords};
use super::spellings::with;
use crate::effects::{
    Extent, FileEffect, Touch, all, folder, named, placed, read_somewhere, removed, walked, written_below,
};
use crate::options::{OptionSpec, bundled, given, hides, long, short};
use crate::words::Word;

pub(super) const PROGRAMS: &[Program] = &[Program {
    options: OPTIONS,
    code: |call| call.says(code(call.arguments)),
    spellings,
    touches: operands,
    operands: |call| if extracts(call.arguments) { Touch::Name } else { Touch::MayRead },
    texts: |_| &TextWords { options: &[(' ', "exclude")], ..TextWords::NONE },
    ..Program::of(&["tar", "bsdtar"])
}];

/// Letters with a dash mean the same without one, except that a value in the same word is not one then.
fn spellings(call: &Call<'_>) -> Vec<Vec<Word>> {
    let Some((first, rest)) = call.arguments.split_first().filter(|(first, _)| !first.is_dynamic()) else {
        return Vec::new();
    };
    let letters = first.value.strip_prefix('-').unwrap_or(&first.value);
    if letters.is_empty() || !letters.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return Vec::new();
    }
    let other = if letters.len() == first.value.len() { format!("-{letters}") } else { letters.to_owned() };
    vec![with(&[call.name, &other], rest.iter())]
}

const OPTIONS: OptionSpec = OptionSpec::new(
    "bCfgHKLNTVXIF",
    &[
        "directory",
        "file",
        "files-from",
        "listed-incremental",
        "index-file",
        "exclude",
        "exclude-from",
        "transform",
        "strip-components",
        "owner",
        "group",
        "mode",
        "mtime",
        "format",
        "sort",
    ],
    &["list"],
);

/// Finds the option that runs a program.
fn code(words: &[Word]) -> Found<'_> {
    const LONG: &[&str] = &[
        "use-compress-program",
        "to-command",
        "checkpoint-action",
        "info-script",
        "new-volume-script",
        "rsh-command",
        "rmt-command",
    ];
    for (at, word) in words.iter().enumerate() {
        let value = word.value.as_str();
        if word.may_be_option() || hides(&OPTIONS, word) {
            return Err(word);
        }
        let old = at == 0 && !value.starts_with('-') && value.contains(['I', 'F']);
        if old || short(value, "IF") || long(value, LONG) {
            return Ok(Some(word));
        }
    }
    Ok(None)
}

fn operands(call: &Call<'_>) -> Vec<FileEffect> {
    let words = bundled(&OPTIONS, call.arguments);
    let given = given(&OPTIONS, &words);
    let changes =
        [('c', "create"), ('r', "append"), ('u', "update"), ('A', "concatenate"), ('A', "catenate"), (' ', "delete")];
    let changes = changes.iter().any(|(letter, long)| given.has(*letter, long));
    let touch = if changes { Touch::Write } else { Touch::Read };
    let mut done: Vec<_> = all(touch, named(given.values('f', "file"))).collect();
    done.extend(all(Touch::Write, given.values('g', "listed-incremental")));
    done.extend(all(Touch::Write, given.values(' ', "index-file")));
    let folder = folder(given.values('C', "directory"));
    let operands: Vec<_> = given.operands.iter().map(|word| placed(Some(&folder), word)).collect();
    done.extend(walked(Extent::Walked, operands.iter().filter(|_| changes && !given.has(' ', "delete"))));
    done.extend((changes && given.has('T', "files-from")).then(read_somewhere));
    done.extend(removed(operands.iter().filter(|_| given.has(' ', "remove-files"))));
    if (given.has('x', "extract") || given.has(' ', "get")) && !given.has('O', "to-stdout") {
        done.extend(given.values(' ', "one-top-level").map(|word| written_below(placed(Some(&folder), word))));
        done.push(written_below(if given.has('P', "absolute-names") { Word::somewhere() } else { folder }));
    }
    done
}

/// Returns true if a call may extract files or delete members of an archive.
fn extracts(words: &[Word]) -> bool {
    let words = bundled(&OPTIONS, words);
    let given = given(&OPTIONS, &words);
    let reads = [('c', "create"), ('t', "list"), ('r', "append"), ('u', "update"), ('d', "diff"), ('d', "compare")];
    let reads = reads.iter().any(|(letter, long)| given.has(*letter, long));
    !reads || given.unsure.is_some() || given.has('x', "extract") || given.has(' ', "get")
}
