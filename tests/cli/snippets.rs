//! Tests of `snaphook agents AGENT --snippet`: the pasted snippet blocks calls.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rayon::prelude::*;
use snaphook_adapters::model::{HookEvent, Incoming, Reply};
use snaphook_adapters::protocol::{Agent, HookProtocol, Native, Role};
use snaphook_adapters::registry::Registry;
use snaphook_adapters::testing::{Fixture, Suite};
use snaphook_hosts::{Effect, account};

use crate::paste::{Block, Entry, Line, blocks};
use crate::place::{Place, Said};
use crate::skipped::skipped;

/// A folder that every layer of quoting has to keep.
const ODD: &str = "it's my \"own\" $HOME `x` \\ bin";
/// A policy that denies every call; a handler denies events that rules do not cover.
const DENY: &str = r#"
[permissions]
deny = ["*"]
[[handler]]
match = ["PreTool", "PermissionRequest", "Prompt", "Compact"]
command = ["/bin/sh", "-c", "echo '{\"decision\":\"deny\",\"reason\":\"not here\"}'"]
deadline = "20s"
[audit]
file = "AUDIT"
"#;

fn snippet(place: &Place, agent: &Agent, more: &[&str]) -> Said {
    place.run(&[&["agents", agent.id, "--snippet"], more].concat())
}

fn headings(said: &Said) -> Vec<String> {
    assert_eq!(said.code, Some(0), "{said:?}");
    blocks(&said.out).into_iter().map(|block| block.heading).collect()
}

#[test]
fn a_version_selects_its_block_and_without_one_all_are_printed() {
    let place = Place::new();
    for protocol in Registry::standard().iter() {
        let agent = protocol.agent();
        let all: Vec<_> =
            agent.registration.blocks.iter().map(|b| format!("{}, into {}", b.versions, b.file)).collect();
        assert_eq!(headings(&snippet(&place, agent, &[])), all);
        for block in agent.registration.blocks {
            let first = if block.from.is_empty() { "0.0.1" } else { block.from };
            let short = first.trim_end_matches(".0");
            for version in [first, short, &format!("v{first}"), &format!("{first}-rc1")] {
                let fitting = agent.registration.blocks.iter().filter(|block| block.fits(version));
                let wanted: Vec<_> = fitting.map(|b| format!("{}, into {}", b.versions, b.file)).collect();
                assert!(wanted.len() == 1 || agent.registration.takes_every_block(), "{wanted:?}");
                assert_eq!(headings(&snippet(&place, agent, &["--agent-version", version])), wanted);
            }
        }
        let ends: Vec<_> = agent.registration.blocks.iter().map(|block| block.before).collect();
        for end in ends.into_iter().filter(|end| !end.is_empty()) {
            let next = agent.registration.blocks.iter().find(|block| block.from == end).expect(end);
            let heading = format!("{}, into {}", next.versions, next.file);
            assert_eq!(headings(&snippet(&place, agent, &["--agent-version", end])), [heading]);
        }
    }
    let old = place.run(&["agents", "picoclaw", "--snippet", "--agent-version", "0.2.3"]);
    old.says(2, &["snaphook does not know the hooks of picoclaw 0.2.3"]);
    assert!(old.out.is_empty());
}

#[test]
fn every_block_is_well_formed_and_names_absolute_paths_only() {
    let place = Place::with_program_in(ODD);
    let policy = place.at("project/my policy's.toml");
    for protocol in Registry::standard().iter() {
        let written = blocks(&snippet(&place, protocol.agent(), &["--policy", "my policy's.toml"]).out);
        let registered = protocol.agent().registration.blocks;
        assert_eq!(written.len(), registered.len());
        for (block, registered) in written.into_iter().zip(registered) {
            let entries = block.entries();
            assert_eq!(entries.is_empty(), registered.entries.is_empty(), "{}", block.text);
            for Entry { line, .. } in entries {
                match line {
                    Line::Words(words) => {
                        assert_eq!(words[0], place.binary().to_str().unwrap());
                        assert!(words.contains(&policy), "{words:?}");
                        let paths = words.iter().filter(|word| word.contains('/'));
                        assert!(paths.clone().all(|path| Path::new(path).is_absolute()), "{words:?}");
                    }
                    Line::Shell(line) => assert!(line.contains("policy"), "{line}"),
                }
            }
            // Independent of the environment of the tests.
            let home = std::env::var("HOME").unwrap_or_default();
            let ours = place.path("").starts_with(&home);
            assert!(home.len() < 2 || ours || !block.text.contains(&format!("{home}/")), "{}", block.text);
        }
    }
}

