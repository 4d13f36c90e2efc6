//! One page for each agent and each unusual file: the home folder before an install, after it, and after the uninstall.
//! The pages are in `snapshots/setup`.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use rayon::prelude::*;
use similar::TextDiff;

use crate::pages::{are_all, folder, holds};
use crate::place::{Place, Said};
use crate::{CLAUDE, CLINE, CODEX, COPILOT, CRUSH, DOCKER, HYGGE, KIRO, OPENCLAW, OPENCODE, PICOCLAW, place, shown};

/// One home folder.
struct Case {
    /// The name of the page.
    name: &'static str,
    agent: &'static str,
    /// Further arguments of install.
    words: &'static [&'static str],
    /// Creates the initial files.
    before: fn(&Place),
    /// Changes files between install and uninstall.
    between: fn(&Place),
    /// The expected result.
    end: End,
}

#[derive(PartialEq)]
enum End {
    /// Every byte is restored.
    AsBefore,
    /// Changes from between install and uninstall are kept.
    Theirs,
    /// No file was changed.
    Refused,
}

const fn case(name: &'static str, agent: &'static str, before: fn(&Place)) -> Case {
    Case { name, agent, words: &[], before, between: |_| {}, end: End::AsBefore }
}

const fn refused(name: &'static str, agent: &'static str, before: fn(&Place)) -> Case {
    Case { end: End::Refused, ..case(name, agent, before) }
}

