//! What `snaphook try` prints by default, colours, names and manual pages.

use std::collections::BTreeSet;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Stdio;

use snaphook_adapters::registry::Registry;

use crate::monitor::{message, record, shell};
use crate::place::{Place, Said};
use crate::skipped::skipped;

const RULES: &str =
    "[permissions]\ndeny = [{ rule = 'Bash(frob *)', reason = 'It frobs.' }]\nask = ['Bash(git push *)']\n";

fn policy(place: &Place) -> String {
    place.file("policy.toml", RULES)
}

#[test]
fn the_blocked_part_is_underlined_and_each_agent_has_one_line() {
    let place = Place::new();
    let policy = policy(&place);
    let said = place.run(&["try", "farfrob x; ls && frob x | cat", "--policy", &policy]);
    let expected = "farfrob x; ls && frob x | cat\n                 ^^^^^^\nBash(frob *) denies (POLICY:2)\n  It frobs.\n\n\
                    claude-code  denied\ncodex        denied\n\npolicy: POLICY\nNothing was executed and nothing was recorded.\n\
                    No agent was found on this machine; shown are examples. Every agent: --all.\n";
    assert_eq!(said.says(0, &[]).out, expected.replace("POLICY", &policy));
    let asked = place.run(&["try", "git push", "--policy", &policy]);
    asked.says(0, &["claude-code  asks you\n", "codex        denied (cannot ask)\n"]);
    let nothing = place.run(&["try", "ls", "--policy", &policy]);
    nothing.says(0, &["No rule decides this call.", "decides by its own rules"]);
}

#[test]
fn only_the_agents_of_this_machine_are_shown_unless_all_are_wanted() {
    let place = Place::new();
    place.file("bin/codex", "");
    let shown = |words: &[&str]| {
        let out = place.run(&[&["try", "ls"], words].concat()).out;
        Registry::standard().ids().filter(|id| out.contains(&format!("\n{id} "))).collect::<Vec<_>>()
    };
    assert_eq!(shown(&[]), ["codex"]);
    assert_eq!(shown(&["--agent", "claude"]), ["claude-code"]);
    assert_eq!(shown(&["--all"]), Registry::standard().ids().collect::<Vec<_>>());
}

#[test]
fn a_long_or_hostile_command_stays_on_one_line() {
    let place = Place::new();
    let policy = policy(&place);
    for command in ["x\n\u{1b}[8m; frob \u{202e}y", "frob 'a\nb'"] {
        let said = place.run(&["try", command, "--policy", &policy, "--color", "always"]);
        let lines: Vec<_> = said.out.lines().collect();
        assert!(said.out.contains("Bash(frob *) denies") && !said.out.contains("\u{1b}[8m"), "{said:?}");
        assert!(lines[0].contains("frob") && !said.out.contains('\u{202e}'), "{said:?}");
    }
}

#[test]
fn colours_are_used_only_where_they_are_wanted() {
    let place = Place::new();
    let policy = policy(&place);
    let words = ["try", "frob x", "--policy", &policy];
    let is_coloured = |said: &Said| said.out.contains('\u{1b}');
    assert!(!is_coloured(&place.run(&words)));
    assert!(is_coloured(&place.run(&[&words[..], &["--color", "always"]].concat())));
    let with = |name: &str, value: &str| {
        let line = format!("{} {}", place.binary().display(), "try 'frob x' --policy ../policy.toml");
        let mut script = place.command("/usr/bin/script");
        Said::of(script.args(["-qec", &line, "/dev/null"]).env("TERM", "xterm").env(name, value), "")
    };
    assert!(is_coloured(&with("X", "")));
    assert!(!is_coloured(&with("NO_COLOR", "1")));
    assert!(!is_coloured(&with("TERM", "dumb")));
    place.run(&["status", "--color", "blue"]).says(2, &["auto, always, never"]);
}

#[test]
fn lines_keep_to_the_width_of_the_terminal() {
    let place = Place::new();
    policy(&place);
    let command = format!("ls {}; frob {}", "a ".repeat(100), "b ".repeat(100));
    let line = format!("stty rows 20 cols 50; {} try '{command}' --policy ../policy.toml", place.binary().display());
    let mut script = place.command("/usr/bin/script");
    let said = Said::of(script.args(["-qec", &line, "/dev/null"]).env("PATH", "/usr/bin:/bin"), "");
    let (call, rest) = said.out.split_once("denies").unwrap_or_else(|| panic!("{said:?}"));
    assert!(call.lines().all(|line| line.trim_end().chars().count() <= 50 + 20), "{said:?}");
    assert!(call.contains("; ") && call.contains("frob b") && rest.contains("It frobs."), "{said:?}");
}

