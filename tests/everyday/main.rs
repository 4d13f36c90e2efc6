//! Measures how many everyday commands the deny and ask rules of a careful user hold up.

#![expect(clippy::unwrap_used, reason = "helpers of a test fail like it")]

use serde::Deserialize;
use snaphook_adapters::model::VerdictKind;
use snaphook_adapters::raw::json_string;

#[path = "../common/commands.rs"]
mod commands;

use self::commands::{Group, Judge};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Corpus {
    deny: Vec<String>,
    ask: Vec<String>,
    allow: Vec<String>,
    group: Vec<Group>,
}

fn judge(deny: &[String], ask: &[String], allow: &[String]) -> Judge {
    let list = |rules: &[String]| rules.iter().map(|rule| json_string(rule)).collect::<Vec<_>>().join(", ");
    let (deny, ask, allow) = (list(deny), list(ask), list(allow));
    Judge::by(&format!("[permissions]\ndeny = [{deny}]\nask = [{ask}]\nallow = [{allow}]\n"))
}

#[test]
fn deny_and_ask_rules_rarely_hold_up_everyday_commands() {
    let corpus: Corpus = toml::from_str(include_str!("commands.toml")).unwrap();
    let plain = judge(&[], &[], &corpus.allow);
    let careful = judge(&corpus.deny, &corpus.ask, &corpus.allow);
    let (mut lines, mut allowed, mut held_up, mut denied) = (0, 0, 0, 0);
    for group in &corpus.group {
        for line in &group.lines {
            lines += 1;
            let (verdict, causes) = careful.verdict(line);
            if verdict == VerdictKind::Deny {
                denied += 1;
                println!("denied ({}): {line}\n    {causes}", group.kind);
            }
            if plain.verdict(line).0 != VerdictKind::Allow {
                continue;
            }
            allowed += 1;
            if verdict != VerdictKind::Allow {
                held_up += 1;
                println!("{} ({}): {line}\n    {causes}", verdict.word(), group.kind);
            }
        }
    }
    println!(
        "{lines} lines; {allowed} are allowed without deny and ask rules; of these {held_up} are held up; {denied} denied"
    );
    assert!(lines >= 500 && allowed * 10 >= lines * 9, "{allowed} of {lines} lines are allowed");
    assert_eq!(denied, 0);
    assert!(held_up * 50 <= allowed, "{held_up} of {allowed} lines are held up");
}
