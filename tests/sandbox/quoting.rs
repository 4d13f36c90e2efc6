//! The wrapper passes a command on byte for byte, whatever its content and whichever shell reads it (R3).

use std::process::{Command, Output, Stdio};

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestRunner};

use crate::place::has_program;

const SHELLS: &[&[&str]] = &[&["sh"], &["bash"], &["dash"], &["zsh"], &["busybox", "sh"], &["ksh"], &["mksh"]];

/// Texts with a special meaning in shells, tested alone and in combination.
const PIECES: &[&str] = &[
    "'", "\"", "\\", "$", "`", "!", "~", "*", "?", "[", "]", "{", "}", "(", ")", "<", ">", "|", "&", ";", "#", "=",
    "^", "%", " ", "\t", "\n", "\r", "\u{1}", "\u{7f}", "-", "--", "$(", "${", "$'", "\\'", "\\\n", "!!", "é", "日",
    "😀", "\u{feff}", "a", "b c", "EOF", "\\x41", "$HOME", "a=b", "~root", "-n", "'\\''", "\"'\"",
];

fn quoted(text: &str) -> String {
    let bytes = shlex::bytes::try_quote(text.as_bytes()).unwrap();
    String::from_utf8(bytes.into_owned()).unwrap()
}

/// The words that the shell reads from many quoted words, each followed by a NUL.
fn read_back(shell: &[&str], words: &[String]) -> Output {
    let lines: Vec<String> = words.iter().map(|word| format!("printf '%s\\0' {}", quoted(word))).collect();
    let script = lines.join("\n");
    let mut command = Command::new(shell[0]);
    command.args(&shell[1..]).args(["-c", "--"]).arg(script).env_clear().env("LC_ALL", "C.UTF-8");
    command.stdin(Stdio::null()).output().unwrap()
}

#[test]
fn quoting_preserves_every_byte_string_in_every_shell() {
    let word = prop_oneof![
        prop::collection::vec(prop::sample::select(PIECES), 0..12).prop_map(|pieces| pieces.concat()),
        "[ -~\n\t]{0,40}",
        any::<String>().prop_map(|text| text.replace('\0', "")),
    ];
    let mut words: Vec<String> = PIECES.iter().map(|&piece| piece.to_owned()).collect();
    words.extend((1..=127_u8).map(|byte| char::from(byte).to_string()));
    words.extend((1..=127_u8).map(|byte| format!("a{}'b", char::from(byte))));
    let runner = &mut TestRunner::new(Config::default());
    words.extend((0..4000).map(|_| word.new_tree(runner).unwrap().current()));
    let sent: Vec<u8> = words.iter().flat_map(|word| [word.as_bytes(), b"\0"].concat()).collect();
    for shell in SHELLS.iter().filter(|shell| has_program(shell[0])) {
        let mut back = Vec::new();
        for words in words.chunks(200) {
            let output = read_back(shell, words);
            assert!(output.status.success(), "{shell:?}: {}", String::from_utf8_lossy(&output.stderr));
            back.extend(output.stdout);
        }
        if back != sent {
            let (sent, back) = (sent.split(|b| *b == 0), back.split(|b| *b == 0));
            let wrong = sent.zip(back).find(|(sent, back)| sent != back);
            let shown =
                wrong.map(|(s, b)| (String::from_utf8_lossy(s).into_owned(), String::from_utf8_lossy(b).into_owned()));
            panic!("{shell:?}: {shown:?}");
        }
    }
}

#[test]
fn every_shell_accepts_two_dashes_before_its_script() {
    for shell in SHELLS.iter().filter(|shell| has_program(shell[0])) {
        let mut command = Command::new(shell[0]);
        let output = command.args(&shell[1..]).args(["-c", "--", "echo \"$-\" > /dev/null; echo ok"]).output().unwrap();
        assert_eq!(output.stdout, b"ok\n", "{shell:?}");
        let mut command = Command::new(shell[0]);
        let output = command.args(&shell[1..]).args(["-c", "--", "-x 2> /dev/null || echo none"]).output().unwrap();
        assert_eq!(output.stdout, b"none\n", "{shell:?}");
    }
}