#[test]
fn a_snippet_with_a_missing_policy_names_it() {
    let place = Place::new();
    let missing = "does not exist yet. Every call is denied until it does: run snaphook init";
    place.run(&["agents", "hygge", "--snippet"]).says(0, &[missing, ".config/snaphook/snaphook.toml"]);
    place.run(&["init"]).says(0, &[]);
    assert!(!place.run(&["agents", "hygge", "--snippet"]).out.contains("does not exist yet"));
}

/// An agent with its recorded messages, and a policy that denies everything.
struct Bench {
    place: Place,
    suite: Suite,
    policy: String,
}

impl Bench {
    fn all() -> impl Iterator<Item = Self> {
        let registry = Registry::standard();
        let protocols: Vec<_> = registry.iter().collect();
        protocols.into_iter().map(|protocol| {
            let folder = format!("adapters/{}/fixtures", protocol.agent().id.replace('-', "_"));
            let suite = Suite::read(protocol, &Path::new(env!("CARGO_MANIFEST_DIR")).join(folder));
            let place = Place::with_program_in(ODD);
            let policy = place.file("my policy.toml", &DENY.replace("AUDIT", &place.at("audit.jsonl")));
            // Agents that clear the environment of hooks get the log by a flag.
            fs::create_dir_all(place.path("home/.local/state/snaphook")).unwrap();
            std::os::unix::fs::symlink(place.path("audit.jsonl"), place.path("home/.local/state/snaphook/audit.jsonl"))
                .unwrap();
            Self { place, suite, policy }
        })
    }

    fn protocol(&self) -> &'static dyn HookProtocol {
        self.suite.protocol()
    }

    fn blocks(&self) -> Vec<Block> {
        blocks(&snippet(&self.place, self.protocol().agent(), &["--policy", &self.policy]).out)
    }

    /// The recorded messages that would reach this command.
    fn reaching(&self, entry: &Entry) -> Vec<(&Fixture, HookEvent)> {
        let words: Vec<String> = match &entry.line {
            Line::Words(words) => words.clone(),
            Line::Shell(line) => line.split([' ', ';', '\'', ')']).map(str::to_owned).collect(),
        };
        let event = words.iter().position(|word| word == "--event").map(|at| vec![words[at + 1].clone()]);
        let events = event.unwrap_or_else(|| entry.events.clone());
        let role = Role::stated_by(&words);
        let fixtures = self.suite.fixtures().iter().filter(|fixture| fixture.native.line.role == role);
        let parsed = fixtures.filter_map(|fixture| match self.protocol().parse(&fixture.native) {
            Ok(Incoming::Event(event)) if events.iter().any(|name| is_brought(&event, name)) => Some((fixture, *event)),
            _ => None,
        });
        let parsed: Vec<_> = parsed.collect();
        for event in &events {
            let found = parsed.iter().any(|(_, parsed)| is_brought(parsed, event));
            assert!(found, "no message for {event} as {role:?}");
        }
        parsed
    }

    fn run(&self, line: &Line, shell: &str, native: &Native) -> Reply {
        let said = match line {
            Line::Shell(line) => {
                let mut command = self.place.command(shell);
                // The commands need no program from PATH except those of /bin/sh.
                command.args(["-c", line]).env("PATH", "/usr/bin:/bin");
                Said::of(command.stdin(std::process::Stdio::piped()), native.body.as_str())
            }
            Line::Words(words) => {
                let mut command = self.place.command(&words[0]);
                command.args(&words[1..]);
                let mut events = self.protocol().agent().events.iter().map(|row| row.native);
                let hello = events.find(|name| name.ends_with("hello"));
                let greeting = native.connection.modes.as_ref().map(|modes| {
                    format!(
                        "{}\n",
                        serde_json::json!({"jsonrpc": "2.0", "id": 7, "method": hello,
                        "params": {"name": "snaphook", "version": 1, "modes": modes}})
                    )
                });
                let input = format!("{}{}\n", greeting.clone().unwrap_or_default(), native.body.as_str());
                let mut said = Said::of(command.stdin(std::process::Stdio::piped()), &input);
                if greeting.is_some() {
                    said.out.drain(..=said.out.find('\n').unwrap());
                }
                said
            }
        };
        let mut reply = Reply::document(said.out.trim_end_matches('\n'));
        said.err.trim_end().clone_into(&mut reply.stderr);
        reply.exit = said.code.and_then(|code| u8::try_from(code).ok()).unwrap_or(255);
        reply
    }

    /// Returns true if the agent blocks the event in every measured version.
    fn blocked(&self, event: &HookEvent, reply: &Reply) -> bool {
        let host = account(self.protocol().agent().id).unwrap();
        let does: Vec<Effect> = event.row.hosts.iter().map(|id| host.interpret(event, id, reply).effect).collect();
        !does.is_empty() && does.iter().all(|does| does.blocks())
    }

    fn records(&self) -> usize {
        fs::read_to_string(self.place.path("audit.jsonl")).map_or(0, |log| log.lines().count())
    }
}