const fn docker(name: &'static str, words: &'static [&'static str], before: fn(&Place)) -> Case {
    Case { words, ..case(name, "docker-agent", before) }
}

fn written(name: &'static str, text: &str) -> impl FnOnce(&Place) {
    let text = text.to_owned();
    move |place| drop(place.file(name, &text))
}

macro_rules! holding {
    ($name:expr, $text:expr) => {
        |place| written($name, $text)(place)
    };
}

const CONFIG: &str = "home/.config/cagent/config.yaml";
const THEIRS: &str = "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", \"command\": \"first\"}]},\n      {\"matcher\": \"*\", \"hooks\": [{\"type\": \"command\", \"command\": \"second\"}]}, // last\n    ],\n    \"Stop\": []\n  }\n}\n";

const CASES: &[Case] = &[
    case("claude_code_without_a_file", "claude-code", |_| {}),
    case("claude_code_empty", "claude-code", holding!(CLAUDE, "")),
    case(
        "claude_code_comments",
        "claude-code",
        holding!(
            CLAUDE,
            "{\n  // how I like it\n  \"model\": \"opus\", /* for now */\n  \"env\": {\"A\": \"1.10\"}\n}\n"
        ),
    ),
    case(
        "claude_code_trailing_commas",
        "claude-code",
        holding!(CLAUDE, "{\n  \"hooks\": {\n    \"PreToolUse\": [\n    ],\n  },\n  \"b\": [1, 2,],\n}\n"),
    ),
    case(
        "claude_code_tabs",
        "claude-code",
        holding!(CLAUDE, "{\n\t\"model\": \"opus\",\n\t\"hooks\": {\n\t\t\"Stop\": []\n\t}\n}"),
    ),
    case(
        "claude_code_line_ends_of_windows",
        "claude-code",
        holding!(CLAUDE, "{\r\n  \"model\": \"opus\", // why\r\n  \"hooks\": {},\r\n}\r\n"),
    ),
    case("claude_code_mark_at_the_beginning", "claude-code", holding!(CLAUDE, "\u{feff}{\"a\":1e400,\"b\":[1,2,],}")),
    case("claude_code_hooks_of_others", "claude-code", holding!(CLAUDE, THEIRS)),
    case("claude_code_link", "claude-code", |place| {
        place.file("home/dotfiles/claude.json", "{}\n");
        fs::create_dir_all(place.path("home/.claude")).unwrap();
        symlink("../dotfiles/claude.json", place.path(CLAUDE)).unwrap();
    }),
    case("claude_code_link_to_nothing", "claude-code", |place| {
        fs::create_dir_all(place.path("home/dotfiles")).unwrap();
        fs::create_dir_all(place.path("home/.claude")).unwrap();
        symlink("../dotfiles/claude.json", place.path(CLAUDE)).unwrap();
    }),
    case("claude_code_mode", "claude-code", |place| {
        place.file(CLAUDE, "{}\n");
        fs::set_permissions(place.path(CLAUDE), fs::Permissions::from_mode(0o640)).unwrap();
    }),
    Case {
        between: |place| {
            let with = place.read(CLAUDE);
            place.file(CLAUDE, &with.replacen('{', "{\n  \"theirs\": true, // since", 1));
        },
        end: End::Theirs,
        ..case(
            "claude_code_somebody_wrote_since",
            "claude-code",
            holding!(CLAUDE, "{\n  \"model\": \"opus\" // mine\n}\n"),
        )
    },
    Case {
        between: |place| {
            let with = place.read(CLAUDE);
            place.file(CLAUDE, &with.replacen("\"*\"", "\"Bash\"", 1));
        },
        end: End::Theirs,
        ..case("claude_code_an_entry_was_changed", "claude-code", holding!(CLAUDE, "{}\n"))
    },
    Case { words: &["--project"], ..case("claude_code_project", "claude-code", |_| {}) },
    refused("claude_code_no_json", "claude-code", holding!(CLAUDE, "{\n  \"a\": 1,\n  \"b\": [1, 2\n}\n")),
    refused("claude_code_a_key_twice", "claude-code", holding!(CLAUDE, "{\"hooks\": {}, \"hooks\": {\"Stop\": []}}")),
    refused("claude_code_no_object", "claude-code", holding!(CLAUDE, "[]")),
    refused("claude_code_hooks_is_a_list", "claude-code", holding!(CLAUDE, "{\"hooks\": []}")),
    refused("claude_code_no_list_of_groups", "claude-code", holding!(CLAUDE, "{\"hooks\": {\"Stop\": \"x\"}}")),
    refused("claude_code_write_protected", "claude-code", |place| {
        place.file(CLAUDE, "{}\n");
        fs::set_permissions(place.path(CLAUDE), fs::Permissions::from_mode(0o444)).unwrap();
    }),
    refused("claude_code_no_utf_8", "claude-code", |place| {
        place.file(CLAUDE, "");
        fs::write(place.path(CLAUDE), b"{\"a\": \"\xff\"}").unwrap();
    }),
    case("codex_without_a_file", "codex", |_| {}),
    case("codex_description", "codex", holding!(CODEX, "{\n  \"description\": \"mine\",\n  \"hooks\": {}\n}\n")),
    refused("codex_a_key_that_it_rejects", "codex", holding!(CODEX, "{\"model\": \"x\", \"hooks\": {}}")),
    refused("codex_no_json", "codex", holding!(CODEX, "{'hooks': {}}")),
    case("cline_without_a_file", "cline", |_| {}),
    case("cline_another_hook", "cline", holding!("home/Documents/Cline/Hooks/PreToolUse.sh", "#!/bin/sh\necho '{}'\n")),
    refused("cline_a_hook_of_the_same_name", "cline", holding!(CLINE, "#!/bin/sh\nexec ./mine --event PreToolUse\n")),
    case("copilot_without_a_file", "copilot", |_| {}),
    case("copilot_hooks_of_others", "copilot", |folder| {
        folder.file(
            COPILOT,
            "{\"version\": 1, \"hooks\": {\"preToolUse\": [{\"type\": \"command\", \"command\": \"./guard\"}]}}\n",
        );
    }),
    case("crush_without_a_file", "crush", |_| {}),
    case(
        "crush_hooks_of_others",
        "crush",
        holding!(
            CRUSH,
            "{\n  \"options\": {\"tui\": {}},\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\"matcher\": \"^bash$\", \"command\": \"./no.sh\"}\n    ]\n  }\n}\n"
        ),
    ),
    case("kiro_without_a_file", "kiro", |_| {}),
    case("kiro_hooks_of_others", "kiro", |folder| {
        folder.file(
            KIRO,
            "{\n  \"version\": \"v1\",\n  \"hooks\": [\n    {\"name\": \"mine\", \"trigger\": \"Stop\", \"action\": {\"type\": \"command\", \"command\": \"./mine\"}}\n  ]\n}\n",
        );
    }),
    case("hygge_without_a_file", "hygge", |_| {}),
    case(
        "hygge_line_ends_of_windows",
        "hygge",
        holding!(HYGGE, "# mine\r\n[hooks.theirs] # first\r\nevents = [\"pre_tool\"]\r\ncommand = '/bin/true'\r\n"),
    ),
    case("hygge_without_a_last_line_end", "hygge", holding!(HYGGE, "[other]\n  a   = 1 # d\n\n# the end")),
    Case {
        between: |place| {
            let with = place.read(HYGGE);
            place.file(HYGGE, &format!("{with}\n[hooks.later]\nevents = [\"post_tool\"]\ncommand = \"/x\"\n"));
        },
        end: End::Theirs,
        ..case("hygge_somebody_wrote_since", "hygge", holding!(HYGGE, "# mine\n[other]\na = 1\n"))
    },
    refused("hygge_no_toml", "hygge", holding!(HYGGE, "[hooks.a]\nevents = [\n\n[x]\n")),
    refused("hygge_hooks_is_no_table", "hygge", holding!(HYGGE, "hooks = 3\n")),
    case("kilo_without_a_file", "kilo", |_| {}),
    case("pi_without_a_file", "pi", |_| {}),
    case("opencode_without_a_file", "opencode", |_| {}),
    refused(
        "opencode_a_file_of_a_person",
        "opencode",
        holding!(OPENCODE, "// of a person\nexport const Mine = async () => ({})\n"),
    ),
    Case {
        between: |place| {
            let with = place.read(OPENCODE);
            place.file(OPENCODE, &format!("{with}\n// a change\n"));
        },
        end: End::Theirs,
        ..case("opencode_somebody_wrote_since", "opencode", |_| {})
    },
    case("openclaw_without_a_file", "openclaw", |_| {}),
    case(
        "openclaw_with_settings",
        "openclaw",
        holding!(
            OPENCLAW,
            "{\n  // mine\n  \"plugins\": {\n    \"allow\": [\"snaphook\"],\n    \"entries\": {\"voice\": {\"enabled\": true}}\n  },\n}\n"
        ),
    ),
    refused(
        "openclaw_switched_off",
        "openclaw",
        holding!(OPENCLAW, "{\"plugins\": {\"entries\": {\"snaphook\": {\"enabled\": false}}}}\n"),
    ),
    case("picoclaw_without_a_file", "picoclaw", |_| {}),
    case("picoclaw_version_1", "picoclaw", holding!(PICOCLAW, "{\n  \"version\": 1\n}\n")),
    case("picoclaw_version_2", "picoclaw", holding!(PICOCLAW, "{\n  \"version\": 2\n}\n")),
    case(
        "picoclaw_version_3_with_others",
        "picoclaw",
        holding!(
            PICOCLAW,
            "{\n  \"version\": 3,\n  \"hooks\": {\n    \"enabled\": true,\n    \"processes\": {\n      \"late\": {\"enabled\": true, \"priority\": 5000, \"command\": [\"x\"], \"intercept\": [\"before_tool\"]}\n    }\n  }\n}\n"
        ),
    ),
    refused("picoclaw_without_a_version", "picoclaw", holding!(PICOCLAW, "{\"agents\": {}}\n")),
    refused("picoclaw_of_a_newer_version", "picoclaw", holding!(PICOCLAW, "{\"version\": 9}\n")),
    refused(
        "picoclaw_hooks_are_off",
        "picoclaw",
        holding!(PICOCLAW, "{\"version\": 3, \"hooks\": {\"enabled\": false}}\n"),
    ),
    docker("docker_agent_c", &["--agent-version", "1.140.0"], |_| {}),
    docker("docker_agent_late_b", &["--agent-version", "1.110.0"], holding!(DOCKER_OTHER, "stop: []\n")),
    docker(
        "docker_agent_late_b_settings",
        &["--agent-version", "1.98.0"],
        holding!(CONFIG, "# mine\naliases:\n  a: {path: ./a.yaml} # d\n"),
    ),
    Case {
        end: End::Refused,
        ..docker(
            "docker_agent_late_b_settings_are_there",
            &["--agent-version", "1.98.0"],
            holding!(CONFIG, "settings:\n  theme: dark\n"),
        )
    },
    Case { end: End::Refused, ..docker("docker_agent_early_b", &["--agent-version", "1.60.0"], |_| {}) },
    Case {
        between: |place| drop(place.file(DOCKER, "stop: []\n")),
        end: End::Theirs,
        ..docker("docker_agent_somebody_wrote_since", &["--agent-version", "1.140.0"], |_| {})
    },
];
const DOCKER_OTHER: &str = "home/.config/cagent/hooks.d/10-theirs.yaml";

#[test]
fn every_home_folder_equals_its_page() {
    let pages: Vec<_> = CASES.par_iter().map(page).collect();
    let mut differ = Vec::new();
    for (case, page) in CASES.iter().zip(pages) {
        if !holds(&folder().join("setup"), || insta::assert_snapshot!(case.name, page)) {
            differ.push(case.name);
        }
    }
    assert!(differ.is_empty(), "{} pages differ: see `cargo insta review`: {differ:?}", differ.len());
}

#[test]
fn every_page_has_a_home_folder() {
    let names: BTreeSet<_> = CASES.iter().map(|case| format!("{}.snap", case.name)).collect();
    assert_eq!(names.len(), CASES.len());
    are_all(&folder().join("setup"), &names, "");
}

fn page(case: &Case) -> String {
    let place = place();
    (case.before)(&place);
    let before = tree(&place);
    let mut page = String::from("BEFORE\n");
    files(&before, &mut page);

    let words = [&["install", case.agent, "--yes"], case.words].concat();
    said(&place, &words, &mut page);
    let with = tree(&place);
    match case.end {
        End::Refused => assert_eq!(before, with, "{}", case.name),
        _ if before.is_empty() => files(&with, &mut page),
        _ => differences(&before, &with, &mut page),
    }
    if case.end == End::Refused {
        page.push_str("\nnothing is changed\n");
        return page;
    }
    let again = place.run(&words);
    assert!(again.code == Some(0) && tree(&place) == with, "{}: {again:?}", case.name);

    (case.between)(&place);
    if case.end == End::Theirs {
        page.push_str("\nSOMEBODY WRITES\n");
        differences(&with, &tree(&place), &mut page);
    }
    let project = case.words.iter().filter(|word| **word == "--project").copied();
    let words: Vec<_> = ["uninstall", case.agent].into_iter().chain(project).collect();
    said(&place, &words, &mut page);
    let after = tree(&place);
    if case.end == End::AsBefore {
        assert_eq!(before, after, "{}", case.name);
        page.push_str("\nas before\n");
    } else {
        files(&after, &mut page);
    }
    page
}

/// The files, links and empty folders of agents: paths with an unusual mode, and texts.
fn tree(place: &Place) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let usual = place.file("usual", "");
    let mode_of = |path: &Path| fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777;
    let usual = mode_of(Path::new(&usual));
    for (path, bytes) in place.all() {
        let name = path.strip_prefix(place.path("")).unwrap().display().to_string();
        let is_ours = |name: &str| name.contains("snaphook/") || name.ends_with("/snaphook");
        let of_home = ["home/", "project/"].iter().any(|folder| name.starts_with(folder));
        if is_ours(&name) || !of_home || name == "project/.git" {
            continue;
        }
        let kind = fs::symlink_metadata(&path).unwrap();
        let mode = if mode_of(&path) == usual { String::new() } else { format!(" ({:o})", mode_of(&path)) };
        let (title, text) = match () {
            () if kind.is_symlink() => {
                (format!("{name} -> {}", fs::read_link(&path).unwrap().display()), String::new())
            }
            () if kind.is_dir() && fs::read_dir(&path).unwrap().next().is_some() => continue,
            () if kind.is_dir() => (format!("{name}/"), String::new()),
            () => (format!("{name}{mode}"), shown(place, &String::from_utf8_lossy(&bytes))),
        };
        found.push((title, text));
    }
    found
}

