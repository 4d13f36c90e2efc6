//! Calls in the shape of real sessions of a coding agent, all of them made up.

use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::messages::claude;

/// Commands of a shell tool, separated by lines with `%%`. A line `@python 20` stands for twenty lines of that language.
const COMMANDS: &str = include_str!("commands.txt");

/// One call: a short name for the table, and the message of Claude Code.
pub(crate) struct CorpusCall {
    pub(crate) name: String,
    pub(crate) message: String,
}

/// Messages with the everyday commands of the tests.
pub(crate) fn everyday(cwd: &str) -> Vec<String> {
    #[derive(Deserialize)]
    struct Everyday {
        group: Vec<Group>,
    }
    #[derive(Deserialize)]
    struct Group {
        lines: Vec<String>,
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/everyday/commands.toml");
    let read: Everyday = toml::from_str(&fs::read_to_string(file).expect("the commands")).expect("groups of commands");
    let lines = read.group.into_iter().flat_map(|group| group.lines);
    lines.map(|command| claude(cwd, "Bash", &json!({ "command": command }).to_string())).collect()
}

/// All calls, always the same.
pub(crate) fn calls(cwd: &str) -> Vec<CorpusCall> {
    let mut lines = Lines(1);
    let mut calls = Vec::new();
    let mut add = |tool: &str, name: &str, input: &Value| {
        let name = format!("{tool}: {}", name.lines().next().unwrap_or_default());
        calls.push(CorpusCall { name, message: claude(cwd, tool, &input.to_string()) });
    };
    for written in COMMANDS.split("\n%%\n") {
        let command = lines.filled(written.trim_end_matches('\n'));
        add("Bash", &command, &json!({"command": command, "description": lines.of("text")}));
    }
    for at in 0..45 {
        let path = lines.path(cwd);
        match at % 3 {
            0 => add("Read", &path, &json!({"file_path": path, "offset": at * 40, "limit": 120})),
            _ => add("Read", &path, &json!({"file_path": path})),
        }
    }
    for (at, count) in [1, 2, 3, 5, 8, 13, 20, 40].into_iter().cycle().take(30).enumerate() {
        let path = lines.path(cwd);
        let language = ["rust", "python", "script", "text"][at % 4];
        let [old, new] = [count, count + at % 4].map(|count| lines.block(language, count));
        let input = json!({"file_path": path, "old_string": old, "new_string": new, "replace_all": false});
        add("Edit", &format!("{path}, {count} lines"), &input);
    }
    for (at, count) in [12, 25, 40, 60, 80, 110, 150, 200, 260, 320, 400, 600].into_iter().enumerate() {
        let path = lines.path(cwd);
        let content = lines.block(["rust", "script", "python", "text"][at % 4], count);
        add("Write", &format!("{path}, {count} lines"), &json!({"file_path": path, "content": content}));
    }
    for (at, pattern) in ["TODO", r"fn \w+_session", "class .*Error", "import .* from 'react'"].into_iter().enumerate()
    {
        let path = lines.path(cwd);
        add("Grep", pattern, &json!({"pattern": pattern, "path": path, "output_mode": "content", "-n": true}));
        add("Glob", "**/*", &json!({"pattern": format!("**/*{}", [".ts", ".py", "_test.go", ".rs"][at])}));
    }
    for count in [3, 6] {
        let todos: Vec<_> =
            (0..count).map(|_| json!({"content": lines.of("text"), "status": "pending", "activeForm": "…"})).collect();
        add("TodoWrite", &format!("{count} steps"), &json!({"todos": todos}));
        let prompt = lines.block("text", 4 * count);
        add("Task", "a prompt", &json!({"description": "read", "prompt": prompt, "subagent_type": "Explore"}));
    }
    for url in ["https://docs.example.org/guide/sessions", "https://example.com/releases.json"] {
        add("WebFetch", url, &json!({"url": url, "prompt": lines.of("text")}));
    }
    add("WebSearch", "a query", &json!({"query": lines.of("text")}));
    add("mcp__tracker__get_issue", "412", &json!({"id": 412}));
    add("mcp__tracker__add_comment", "412", &json!({"id": 412, "body": lines.block("text", 8)}));
    calls
}

/// The commands among the calls.
pub(crate) fn commands() -> Vec<String> {
    let mut lines = Lines(1);
    COMMANDS.split("\n%%\n").map(|written| lines.filled(written.trim_end_matches('\n'))).collect()
}

/// Makes lines of text and code from a few patterns.
struct Lines(u32);

const WORDS: &[&str] = &[
    "session", "client", "request", "reply", "parser", "token", "buffer", "index", "config", "record", "limit",
    "store", "user", "order", "price", "event", "queue", "worker", "result", "schema", "header", "retry", "cache",
    "state",
];

/// In these, each `@` is a word.
#[rustfmt::skip]
const PATTERNS: &[(&str, &[&str])] = &[
    ("python", &[
        "import json, sys, re", "from pathlib import Path", "def @_@(@, @=None):", "    @ = [row['@'] for row in @ if row]",
        "    if not @.get(\"@\"):", "        raise ValueError(f\"missing @ in {@!r}\")", "    for @ in sorted(@):",
        "        @ += len(@.split(',')) * 2", "    text = Path('src/@.py').read_text()",
        "    text = re.sub(r'(\\w+)_@\\(', r'\\1_@(', text)", "    print(f'{@:30} {@} %')", "", "    # the @ of a @ is kept",
        "    assert @ == {'@': 1, '@': [2, 3]}, @", "    return @ or {}",
    ]),
    ("rust", &[
        "use std::collections::HashMap;", "/// Returns the @ of a @.", "pub fn @_@(@: &str) -> Option<usize> {",
        "    let @ = @.split(',').filter(|@| !@.is_empty()).count();", "    if @ > 3 && @ < 10 {",
        "        return Err(Error::new(\"invalid @\"));", "    }", "}", "", "    match @ {", "        Some(@) => @.push('\\n'),",
        "        None => println!(\"{@} of {@}\"),", "    let text = format!(\"{}: {@:?}\", @.len());",
        "#[derive(Debug, Clone)]", "    // A @ has at most one @.",
    ]),
    ("script", &[
        "import { @ } from './@';", "export async function @(@: string): Promise<void> {",
        "  const @ = await fetch(`/api/@/${@}?limit=${@}`);", "  if (!@.ok) throw new Error('cannot read @: ' + @.status);",
        "  for (const [@, @] of Object.entries(@)) {", "    console.log(\"@\", @ ?? null);", "  }", "}", "",
        "  return @.map((@) => ({ ...@, @: @.trim() }));", "  // the @ is sent once", "type @ = { @: number; @?: string[] };",
        "  expect(@).toEqual({ @: 1, '@': [true, false] });", "  let @ = /^(\\w+)-(\\d+)$/.exec(@);",
    ]),
    ("text", &[
        "The @ of a @ is now read once, before the @ is checked.", "A @ that has no @ doesn't fail any more.",
        "- `@` takes a @ and a @; it's an error if both are empty", "See src/@.rs and the tests of the @ (`@_@`).", "",
        "If the @ isn't there, the @ gets \"@\" in its place & the @ is kept.", "1. read the @; 2. compare it with the @",
    ]),
];

impl Lines {
    /// A number below `limit`.
    fn pick(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        usize::try_from(self.0 >> 16).expect("16 bits") % limit
    }

    fn word(&mut self) -> &'static str {
        WORDS[self.pick(WORDS.len())]
    }

    fn path(&mut self, cwd: &str) -> String {
        let (folder, part, name) = (self.word(), self.word(), self.word());
        let end = ["rs", "ts", "py", "md", "json"][self.pick(5)];
        format!("{cwd}/src/{folder}/{part}_{name}.{end}")
    }

    /// One line that is not empty.
    fn of(&mut self, language: &str) -> String {
        loop {
            let line = self.block(language, 1);
            if !line.is_empty() {
                return line;
            }
        }
    }

    fn block(&mut self, language: &str, count: usize) -> String {
        let patterns = PATTERNS.iter().find(|(name, _)| *name == language).expect("a language").1;
        let line = |lines: &mut Self| {
            let mut parts = patterns[lines.pick(patterns.len())].split('@');
            let first = parts.next().unwrap_or_default().to_owned();
            parts.fold(first, |line, part| line + lines.word() + part)
        };
        (0..count).map(|_| line(self)).collect::<Vec<_>>().join("\n")
    }

    /// A command with its generated lines.
    fn filled(&mut self, written: &str) -> String {
        let line = |line: &str| match line.strip_prefix('@').and_then(|line| line.split_once(' ')) {
            // A quote would end the code between quotes.
            Some((language, count)) => {
                let block = self.block(language, count.parse().expect("a number"));
                let quoted = written.contains("<<").then_some(block.as_str());
                quoted.map_or_else(|| block.replace(['\'', '"', '`', '$'], ""), str::to_owned)
            }
            None => line.to_owned(),
        };
        written.lines().map(line).collect::<Vec<_>>().join("\n")
    }
}