/// Returns true if a registration for this name brings the event.
fn is_brought(event: &HookEvent, name: &str) -> bool {
    event.native == name || event.row.registered_name() == name
}

/// The shells that may run such a command. Only a script for /bin/sh works in all of them.
fn shells(line: &Line) -> Vec<&'static str> {
    let Line::Shell(text) = line else { return vec![""] };
    let mut shells = vec!["sh", "dash", "bash", "zsh"];
    if text.starts_with("/bin/sh -c ") {
        shells.extend(["fish", "nu"]);
    }
    let here =
        |shell: &&str| ["/bin", "/usr/bin", "/usr/local/bin"].iter().any(|dir| Path::new(dir).join(shell).exists());
    let (here, missing): (Vec<_>, Vec<_>) = shells.into_iter().partition(here);
    for shell in missing {
        skipped(&format!("{shell}: it is not on this machine"));
    }
    here
}

#[test]
fn every_registered_line_blocks_a_denied_call_and_records_it() {
    for bench in Bench::all() {
        for entry in bench.blocks().iter().flat_map(Block::entries) {
            let shells = shells(&entry.line);
            for (n, (fixture, event)) in bench.reaching(&entry).into_iter().enumerate() {
                // The first message is tested with every shell, the others with one.
                for shell in shells.iter().take(if n == 0 { shells.len() } else { 1 }) {
                    let before = bench.records();
                    let reply = bench.run(&entry.line, shell, &fixture.native);
                    let at = format!("{} {} {shell}: {reply:?}", bench.protocol().agent().id, fixture.stem);
                    assert!(!event.row.gates() || bench.blocked(&event, &reply), "{at}");
                    assert!([0, 2].contains(&reply.exit), "{at}");
                    assert!(bench.records() > before, "{at}");
                }
            }
        }
    }
}

#[test]
fn a_registered_line_whose_program_fails_blocks_only_gates() {
    // Written before any program is started: a file that another process could write is not executed.
    let scripts = tempfile::tempdir().unwrap();
    let failures = ["kill -9 $$", "exit 1", "exit 101", "exit 3"].map(|failure| {
        let script = scripts.path().join(failure);
        fs::write(&script, format!("#!/bin/sh\n{failure}\n")).unwrap();
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
        (failure, Some(script))
    });
    let benches: Vec<_> = Bench::all().collect();
    benches.into_par_iter().for_each(|bench| {
        let entries: Vec<_> = bench.blocks().iter().flat_map(Block::entries).collect();
        let program = bench.place.binary();
        for (failure, script) in [("missing", None)].iter().chain(&failures) {
            fs::remove_file(program).ok();
            if let Some(script) = script {
                std::os::unix::fs::symlink(script, program).unwrap();
            }
            // Agents that start the program without a shell detect the failure themselves.
            for entry in entries.iter().filter(|entry| matches!(entry.line, Line::Shell(_))) {
                let mut reaching = bench.reaching(entry);
                reaching.sort_by_key(|(_, event)| !event.row.gates());
                let (fixture, event) = reaching.swap_remove(0);
                for shell in shells(&entry.line) {
                    let reply = bench.run(&entry.line, shell, &fixture.native);
                    let at = format!("`{failure}` {} {shell}: {reply:?}", fixture.stem);
                    if event.row.gates() {
                        assert!(bench.blocked(&event, &reply), "{at}");
                    } else {
                        assert!(reply.exit != 2 && reply.stdout.is_empty(), "{at}");
                    }
                }
            }
        }
    });
}
