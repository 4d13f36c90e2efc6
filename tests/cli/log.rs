//! Tests of `snaphook log`.

use serde_json::json;

use crate::place::{Place, Said, fixture};

const LOG: &str = "home/.local/state/snaphook/audit.jsonl";

/// A log of four calls: a denial for Codex, a pass for Claude Code, an ask that Codex cannot express, and an invalid
/// message.
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

/// The cells of the table, without the heading.
fn rows(out: &str) -> Vec<Vec<&str>> {
    out.lines().skip(1).map(|line| line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect()).collect()
}

#[test]
fn each_call_is_one_line_with_the_decision_and_the_reply() {
    let place = recorded();
    let said = place.run(&["log", "--wide"]);
    said.says(0, &["time", "agent", "event", "tool", "verdict", "sent as", "ms", "id", "lost"]);
    assert_eq!(said.err, "");
    let wide = rows(&said.out);
    let columns = |row: usize, range: std::ops::Range<usize>| wide[row][range].to_vec();
    assert_eq!(columns(0, 1..6), ["codex", "PreToolUse", "Bash", "deny", "exit 2"]);
    assert_eq!(columns(1, 1..6), ["claude-code", "PreToolUse", "Bash", "pass", "silent"]);
    assert_eq!(columns(2, 1..6), ["codex", "PreToolUse", "Bash", "ask > deny", "exit 2"]);
    assert_eq!(columns(3, 1..4), ["claude-code", "PreToolUse", "(PreToolUse)"]);
    let said = place.run(&["log"]);
    // No call was changed or isolated, and no arguments are recorded.
    assert!(!said.out.contains("with") && !said.out.contains("call") && !said.out.contains("sent as"), "{said:?}");
    let rows = rows(&said.out);
    assert_eq!(rows[0][1..4], ["codex", "Bash", "deny"]);
    assert!(rows[2].last().unwrap().contains("ask"), "{said:?}");
    assert!(rows[3].last().unwrap().starts_with("failed: "), "{said:?}");
    for row in &rows {
        let id = row.iter().find(|cell| cell.len() == 7 && !cell.contains(' ')).unwrap();
        place.run(&["why", id]).says(0, &["verdict   "]);
    }
}

#[test]
fn filters_are_combined_and_the_newest_records_are_kept() {
    let place = recorded();
    for (words, count) in [
        (vec!["--agent", "codex"], 2),
        (vec!["--agent", "claude"], 2),
        (vec!["--agent", "hygge"], 0),
        (vec!["--event", "PreToolUse"], 4),
        (vec!["--event", "Stop"], 0),
        (vec!["--tool", "Bash"], 3),
        (vec!["--verdict", "ask"], 1),
        (vec!["--verdict", "DENY"], 3),
        (vec!["--verdict", "keep-going"], 0),
        (vec!["--lost"], 1),
        (vec!["--failed"], 1),
        (vec!["--since", "1h"], 4),
        (vec!["--since", "2001-01-01"], 4),
        (vec!["--since", "2001-01-01T00:00:00Z", "--agent", "codex", "--lost"], 1),
        (vec!["--since", "9999-01-01"], 0),
        (vec!["--since", "2001-01-01T00:00:00+02:00"], 4),
        (vec!["--since", "9999-01-01T00:00:00-12:00"], 0),
        (vec!["--session", "nobody"], 0),
        (vec!["--last", "3"], 3),
        (vec!["--last", "0"], 4),
    ] {
        let said = place.run(&[vec!["log"], words.clone()].concat());
        assert_eq!(said.code, Some(0), "{words:?} {said:?}");
        assert_eq!(rows(&said.out).len(), count, "{words:?} {said:?}");
        assert_eq!(said.err.contains("no matching records"), count == 0, "{words:?} {said:?}");
    }
    let last = place.run(&["log", "--last", "1"]);
    assert!(
        last.out.contains("failed: ") && last.err.contains("showing the newest 1 records; -n 0 shows all"),
        "{last:?}"
    );
    assert!(place.run(&["log", "--last", "4"]).err.is_empty());
    place.run(&["log", "--agent", "codx"]).says(2, &["invalid value 'codx'", "'codex'"]);
    place.run(&["log", "--verdict", "no"]).says(2, &["invalid value 'no'", "pass, allow, ask, deny"]);
    for odd in ["soon", "2001-01-01T00:00:00+2", "2001-01-01T00:00:00+26:00", "2001-01-01T00:00:00+aa:00", "é-é:é"] {
        place.run(&["log", "--since", odd]).says(2, &["expected a duration (30m, 2h, 3days)", "+02:00"]);
    }
}