fn files(tree: &[(String, String)], page: &mut String) {
    if tree.is_empty() {
        page.push_str("\nnothing\n");
    }
    for (title, text) in tree {
        let _ = write!(page, "\n{title}\n{}", seen(text));
    }
}

fn differences(before: &[(String, String)], after: &[(String, String)], page: &mut String) {
    for (title, text) in after {
        let old = before.iter().find(|(old, _)| old == title).map(|(_, old)| old);
        if old != Some(text) {
            let old = old.map(String::as_str).unwrap_or_default();
            let diff = TextDiff::from_lines(old, text);
            let _ = write!(page, "\n{title}\n{}", seen(&diff.unified_diff().context_radius(2).to_string()));
        }
    }
    for (title, _) in
        before.iter().filter(|(title, _)| !title.ends_with('/') && !after.iter().any(|(new, _)| new == title))
    {
        let _ = writeln!(page, "\n{title} is gone");
    }
}

/// Prefixes each line, and escapes characters that would be invisible.
fn seen(text: &str) -> String {
    let text = text.replace('\r', "\\r").replace('\t', "\\t").replace('\u{feff}', "\\u{feff}");
    text.lines().map(|line| format!("  | {line}\n")).collect()
}

fn said(place: &Place, words: &[&str], page: &mut String) {
    let asks = words.first() == Some(&"uninstall");
    let Said { code, mut out, err } = if asks { place.answered(words, "y\n") } else { place.run(words) };
    if let Some((shown, rest)) = out.split_once("\nChange these files?") {
        out = format!("{shown}{}", rest.split_once("[y/N] ").unwrap().1);
    }
    let code = code.unwrap();
    let _ = writeln!(page, "\nSNAPHOOK {}: exit {code}\n", words.join(" "));
    for line in shown(place, &format!("{out}{err}")).lines() {
        let _ = writeln!(page, "  {}", line.trim_end());
    }
}
