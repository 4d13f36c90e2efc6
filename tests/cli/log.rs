//! `snaphook log`: what was decided, a line each.

use crate::place::{Place, fixture};

const LOG: &str = "home/.local/state/snaphook/audit.jsonl";

/// A log of four calls: Codex denied, Claude Code passed, an ask that Codex cannot say, a message
/// that nobody can read.
fn recorded() -> Place {
    let place = Place::new();
    let deny = place.file("deny.toml", "[permissions]\ndeny = [\"Bash\"]\n");
    let ask = place.file("ask.toml", "[permissions]\nask = [\"Bash\"]\n");
    let pass = place.file("pass.toml", "[permissions]\n");
    let call = |agent: &str, policy: &str, message: &str| {
        place.fed(&["hook", agent, "--policy", policy, "--event", "PreToolUse"], message);
    };
    call("codex", &deny, &fixture("codex", "pre_tool_use_bash"));
    call("claude-code", &pass, &fixture("claude-code", "pre_tool_use_bash"));
    call("codex", &ask, &fixture("codex", "pre_tool_use_bash"));
    call("claude-code", &pass, "{");
    place
}

/// The cells of the table's rows, without its heading.
fn rows(out: &str) -> Vec<Vec<&str>> {
    out.lines().skip(1).map(|line| line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect()).collect()
}

#[test]
fn each_call_is_a_line_with_what_was_decided_and_sent() {
    let place = recorded();
    let said = place.run(&["log"]);
    said.says(0, &["time", "agent", "event", "tool", "verdict", "with", "sent as", "ms", "id", "lost"]);
    assert_eq!(said.err, "");
    let rows = rows(&said.out);
    let columns = |row: usize, range: std::ops::Range<usize>| rows[row][range].to_vec();
    assert_eq!(columns(0, 1..7), ["codex", "PreToolUse", "Bash", "deny", "-", "exit 2"]);
    assert_eq!(columns(1, 1..7), ["claude-code", "PreToolUse", "Bash", "pass", "-", "silent"]);
    assert_eq!(columns(2, 1..7), ["codex", "PreToolUse", "Bash", "ask > deny", "-", "exit 2"]);
    assert_eq!(columns(3, 1..4), ["claude-code", "PreToolUse", "-"]);
    assert!(rows[2].last().unwrap().contains("ask"), "{said:?}");
    assert!(rows[3].last().unwrap().starts_with("failed: "), "{said:?}");
    for row in &rows {
        let id = row.iter().find(|cell| cell.len() == 7 && !cell.contains(' ')).unwrap();
        place.run(&["why", id]).says(0, &["verdict   "]);
    }
}

#[test]
fn filters_choose_and_the_newest_win() {
    let place = recorded();
    for (words, count) in [
        (vec!["--agent", "codex"], 2),
        (vec!["--agent", "hygge"], 0),
        (vec!["--event", "PreToolUse"], 4),
        (vec!["--event", "Stop"], 0),
        (vec!["--tool", "Bash"], 3),
        (vec!["--verdict", "ask"], 1),
        (vec!["--verdict", "deny"], 3),
        (vec!["--verdict", "keep-going"], 0),
        (vec!["--lost"], 1),
        (vec!["--failed"], 1),
        (vec!["--since", "1h"], 4),
        (vec!["--since", "2001-01-01"], 4),
        (vec!["--since", "2001-01-01T00:00:00Z", "--agent", "codex", "--lost"], 1),
        (vec!["--since", "9999-01-01"], 0),
        (vec!["--session", "nobody"], 0),
        (vec!["--last", "3"], 3),
        (vec!["--last", "0"], 4),
    ] {
        let said = place.run(&[vec!["log"], words.clone()].concat());
        assert_eq!(said.code, Some(0), "{words:?} {said:?}");
        assert_eq!(rows(&said.out).len(), count, "{words:?} {said:?}");
        assert_eq!(said.err.contains("no record like that"), count == 0, "{words:?} {said:?}");
    }
    let last = place.run(&["log", "--last", "1"]);
    assert!(last.out.contains("failed: ") && last.err.contains("the newest 1 of 4"), "{last:?}");
    place.run(&["log", "--agent", "codx"]).says(1, &["no such agent: codx; known agents: "]);
    place.run(&["log", "--verdict", "no"]).says(2, &["no such verdict"]);
    place.run(&["log", "--since", "soon"]).says(2, &["neither a time ago"]);
}

#[test]
fn json_is_the_log_itself() {
    let place = recorded();
    assert_eq!(place.run(&["log", "--json"]).out, place.read(LOG));
    let codex = place.run(&["log", "--json", "--agent", "codex", "--last", "1"]);
    assert_eq!(codex.out.lines().collect::<Vec<_>>(), [place.read(LOG).lines().nth(2).unwrap()]);
}

#[test]
fn a_log_that_is_missing_damaged_or_hostile_is_told_of() {
    let place = Place::new();
    place.run(&["log"]).says(1, &["there is no log yet"]);
    let place = recorded();
    let mut log = place.read(LOG);
    let hostile = log.lines().next().unwrap().replacen("PreToolUse", "\\u001b[2Jgone", 1);
    log.push_str("not a record\n\n{\"id\": 1}\n");
    log.push_str(&hostile);
    place.file(LOG, &log);
    let said = place.run(&["log"]);
    said.says(0, &["\\u{1b}[2Jgone", "2 lines are no records"]);
    assert_eq!(rows(&said.out).len(), 5);
    let named = place.file("elsewhere.jsonl", "");
    place.run(&["log", "--audit", &named]).says(0, &["no record like that"]);
    place.run(&["log", "--audit", &place.at("project")]).says(1, &["project"]);
}