#[test]
fn a_time_in_another_zone_is_the_same_moment() {
    let place = recorded();
    let log = place.read(LOG);
    let mut record: serde_json::Value = serde_json::from_str(log.lines().next().unwrap()).unwrap();
    record["time"] = "2026-11-22T12:29:00.000Z".into();
    place.file(LOG, &record.to_string());
    for (time, count) in [
        ("2026-11-22T14:29:00+02:00", 1),
        ("2026-11-22T14:29:01+02:00", 0),
        ("2026-11-22T06:59:00-05:30", 1),
        ("2026-11-22 06:59:01-05:30", 0),
        ("2026-11-22T12:29:00Z", 1),
        ("2026-11-22 12:29:01", 0),
    ] {
        assert_eq!(rows(&place.run(&["log", "--since", time]).out).len(), count, "{time}");
    }
}

#[test]
fn columns_stay_aligned_for_names_of_any_length() {
    let place = recorded();
    let first = place.read(LOG).lines().next().unwrap().to_owned();
    let tools = ["日本語のツール".to_owned(), "x".repeat(300), "a\\nb".to_owned()];
    let lines = tools.map(|tool| first.replacen("\"tool\":\"Bash\"", &format!("\"tool\":\"{tool}\""), 1));
    place.file(LOG, &(first + "\n" + &lines.join("\n")));
    let said = place.run(&["log", "--wide"]);
    let lines: Vec<_> = said.out.lines().collect();
    assert_eq!(lines.len(), 5, "{said:?}");
    let wide = |c: char| if c > '\u{2fff}' { 2 } else { 1 };
    assert_eq!(lines[0].find("sent as"), lines[1].find("exit 2"), "{said:?}");
    let starts = lines.iter().skip(1).map(|line| line.split("deny").next().unwrap().chars().map(wide).sum::<usize>());
    let starts: Vec<_> = starts.collect();
    assert!(starts.iter().all(|start| *start == starts[0] && *start < 100), "{starts:?} {said:?}");
    assert!(lines[3].contains("xx…  ") && lines[4].contains("a\\nb  "), "{said:?}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_write_error_is_a_failure_and_a_closed_pipe_is_not() {
    let place = recorded();
    let full = || std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    for words in [&["log"][..], &["log", "--json"], &["agents"]] {
        let output = place.command(place.binary()).args(words).stdout(full()).output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert!(
            output.status.code() == Some(2) && err.contains("standard output cannot be written"),
            "{words:?} {err}"
        );
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = place.command(place.binary()).args(words).stdout(writer).output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{words:?} {output:?}");
    }
}

#[test]
fn a_named_policy_that_is_unusable_is_an_error() {
    let place = recorded();
    let broken = place.file("broken.toml", "[audit\n");
    for command in [&["log"][..], &["why", "abcdefg"]] {
        let with = |more: &[&str]| place.run(&[command, more].concat());
        with(&["--policy", &place.at("nowhere.toml")]).says(2, &["nowhere.toml"]);
        assert!(with(&["--policy", &broken]).says(2, &["broken.toml"]).out.is_empty());
    }
    place.run(&["log", "--policy", &broken, "--audit", &place.at(LOG)]).says(0, &["claude-code"]);
    place.file("home/.config/snaphook/snaphook.toml", "[audit\n");
    place.run(&["log"]).says(0, &["the policy is invalid, so the default log is read", "claude-code"]);
}

/// A log with the arguments of two calls, one of which has a secret.
fn with_inputs() -> Place {
    let place = Place::new();
    let policy = place.file("p.toml", "[permissions]\ndeny = [\"Bash(rm *)\"]\n[audit]\ninputs = \"redacted\"\n");
    for command in ["rm -rf build", "curl -H 'Authorization: Bearer abcdefghijkl' =x"] {
        let message = json!({"session_id": "s", "cwd": place.at("project"), "hook_event_name": "PreToolUse", "tool_name": "Bash",
            "tool_input": {"command": command}});
        place.fed(&["hook", "claude-code", "--policy", &policy], &message.to_string());
    }
    let message = json!({"session_id": "s", "cwd": place.at("project"), "hook_event_name": "PreToolUse", "tool_name": "mcp__x__y",
        "tool_input": {"title": "=cmd|' /C calc'!B2x, \"quoted\""}});
    place.fed(&["hook", "claude-code", "--policy", &policy], &message.to_string());
    place
}

#[test]
fn recorded_commands_are_a_column_without_secrets() {
    let place = with_inputs();
    let said = place.run(&["log"]);
    said.says(
        0,
        &["  call  ", "Bash       rm -rf build", "curl -H 'Authorization: Bearer ***' =x", r#"{"title":"=cmd"#],
    );
    assert!(!said.out.contains("abcdefghijkl"), "{said:?}");
}

#[test]
fn a_spreadsheet_shows_a_text_of_the_model_and_executes_none() {
    let said = with_inputs().run(&["log", "--csv"]);
    let mut lines = said.out.lines();
    assert_eq!(
        lines.next().unwrap(),
        "time,id,agent,event,session,tool,call,wanted,sent,sent as,with,rule,reason,lost,ms"
    );
    let first = lines.next().unwrap();
    assert!(first.contains(",claude-code,PreToolUse,s,Bash,rm -rf build,deny,deny,stdout,,Bash(rm *),"), "{first}");
    assert!(first.contains("Z,"), "{first}");
    assert!(lines.nth(1).unwrap().contains(r#","{""title"":""=cmd|' /C calc'!B2x, \""quoted\""""}","#), "{said:?}");
    let place = recorded();
    let log = place.read(LOG).replace("\"tool\":\"Bash\"", "\"tool\":\"=1+1\"");
    place.file(LOG, &log);
    assert!(place.run(&["log", "--csv"]).out.contains(",'=1+1,"));
}

#[test]
fn times_are_shown_in_the_zone_of_the_user() {
    let place = recorded();
    let mut record: serde_json::Value = serde_json::from_str(place.read(LOG).lines().next().unwrap()).unwrap();
    record["time"] = "2026-11-22T23:29:00.000Z".into();
    place.file(LOG, &record.to_string());
    let in_zone = |words: &[&str]| Said::of(place.command(place.binary()).args(words).env("TZ", "UTC-05:30"), "");
    in_zone(&["log"]).says(0, &["2026-11-23 04:59:00"]);
    in_zone(&["stats"]).says(0, &["1 call from 2026-11-23 04:59:00", "\n2026-11-23  1 "]);
    in_zone(&["log", "--since", "2026-11-23"]).says(0, &["04:59:00"]);
    in_zone(&["log", "--since", "2026-11-23 05:00"]).says(0, &["no matching records"]);
    in_zone(&["log", "--json"]).says(0, &["2026-11-22T23:29:00.000Z"]);
}

#[test]
fn new_records_are_followed_also_into_a_new_file() {
    let place = Place::new();
    let policy = place.file("p.toml", "[permissions]\ndeny = [\"Bash\"]\n[audit]\nrotate_size = 400\n");
    let call = || {
        place.fed(
            &["hook", "codex", "--policy", &policy, "--event", "PreToolUse"],
            &fixture("codex", "pre_tool_use_bash"),
        )
    };
    call();
    let mut child = place.command(place.binary()).args(["log", "-f", "--json"]).spawn().unwrap();
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().unwrap()));
    let mut id = || {
        let line: serde_json::Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        line["id"].as_str().unwrap().to_owned()
    };
    let mut seen = vec![id()];
    for _ in 0..5 {
        call();
        seen.push(id());
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(place.path("home/.local/state/snaphook/audit.jsonl.older").exists());
    let all = place.run(&["log", "--json"]).out;
    let ids = all
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["id"].as_str().unwrap().to_owned());
    assert_eq!(seen, ids.collect::<Vec<_>>());
}

#[test]
fn the_time_of_each_handler_is_recorded_and_shown() {
    let place = Place::new();
    let slow = "[[handler]]\nname = 'sleepy'\nmatch = ['PreTool']\ncommand = ['/bin/sh', '-c', 'cat > /dev/null; /bin/sleep 0.2']\n";
    let broken = "[[handler]]\nname = 'br<ken'\nmatch = ['PreTool']\ncommand = ['/nowhere/broken']\n";
    place.file("home/.config/snaphook/snaphook.toml", &format!("[failure]\nhandler = 'pass'\n{broken}{slow}"));
    place.fed(&["hook", "claude-code"], &fixture("claude-code", "pre_tool_use_bash")).says(0, &[]);
    let record: serde_json::Value = serde_json::from_str(&place.read(LOG)).unwrap();
    let [broken, slow] = [0, 1].map(|at| record["handlers"][at]["ms"].as_f64().unwrap());
    assert_eq!((&record["handlers"][0]["name"], &record["handlers"][1]["name"]), (&json!("br<ken"), &json!("sleepy")));
    assert!(broken < 200.0 && slow >= 200.0 && slow <= record["ms"].as_f64().unwrap(), "{record:#}");
    let stats = place.run(&["stats"]);
    stats.says(0, &["handler  calls  median ms  99 of 100  slowest\nsleepy   1 "]);
    let counts = place.json(&["stats", "--json"]);
    assert_eq!(counts["handlers"]["sleepy"]["calls"], 1);
    assert_eq!(counts["handlers"]["sleepy"]["slowest_ms"], slow);
    place.run(&["log", "--html", "page.html"]).says(0, &[]);
    let page = place.read("project/page.html");
    let table = page.split("<h2>Slowest handlers</h2>").nth(1).unwrap();
    assert!(table.find("sleepy") < table.find("br&lt;ken") && !page.contains("br<ken"), "{table}");
}

#[test]
fn the_time_of_the_command_of_a_response_is_recorded_and_shown() {
    let place = Place::new();
    let respond = "[[respond]]\nmatch = 'Bash(echo *)'\ncommand = ['/bin/sh', '-c', '/bin/sleep 0.2; echo hi']\n";
    place.file("home/.config/snaphook/snaphook.toml", respond);
    place.fed(&["hook", "claude-code"], &fixture("claude-code", "pre_tool_use_bash")).says(0, &["hi"]);
    let record: serde_json::Value = serde_json::from_str(&place.read(LOG)).unwrap();
    assert_eq!(record["handlers"][0]["name"], "respond Bash(echo *)", "{record:#}");
    assert!(record["handlers"][0]["ms"].as_f64().unwrap() >= 200.0, "{record:#}");
    place
        .run(&["stats"])
        .says(0, &["handler               calls  median ms  99 of 100  slowest\nrespond Bash(echo *)  1 "]);
    place.run(&["log", "--html", "page.html"]).says(0, &[]);
    let page = place.read("project/page.html");
    assert!(page.split("<h2>Slowest handlers</h2>").nth(1).unwrap().contains("respond Bash(echo *)"));
}

#[test]
fn stats_count_by_agent_rule_verdict_and_day() {
    let place = recorded();
    let said = place.run(&["stats"]);
    said.says(0, &["4 calls from ", "1 failed, 1 not expressed in full", "rule that decided", "99 of 100 within"]);
    let rows: Vec<Vec<_>> = said.out.lines().map(|line| line.split_whitespace().collect()).collect();
    for row in [vec!["agent", "calls", "pass", "deny"], vec!["codex", "2", "-", "2"], vec!["Bash", "2", "-", "2"]] {
        assert!(rows.contains(&row), "{row:?} {said:?}");
    }
    let counts = place.json(&["stats", "--json"]);
    assert_eq!((&counts["all"]["calls"], &counts["agents"]["codex"]["deny"]), (&json!(4), &json!(2)), "{counts}");
    place.run(&["stats", "--agent", "hygge"]).says(2, &["no matching records"]);
    assert_eq!(place.json(&["stats", "--agent", "hygge", "--json"])["all"]["calls"], 0);
}

#[test]
fn the_last_stopped_call_needs_no_id() {
    let place = recorded();
    place.run(&["why", "last"]).says(0, &["claude-code", "failure"]);
    let log: Vec<_> = place.read(LOG).lines().map(str::to_owned).collect();
    place.file(LOG, &format!("{}\n{}\n", log[0], log[1]));
    place.run(&["why", "last"]).says(0, &["codex", "verdict   deny"]);
    place.file(LOG, &log[1]);
    place.run(&["why", "last"]).says(2, &["no call was denied, asked about or failed"]);
}

/// The peak memory of a process, in KiB.
#[cfg(target_os = "linux")]
fn held(command: &mut std::process::Command) -> u64 {
    let mut child = command.spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut out = child.stdout.take().unwrap();
    let mut first = [0; 1];
    std::io::Read::read_exact(&mut out, &mut first).unwrap();
    let mut most = 0;
    let mut piece = vec![0; 1 << 20];
    loop {
        let status = std::fs::read_to_string(&status).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        most = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(most).max(most);
        if std::io::Read::read(&mut out, &mut piece).unwrap() == 0 {
            break;
        }
    }
    child.wait().unwrap();
    most
}

#[test]
#[cfg(target_os = "linux")]
fn a_long_log_is_read_in_pieces() {
    let place = recorded();
    let mut record: serde_json::Value = serde_json::from_str(place.read(LOG).lines().next().unwrap()).unwrap();
    record["reason"] = "no ".repeat(4 << 10).into();
    let (line, size) = (format!("{record}\n"), 32 << 20);
    place.file(LOG, &line.repeat(size / line.len()));
    for words in [&["log", "--json", "--last", "0"][..], &["log", "--last", "0"]] {
        let most = held(place.command(place.binary()).args(words));
        assert!(most > 0 && most < size as u64 / 1024 * 2 / 3, "{words:?}: {most} KiB");
    }
    let said = place.run(&["log", "--last", "2"]);
    assert_eq!(rows(&said.out).len(), 2, "{said:?}");
    assert!(said.err.contains("showing the newest 2 records; -n 0 shows all"), "{said:?}");
}

#[test]
fn json_output_equals_the_log() {
    let place = recorded();
    assert_eq!(place.run(&["log", "--json"]).out, place.read(LOG));
    let codex = place.run(&["log", "--json", "--agent", "codex", "--last", "1"]);
    assert_eq!(codex.out.lines().collect::<Vec<_>>(), [place.read(LOG).lines().nth(2).unwrap()]);
}

#[test]
fn a_missing_damaged_or_hostile_log_is_reported() {
    let place = Place::new();
    place.run(&["log"]).says(2, &["the log does not exist yet"]);
    let place = recorded();
    let mut log = place.read(LOG);
    let hostile = log.lines().next().unwrap().replacen("PreToolUse", "\\u001b[2Jgone", 1);
    log.push_str("not a record\n\n{\"id\": 1}\n");
    log.push_str(&hostile);
    place.file(LOG, &log);
    let said = place.run(&["log", "--wide"]);
    said.says(0, &["\\u{1b}[2Jgone", "2 lines are not valid records"]);
    assert_eq!(rows(&said.out).len(), 5);
    place.file(LOG, "{}\n");
    place.run(&["log"]).says(0, &["1 line is not a valid record"]);
    let named = place.file("elsewhere.jsonl", "");
    place.run(&["log", "--audit", &named]).says(0, &["no matching records"]);
    place.run(&["log", "--audit", &place.at("project")]).says(2, &["project"]);
}

#[test]
fn older_files_of_the_log_are_read_like_the_newest() {
    let place = Place::new();
    let policy = place.file("p.toml", "[permissions]\ndeny = [\"Bash\"]\n[audit]\nrotate_size = 400\n");
    for _ in 0..5 {
        place.fed(
            &["hook", "codex", "--policy", &policy, "--event", "PreToolUse"],
            &fixture("codex", "pre_tool_use_bash"),
        );
    }
    let older = || std::fs::read_dir(place.at("home/.local/state/snaphook/audit.jsonl.older")).unwrap().count();
    assert!(older() >= 2, "{}", older());
    let said = place.run(&["log"]);
    let rows = rows(&said.out);
    assert_eq!(rows.len(), 5, "{said:?}");
    for row in &rows {
        let id = row.iter().find(|cell| cell.len() == 7 && !cell.contains(' ')).unwrap();
        place.run(&["why", id]).says(0, &["Bash says deny"]);
    }
    assert_eq!(place.run(&["log", "--json", "--last", "0"]).out.lines().count(), 5);
    std::fs::remove_file(place.at(LOG)).unwrap();
    place.run(&["log"]).says(0, &["codex"]);
}

#[test]
fn a_rotation_without_sense_is_an_error() {
    let place = Place::new();
    for (text, says) in [
        ("rotate_size = 0", "audit.rotate_size: invalid size"),
        ("rotate_days = 0", "audit.rotate_days: invalid number of days; expected a positive number such as `30`"),
        ("keep_days = \"90\"", "audit.keep_days: invalid number of days"),
    ] {
        let policy = place.file("p.toml", &format!("[audit]\n{text}\n"));
        place.run(&["policy", "check", &policy]).says(1, &[says]);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn init_asks_once_whether_commands_are_recorded() {
    const POLICY: &str = "home/.config/snaphook/snaphook.toml";
    for (answer, is_recorded) in [("y\n", true), ("n\n", false), ("\n", false)] {
        let place = Place::new();
        place.answered(&["init"], answer).says(0, &["wrote ", "with secrets masked?"]);
        assert_eq!(place.read(POLICY).ends_with("\n[audit]\ninputs = \"redacted\"\n"), is_recorded, "{answer:?}");
        place.run(&["policy", "check"]).says(0, &[]);
    }
    // An agent has no terminal of its own.
    let place = Place::new();
    assert!(!place.run(&["init"]).says(0, &["wrote "]).out.contains("masked"));
    assert!(!place.read(POLICY).contains("\n[audit]"));
}

#[test]
fn a_page_for_a_browser_shows_texts_of_the_model_as_text() {
    let place = with_inputs();
    let log = place.read(LOG).replace("rm -rf build", "rm -rf <script>alert(1)</script>&amp; \\u001b[2J");
    place.file(LOG, &log);
    place.run(&["log", "--html", "page.html"]).says(0, &[]);
    let page = place.read("project/page.html");
    for part in [
        "<title>snaphook log</title>",
        "<b>3</b>calls",
        "&lt;script&gt;alert(1)&lt;/script&gt;&amp;amp; \\u{1b}[2J",
        "Bash(rm *)",
        "***",
    ] {
        assert!(page.contains(part), "{part}\n{page}");
    }
    // Nothing is executed or loaded.
    for part in ["<script", "{{", "http:", "https:", "url(", "abcdefghijkl"] {
        assert!(!page.contains(part), "{part}\n{page}");
    }
    #[cfg(unix)]
    {
        let mode =
            std::os::unix::fs::PermissionsExt::mode(&place.path("project/page.html").metadata().unwrap().permissions());
        assert_eq!(mode & 0o777, 0o600);
    }
    let page = |words: &[&str]| {
        place.run(&[&["log", "--html", "page.html"], words].concat()).says(0, &[]);
        place.read("project/page.html")
    };
    assert!(page(&["-n", "1"]).contains("<b>1</b>calls"));
    // A log without a matching record is a page too.
    assert!(page(&["--agent", "codex"]).contains("<b>0</b>calls"));
    place.run(&["log", "--html", "."]).says(2, &[".: "]);
    place.run(&["log", "--html", "page.html", "--json"]).says(2, &["cannot be used with"]);
}
