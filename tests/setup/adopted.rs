//! `snaphook adopt` and `unadopt`.

use crate::place::{Place, fixture};
use crate::{CLAUDE, CODEX, place};

const POLICY: &str = "home/.config/snaphook/snaphook.toml";
const PLUGIN: &str = "home/.claude/plugins/cache/a/b/c/hooks/hooks.json";

fn hooks(event: &str, matcher: &str, hooks: &str) -> String {
    format!(r#"{{"hooks":{{"{event}":[{{"matcher":"{matcher}","hooks":[{hooks}]}}]}}}}"#)
}

fn blocks(place: &Place, agent: &str, stem: &str) -> bool {
    let said = place.fed(&["hook", agent, "--no-audit"], &fixture(agent, stem));
    said.code == Some(2) || said.out.contains("deny_tool") || said.out.contains("\"deny\"")
}

/// The handlers of a policy, each as text.
fn handlers(text: &str) -> Vec<String> {
    text.split("[[handler]]\n").skip(1).map(|table| table.trim_end().to_owned()).collect()
}

#[test]
fn hooks_of_claude_code_hold_for_every_other_agent_and_can_be_given_back() {
    let place = place();
    let before = "[permissions]\nask = [ 'Bash(x)' ]   # mine\n\n# the end\n";
    place.file(POLICY, before);
    let deny = r#"{"type":"command","command":"cat >/dev/null; echo 'not \"here\"' >&2; exit 2","timeout":7.5}"#;
    place.file(CLAUDE, &hooks("PreToolUse", "Bash|Write", deny));
    let settings = place.read(CLAUDE);
    place.answered(&["adopt"], "n\n").says(1, &["Nothing was changed"]);
    place
        .run(&["adopt", "--dry-run"])
        .says(0, &["~/.claude/settings.json: 1 hooks", "PreToolUse(Bash|Write): sh -c cat", "1 handlers are added"]);
    assert_eq!(place.read(POLICY), before);
    place.answered(&["adopt"], "y\n").says(0, &["1 handlers are added"]);
    let adopted = place.read(POLICY);
    assert!(adopted.starts_with(before));
    let [handler] = &*handlers(&adopted) else { panic!("{adopted}") };
    for line in [
        "speaks = \"claude-code\"",
        "events = [\"PreToolUse\"]",
        "matcher = \"Bash|Write\"",
        "deadline = \"7500ms\"",
        "except = [\"claude-code\"]",
        "adopted = \"~/.claude/settings.json\"",
    ] {
        assert!(handler.lines().any(|there| there == line), "{line}: {handler}");
    }
    for (agent, stem) in [
        ("codex", "pre_tool_use_bash"),
        ("docker-agent", "pre_tool_use_shell"),
        ("gemini-cli", "before_tool_run_shell_command"),
        ("hygge", "pre_tool_bash"),
        ("picoclaw", "before_tool_exec"),
    ] {
        assert!(blocks(&place, agent, stem), "{agent}");
    }
    assert!(!blocks(&place, "hygge", "pre_tool_read"));
    // Claude Code still runs the hook itself.
    assert!(!blocks(&place, "claude-code", "pre_tool_use_bash"));
    place.answered(&["adopt"], "y\n").says(0, &["There are no new hooks to adopt."]);
    place.answered(&["unadopt", "codex"], "y\n").says(0, &["There are no adopted hooks of Codex."]);
    place.answered(&["unadopt"], "y\n").says(0, &["1 handlers are removed"]);
    assert_eq!(place.read(POLICY), before);
    assert_eq!(place.read(CLAUDE), settings);
    assert!(!blocks(&place, "hygge", "pre_tool_bash"));
}

#[test]
fn a_hook_that_is_registered_for_one_tool_after_the_other_is_one_handler() {
    let place = place();
    place.file(POLICY, "[permissions]\n");
    let group =
        |matcher: &str| format!(r#"{{"matcher":"{matcher}","hooks":[{{"type":"command","command":"check"}}]}}"#);
    let groups = ["Bash", "Edit|Write", "mcp__.*", ""].map(group).join(",");
    place.file(CLAUDE, &format!(r#"{{"hooks":{{"PreToolUse":[{groups}]}}}}"#));
    place.answered(&["adopt"], "y\n").says(0, &["3 handlers are added"]);
    let adopted = place.read(POLICY);
    let matchers: Vec<_> = adopted.lines().filter_map(|line| line.strip_prefix("matcher = ")).collect();
    assert_eq!(matchers, ["\"Bash|Edit|Write\"", "\"mcp__.*\""]);
}

#[test]
fn plug_ins_and_hooks_that_block_if_they_fail_are_adopted() {
    let place = place();
    place.file(POLICY, "[permissions]\n");
    place.file(
        PLUGIN,
        &hooks(
            "PreToolUse",
            "",
            r#"{"type":"command","command":"test -d \"${CLAUDE_PLUGIN_ROOT}/hooks\" && exit 2"}, {"type":"command","command":"exit 1","onFailure":"block"}"#,
        ),
    );
    place.answered(&["adopt"], "y\n").says(0, &["2 handlers are added"]);
    let adopted = place.read(POLICY);
    let [by_plugin, closed] = &*handlers(&adopted) else { panic!("{adopted}") };
    assert!(by_plugin.contains("command = [\"env\", \"CLAUDE_PLUGIN_ROOT=") && !by_plugin.contains("deadline"));
    for handler in [by_plugin, closed] {
        place.file(POLICY, &format!("[[handler]]\n{}\n", handler.replace("\"env\"", "\"/usr/bin/env\"")));
        assert!(blocks(&place, "codex", "pre_tool_use_bash"), "{handler}");
    }
}

#[test]
fn what_cannot_be_a_handler_is_named_and_snaphook_itself_is_left_out() {
    let place = place();
    place.file(
        CLAUDE,
        &hooks(
            "PreToolUse",
            "",
            r#"{"type":"prompt","prompt":"is it safe?"}, {"type":"command","command":"later","async":true},
               {"type":"command","command":"some","if":"Bash(git *)"}, {"type":"command","command":"good"},
               {"type":"command","command":"/usr/bin/snaphook hook claude-code"}"#,
        ),
    );
    let said = place.run(&["adopt", "--dry-run"]);
    said.says(
        0,
        &[
            "settings.json: 1 hooks",
            "only hooks with type = \"command\" can be handlers",
            "PreToolUse: later: a handler has nothing like `async`",
            "PreToolUse: some: a handler has nothing like `if`",
            "sh -c good",
        ],
    );
    assert!(!said.out.contains("snaphook hook"), "{}", said.out);
}

#[test]
fn hooks_of_a_project_run_only_after_trust() {
    let place = place();
    place.file(POLICY, "[permissions]\n");
    let deny = r#"{"type":"command","command":"exit 2"}"#;
    place.file("project/.claude/settings.json", &hooks("PreToolUse", "Bash", deny));
    place.answered(&["adopt"], "y\n").says(0, &[".snaphook.toml: 1 handlers are added"]);
    let policy = place.read("project/.snaphook.toml");
    assert!(policy.starts_with("[[handler]]\nspeaks"), "{policy}");
    assert_eq!(place.read(POLICY), "[permissions]\n");
    let call = fixture("codex", "pre_tool_use_bash").replace("/home/user/project", &place.at("project"));
    let blocks = || place.fed(&["hook", "codex", "--no-audit"], &call).code == Some(2);
    assert!(!blocks());
    place.answered(&["trust", "."], "y\n").says(0, &["trusted"]);
    assert!(blocks());
}

#[test]
fn hooks_of_other_agents_are_adopted_in_their_own_form() {
    for (agent, file, text, lines) in [
        (
            "codex",
            CODEX,
            hooks("PreToolUse", "^Bash$", r#"{"type":"command","command":"check","timeout":3}"#),
            &["speaks = \"codex\"", "matcher = \"^Bash$\"", "deadline = \"3s\"", "except = [\"codex\"]"][..],
        ),
        (
            "gemini-cli",
            "home/.gemini/settings.json",
            hooks("BeforeTool", "write_.*", r#"{"type":"command","command":"check","timeout":2500}"#),
            &["events = [\"BeforeTool\"]", "deadline = \"2500ms\""],
        ),
        (
            "hygge",
            "home/.config/hygge/hooks.toml",
            "[hooks.guard]\nevents = [\"pre_tool\", \"pre_message\"]\ncommand = \"/opt/guard\"\nargs = [\"-x\"]\ntimeout = \"4s\"\n".to_owned(),
            &["events = [\"pre_tool\", \"pre_message\"]", "command = [\"/opt/guard\", \"-x\"]", "deadline = \"4s\""],
        ),
        (
            "picoclaw",
            "home/.picoclaw/config.json",
            r#"{"version":3,"hooks":{"enabled":true,"processes":{"guard":{"enabled":true,"transport":"stdio","command":["/opt/guard","-x"],"intercept":["before_tool"]}}}}"#.to_owned(),
            &["events = [\"before_tool\"]", "command = [\"/opt/guard\", \"-x\"]"],
        ),
    ] {
        let place = place();
        place.file(POLICY, "[permissions]\n");
        place.file(file, &text);
        place.answered(&["adopt", agent], "y\n").says(0, &["1 handlers are added"]);
        let [handler] = &*handlers(&place.read(POLICY)) else { panic!("{agent}") };
        for line in lines {
            assert!(handler.lines().any(|there| there == *line), "{line}: {handler}");
        }
        assert_eq!(place.read(file), text);
        place.answered(&["unadopt", agent], "y\n").says(0, &["1 handlers are removed"]);
        assert_eq!(place.read(POLICY), "[permissions]\n");
    }
}
