//! The policies and messages for the measurements.

/// A policy with twenty typical rules.
pub(crate) const POLICY: &str = r#"
[permissions]
deny = [
  "Bash(rm -rf *)",
  "Bash(git push --force *)",
  "Bash(curl * | sh *)",
  "Bash(sudo *)",
  "Bash(mkfs*)",
  "Delete(<critical>)",
  "Edit(<disks>)",
  "Read(<keys>)",
  "Read(.env)",
  "Edit(//etc/**)",
  "WebFetch(domain:*.internal.example.org)",
  "mcp__github__delete_*",
]
ask = [
  "Bash(git push *)",
  "Bash(npm publish *)",
  "Delete(<outside>)",
  "Edit(~/.config/**)",
]
allow = [
  "Bash(git status)",
  "Bash(cargo test *)",
  "Read(src/**)",
  "Edit(/src/**)",
]
"#;

/// A policy with this many rules, of the kinds in a long policy.
pub(crate) fn rules(count: usize) -> String {
    let allowed = "  \"Bash(rm *)\", \"Bash(git *)\",\n".to_owned();
    let mut lists = [("deny", String::new()), ("ask", String::new()), ("allow", allowed)];
    for i in 0..count {
        let (list, rule) = match i % 10 {
            0 | 1 => (0, format!("Bash(tool{i} --flag *)")),
            2 => (0, format!("Bash(git push remote{i} *)")),
            3 => (1, format!("Bash(npm run task{i} *)")),
            4 => (2, format!("Bash(cargo test --package crate{i} *)")),
            5 => (0, format!("Read(//srv/data{i}/secret{i}.key)")),
            6 => (i / 10 % 2 * 2, format!("Edit(/src/module{i}/**)")),
            7 => (0, format!("WebFetch(domain:*.host{i}.example.org)")),
            8 => (2, format!("mcp__server{i}__tool{i}")),
            _ => (1, format!("Bash(tool{i})")),
        };
        lists[list].1.extend(["  \"", &rule, "\",\n"]);
    }
    let lists = lists.map(|(name, rules)| format!("{name} = [\n{rules}]\n"));
    format!("[permissions]\n{}", lists.concat())
}

/// A message of Claude Code with a command of 1 KiB.
pub(crate) fn command(cwd: &str) -> String {
    let message = |description: &str| {
        claude(cwd, "Bash", &format!(r#"{{"command":"cargo test --workspace","description":"{description}"}}"#))
    };
    let missing = 1024 - message("").len();
    message(&"run every test, then read what failed; ".repeat(40)[..missing])
}

/// Typical commands of agents.
pub(crate) const COMMANDS: &[&str] = &[
    "git status",
    "cd x && npm test",
    "git commit -m 'a b'",
    "cat a.txt | grep -v b | sort | uniq -c | head -5",
    "for f in a b; do wc -l $f > /dev/null; done",
];

/// A message of Claude Code with a command for a shell tool.
pub(crate) fn run_by(cwd: &str, tool: &str, command: &str) -> String {
    claude(cwd, tool, &format!(r#"{{"command":"{command}"}}"#))
}

/// A command that is not understood, as a JSON string.
pub(crate) fn heredoc() -> String {
    let line = |i: usize| format!("value_{i} = read(path_{i}).split()[{i}] if ready_{i} else default_{i}");
    let lines: Vec<_> = (0..60).map(line).collect();
    format!(r"python3 - <<'END'\n{}\nEND\n", lines.join(r"\n"))
}

/// A message of Claude Code that reads a file.
pub(crate) fn file_read(cwd: &str) -> String {
    claude(cwd, "Read", &format!(r#"{{"file_path":"{cwd}/src/a.rs"}}"#))
}

/// A message of Claude Code that writes a file of this many bytes: source code, so that every line has escapes.
pub(crate) fn write(cwd: &str, bytes: usize) -> String {
    const CODE: &str = concat!(
        include_str!("../../adapters/raw/object.rs"),
        include_str!("../../adapters/fit/mod.rs"),
        include_str!("../../src/engine.rs"),
    );
    let code = serde_json::to_string(CODE).expect("a text");
    let content = code[1..code.len() - 1].repeat(bytes / (code.len() - 2) + 1);
    claude(cwd, "Write", &format!(r#"{{"file_path":"{cwd}/src/a.rs","content":"{content}"}}"#))
}

/// A shell command of at least this many bytes.
pub(crate) fn long_command(cwd: &str, bytes: usize) -> String {
    let line = r#"echo \"a line of text\" >> out.txt\n"#;
    claude(cwd, "Bash", &format!(r#"{{"command":"{}"}}"#, line.repeat(bytes / line.len() + 1)))
}

/// Arguments of this many bytes in objects of one member.
pub(crate) fn small_objects(cwd: &str, bytes: usize) -> String {
    let objects = r#"{"a":1},"#.repeat(bytes / 8);
    claude(cwd, "Write", &format!(r#"{{"file_path":"{cwd}/src/a.rs","content":"","odd":[{objects}null]}}"#))
}

/// A message of Claude Code before a tool runs.
pub(crate) fn claude(cwd: &str, tool: &str, input: &str) -> String {
    format!(
        r#"{{"session_id":"4caa8f2c-b991-418a-9ac3-1abac61a7adc","transcript_path":"{cwd}/../t.jsonl","cwd":"{cwd}","#
    ) + &format!(
        r#""permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"{tool}","tool_input":{input},"tool_use_id":"toolu_4e8ce2b3a694"}}"#
    )
}

/// A recorded tool call of PicoClaw with this command, as one line.
pub(crate) fn request(id: usize, command: &str) -> String {
    const RECORDED: &str = include_str!("../../adapters/picoclaw/fixtures/before_tool_exec.json");
    let fixture: serde_json::Value = serde_json::from_str(RECORDED).expect("a fixture");
    let mut request = fixture["stdin"].clone();
    request["id"] = id.into();
    request["params"]["arguments"]["command"] = command.into();
    format!("{request}\n")
}