#[test]
fn an_alias_names_one_agent_and_no_alias_is_an_id() {
    let registry = Registry::standard();
    let mut names: BTreeSet<&str> = registry.ids().collect();
    for protocol in registry.iter() {
        let agent = protocol.agent();
        for alias in agent.aliases {
            assert!(names.insert(alias), "{alias} is taken");
            assert_eq!(registry.named(alias).unwrap().agent().id, agent.id);
        }
    }
    assert!(registry.named("claude").is_some() && registry.named("nobody").is_none());
}

#[test]
fn a_misspelt_name_is_answered_with_the_nearest_one() {
    let place = Place::new();
    for (words, says) in [
        (&["try", "ls", "--agent", "claude-cod"][..], "'claude-code'"),
        (&["log", "--verdict", "denny"], "'deny'"),
        (&["statsu"], "'status'"),
        (&["doctor", "codexx"], "'codex'"),
    ] {
        place.run(words).says(2, &["similar", says]);
    }
    place.run(&["try", "--tool", "Raed", "--path", "x"]).says(2, &["did you mean `Read`?"]);
}

#[test]
fn a_hint_keeps_the_agent_and_the_options() {
    let place = Place::new();
    place.run(&["install", "codex", "--project", "--yes"]).says(0, &[]);
    let said = place.run(&["uninstall", "codex", "--project"]);
    said.says(1, &["`snaphook uninstall codex --project` asks for confirmation on a terminal"]);
    let asked = place.answered(&["uninstall", "codex", "--project"], "n\n");
    asked.says(1, &["snaphook uninstall codex --project --dry-run"]);
    place.run(&["install", "claude-code", "--project", "--yes"]).says(0, &[]);
    let file = place.read("project/.claude/settings.json");
    place.file("project/.claude/settings.json", &file.replacen("\"timeout\": ", "\"timeout\": 1", 1));
    place.run(&["status", "claude-code"]).says(1, &["snaphook install claude-code --project"]);
}

/// What a shell offers for the last of these words.
pub(crate) fn completed(place: &Place, shell: &str, words: &[&str]) -> String {
    let mut command = place.command(place.binary());
    command.env("SNAPHOOK_COMPLETE", shell).env("_CLAP_IFS", "\n");
    command.env("_CLAP_COMPLETE_INDEX", words.len().to_string());
    let said = Said::of(command.args(["--", "snaphook"]).args(words), "");
    assert_eq!(said.code, Some(0), "{said:?}");
    said.out
}

#[test]
fn known_values_complete_in_each_shell() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = place.run(&["completions", shell]).out;
        assert!(script.contains("SNAPHOOK_COMPLETE") && script.contains("snaphook"), "{shell}: {script}");
        for (words, value) in [
            (&["status", "cl"][..], "claude-code"),
            (&["log", "--verdict", ""], "hard-abort"),
            (&["try", "--tool", "W"], "WebFetch"),
            (&["wh"], "why"),
        ] {
            assert!(completed(&place, shell, words).contains(value), "{shell}: {words:?}");
        }
    }
    let bash = place.run(&["completions", "bash"]).out;
    let said = Said::of(place.command("/bin/bash").arg("-n").stdin(Stdio::piped()), &bash);
    assert!(said.code == Some(0) && said.err.is_empty(), "{said:?}");
}

#[test]
fn the_first_tab_in_zsh_completes() {
    let zsh = Path::new("/usr/bin/zsh");
    if !zsh.exists() {
        skipped("zsh: it is not on this machine");
        return;
    }
    let place = Place::new();
    symlink(place.binary(), place.path("bin/snaphook")).unwrap();
    place.file("functions/_snaphook", &place.run(&["completions", "zsh"]).out);
    // In place of what zsh has while it completes.
    let tab = "compdef() { : }; _describe() { print -rl -- ${(P)@[-1]} }; fpath=(../functions); autoload -U _snaphook; \
        words=(snaphook status cl); CURRENT=3; _snaphook";
    let path = format!("{}:/usr/bin:/bin", place.at("bin"));
    let said = Said::of(place.command(zsh).env("PATH", path).args(["-f", "-c", tab]), "");
    assert_eq!(said.out, "claude-code:Claude Code\ncline:Cline\n", "{said:?}");
}

#[test]
fn ids_of_the_log_complete_with_their_calls() {
    let place = Place::new();
    place.file(
        "home/.config/snaphook/snaphook.toml",
        "[permissions]\ndeny = ['Bash(frob *)']\n[audit]\ninputs = 'redacted'\n",
    );
    assert!(completed(&place, "fish", &["why", ""]).lines().all(|line| line.starts_with("--")), "there is no log yet");
    let ids: Vec<_> = ["ls", "frob \u{202e}x\ty", "frob y"]
        .map(|command| {
            shell(&place, command);
            record(&place)["id"].as_str().unwrap().to_owned()
        })
        .into();
    let offered = |command: &str, start: &str| -> Vec<(String, String)> {
        let out = completed(&place, "fish", &[command, start]);
        let line = |line: &str| line.split_once('\t').map(|(id, says)| (id.to_owned(), says.to_owned())).unwrap();
        out.lines().filter(|line| !line.starts_with('-')).map(line).collect()
    };
    let why = offered("why", "");
    assert_eq!(why.iter().map(|(id, _)| id).collect::<Vec<_>>(), [&ids[2], &ids[1], &ids[0]], "the newest first");
    assert_eq!(why[0].1, "deny  claude-code  frob y");
    assert!(why[1].1.contains("frob \\u{202e}x"), "{why:?}");
    assert_eq!(offered("why", &ids[0]).len(), 1);
    // Only those that can be allowed once.
    assert_eq!(offered("allow-once", "").len(), 2);
    // Without recorded arguments, the tool.
    place.file("home/.config/snaphook/snaphook.toml", "[permissions]\ndeny = ['Bash(frob *)']\n");
    shell(&place, "frob z");
    assert_eq!(offered("why", "")[0].1, "deny  claude-code  Bash");
    // The variable does not reach a hook.
    let mut hook = place.command(place.binary());
    let hook = hook.args(["hook", "claude-code"]).env("SNAPHOOK_COMPLETE", "bash").stdin(Stdio::piped());
    let text = message(&place, "PreToolUse", "Bash", &serde_json::json!({"command": "frob x"}));
    assert!(Said::of(hook, &text).out.contains("\"deny\""));
}

#[test]
fn the_underlined_part_is_the_one_that_the_rule_decides_about() {
    let place = Place::new();
    let policy = place.file("policy.toml", "[permissions]\nask = ['Delete(~/work)', 'Bash(git push *)']\n");
    for (command, at) in [
        ("rm -rf ~/work", 7),
        ("echo ~/work; rm -rf ~/work", 20),
        ("echo ~/work; ls ~/work && rm -rf ~/work; cat ~/work", 33),
        ("bash -c 'echo ~/work; rm -rf ~/work'", 29),
        ("echo git push; git push; git push", 15),
        ("rm ~/work; rm ~/work", 3),
        ("cat ~/work/x; rm ~/work", 17),
    ] {
        let said = place.run(&["try", command, "--policy", &policy]);
        let marks = said.out.lines().nth(1).unwrap();
        assert_eq!(marks.find('^'), Some(at), "{said:?}");
    }
}

#[test]
fn every_page_has_exit_codes_files_and_variables() {
    let place = Place::new();
    place.run(&["man", &place.at("man")]).says(0, &["wrote the pages"]);
    let pages: Vec<_> = std::fs::read_dir(place.path("man/man1")).unwrap().map(|page| page.unwrap().path()).collect();
    assert!(pages.len() > 15);
    for page in pages {
        let text = std::fs::read_to_string(&page).unwrap();
        for section in [".SH \"EXIT STATUS\"", ".SH FILES", ".SH ENVIRONMENT"] {
            assert!(text.contains(section), "{}: {section}", page.display());
        }
    }
    let policy = place.read("man/man5/snaphook.toml.5");
    let schema: serde_json::Value = serde_json::from_str(include_str!("../../schemas/policy.schema.json")).unwrap();
    for key in schema["properties"].as_object().unwrap().keys() {
        assert!(policy.contains(&format!("\\fB{key}\\fR")), "{key}");
    }
    place.file("file", "");
    place.run(&["man", &place.at("file")]).says(2, &["file"]);
}
