//! The commands that an agent runs when it loads a skill.

use super::*;
use crate::STARTER;

/// A home folder that contains a project, and a policy for both.
pub(super) struct TestHome(pub(super) tempfile::TempDir);

impl TestHome {
    pub(super) fn new() -> Self {
        let shelf = Self(tempfile::tempdir().unwrap());
        std::fs::create_dir_all(shelf.0.path().join("w/app/sub")).unwrap();
        shelf
    }

    pub(super) fn file(&self, path: &str, text: &str) {
        let path = self.0.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// A call that an agent makes in `w/app/sub`.
    pub(super) fn event(&self, agent: &str, tool: &str, input: &str) -> HookEvent {
        let registry = Registry::standard();
        let agent = registry.get(agent).unwrap().agent();
        let call = ToolCall::new(tool, Raw::document("{}"), Vec::new());
        let row = agent.events.iter().find(|row| row.kind == EventKind::PreTool).unwrap();
        let mut event = HookEvent::new(agent, row, Raw::document("{}"));
        event.cwd = Some(self.0.path().join("w/app/sub").to_str().unwrap().to_owned());
        event.project.clone_from(&event.cwd);
        event.detail = Detail::Tool(call.with_input(agent, Raw::document(input)).unwrap());
        event
    }

    /// With `None`, the starter policy is used.
    fn judged(&self, text: Option<&str>, agent: &str, tool: &str, input: &str) -> Judged {
        let event = self.event(agent, tool, input);
        let machine = TestMachine::of_user(self.0.path());
        let policy = match text {
            Some(text) => policy_on(text, machine),
            None => policy_of(PolicySource::embedded(STARTER, "starter"), machine),
        };
        judged_by(&policy, &event)
    }

    pub(super) fn kind(&self, text: &str, tool: &str, input: &str) -> VerdictKind {
        self.judged(Some(text), "claude-code", tool, input).verdict.kind()
    }
}

#[test]
fn the_shell_lines_of_a_skill_are_judged_as_commands() {
    let shelf = TestHome::new();
    shelf.file("w/app/.claude/skills/quiet/SKILL.md", "---\nname: quiet\n---\nNothing runs.\n");
    shelf.file("w/app/.claude/skills/status/SKILL.md", "State: !`git status`\n```!\nls -l\n```\n");
    shelf.file("w/app/.claude/skills/push/SKILL.md", "!`git push`");
    shelf.file("w/app/.claude/commands/fix/one.md", "!`git push`");
    shelf.file("w/app/sub/.claude/skills/other/SKILL.md", "---\nname: 'titled'\n---\n!`git push`");
    shelf.file(".claude/skills/home/SKILL.md", "!`git push`");
    shelf.file(".claude/plugins/cache/m/p/1/skills/plugged/SKILL.md", "!`git push`");
    shelf.file("w/app/.claude/skills/asks/SKILL.md", "Look at $ARGUMENTS.");
    shelf.file("w/app/.claude/skills/fills/SKILL.md", "!`git $ARGUMENTS`");
    shelf.file("w/app/.claude/skills/numbers/SKILL.md", "!`git $1`");
    shelf.file("w/app/.claude/skills/bangs/SKILL.md", "!$ARGUMENTS");
    shelf.file("w/app/.claude/skills/bang/SKILL.md", "!$0");
    shelf.file("w/app/low/.claude/skills/quiet/SKILL.md", "!`git push`");
    shelf.file("w/app/.claude/skills/hooks/SKILL.md", "---\nhooks:\n  PreToolUse: []\n---\n");
    shelf.file(".agents/skills/push/SKILL.md", "!`git push`");
    shelf.file("w/app/.claude/skills/quiet/more.md", "!`git push`");
    let text = rules("'Bash(git push *)'", "", "'Tool(Skill)', 'Bash(git status)', 'Bash(ls *)'");
    for (tool, input, verdict) in [
        ("Skill", r#"{"skill":"quiet"}"#, VerdictKind::Allow),
        ("Skill", r#"{"skill":"status"}"#, VerdictKind::Allow),
        ("Skill", r#"{"skill":"push"}"#, VerdictKind::Deny),
        ("Skill", r#"{"skill":"PUSH"}"#, VerdictKind::Deny),
        ("Skill", r#"{"command":"push"}"#, VerdictKind::Deny),
        ("SlashCommand", r#"{"command":"/fix:one now"}"#, VerdictKind::Deny),
        ("Skill", r#"{"skill":"titled"}"#, VerdictKind::Deny),
        ("Skill", r#"{"skill":"home"}"#, VerdictKind::Deny),
        ("Skill", r#"{"skill":"p:plugged"}"#, VerdictKind::Deny),
        ("Skill", r#"{"skill":"asks","args":"src"}"#, VerdictKind::Allow),
        ("Skill", r#"{"skill":"asks","args":"!`git push`"}"#, VerdictKind::Deny),
        ("Skill", r#"{"skill":"quiet","args":["!`git push`"]}"#, VerdictKind::Deny),
        ("Skill", r#"{"skill":"fills","args":"push"}"#, VerdictKind::Deny),
        ("Skill", r#"{"skill":"numbers","args":"push"}"#, VerdictKind::Deny),
        ("Skill", r#"{"skill":"bangs","args":"`git push`"}"#, VerdictKind::Deny),
        ("Skill", r#"{"skill":"bang","args":"'`git push`'"}"#, VerdictKind::Deny),
        // A folder below has a skill of the same name, or one that was not found.
        ("Skill", r#"{"skill":"low:quiet"}"#, VerdictKind::Deny),
        ("Skill", r#"{"skill":"elsewhere:quiet"}"#, VerdictKind::Deny),
        ("Skill", r#"{"skill":"hooks"}"#, VerdictKind::Deny),
        ("Skill", r#"{"skill":"absent"}"#, VerdictKind::Deny),
        ("Skill", "{}", VerdictKind::Deny),
    ] {
        assert_eq!(shelf.kind(&text, tool, input), verdict, "{tool} {input}");
    }
    for (tool, input, verdict) in [
        ("read_skill", r#"{"name":"push"}"#, VerdictKind::Deny),
        ("run_skill", r#"{"name":"home","task":"t"}"#, VerdictKind::Deny),
        ("read_skill_file", r#"{"skill_name":"quiet","path":"more.md"}"#, VerdictKind::Deny),
        ("read_skill", r#"{"name":"quiet"}"#, VerdictKind::Pass),
    ] {
        let judgement = shelf.judged(Some(&text), "docker-agent", tool, input);
        assert_eq!(judgement.verdict.kind(), verdict, "{tool} {input}");
    }
}

#[test]
fn an_unreadable_skill_is_never_allowed_and_matches_every_deny_and_ask_rule_for_commands() {
    let shelf = TestHome::new();
    let absent = r#"{"skill":"absent"}"#;
    for (text, verdict) in [
        (rules("'Bash(git push *)'", "", ""), VerdictKind::Deny),
        (rules("'Bash'", "", ""), VerdictKind::Deny),
        (rules("", "'Bash(git push *)'", "'Tool(Skill)'"), VerdictKind::Ask),
        (rules("'Edit(.env)'", "", "'Tool(Skill)', 'Bash'"), VerdictKind::Pass),
        (format!("{}[shell]\nnot_understood = 'ask'\n", rules("", "", "'Tool(Skill)'")), VerdictKind::Ask),
        // A long policy.
        (rules(&format!("{}'Bash(git push *)'", "'Bash(a b c)', ".repeat(300)), "", ""), VerdictKind::Deny),
    ] {
        assert_eq!(shelf.kind(&text, "Skill", absent), verdict, "{text:.120}");
    }
    let reason = shelf.judged(Some(&rules("'Bash(git push *)'", "", "")), "claude-code", "Skill", absent);
    let reason = reason.verdict.reason();
    assert!(reason.ends_with("it could match the commands of skill `absent`: its file was not found"), "{reason}");
    assert_eq!(shelf.judged(None, "claude-code", "Skill", absent).verdict.kind(), VerdictKind::Pass);

    let denies = rules("'Bash(git push *)'", "", "'Tool(Skill)'");
    shelf.file("w/app/.claude/skills/large/SKILL.md", &"x".repeat((1 << 20) + 1));
    assert_eq!(shelf.kind(&denies, "Skill", r#"{"skill":"large"}"#), VerdictKind::Deny);
    let fifo = shelf.0.path().join("w/app/.claude/skills/fifo");
    std::fs::create_dir_all(&fifo).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        fifo.join("SKILL.md"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
        0,
    )
    .unwrap();
    assert_eq!(shelf.kind(&denies, "Skill", r#"{"skill":"fifo"}"#), VerdictKind::Deny);
    // A link that makes a folder contain itself does not cause an endless search.
    std::os::unix::fs::symlink("..", shelf.0.path().join("w/app/.claude/skills/loop")).unwrap();
    assert_eq!(shelf.kind(&denies, "Skill", r#"{"skill":"none"}"#), VerdictKind::Deny);
}

#[test]
fn a_skill_is_allowed_only_if_every_command_it_may_run_is_known() {
    let home = TestHome::new();
    let text = rules("'Bash(git push *)'", "'Bash'", "'Tool(Skill)'");
    for (name, file, args, verdict) in [
        // Front matter is the block at the start only.
        ("a", "---\nname: a\nhooks: x\n---\n", "", VerdictKind::Deny),
        ("b", "---\nname: b\n---\nhooks: x\n", "", VerdictKind::Allow),
        ("c", "hooks: x\n", "", VerdictKind::Allow),
        ("d", "---\nname: d\n  hooks: x\n---\n", "", VerdictKind::Deny),
        // Arguments that become part of a command, by any of their names.
        ("e", "!`ls $ARGUMENTS[0]`", "x", VerdictKind::Deny),
        ("f", "!`ls $0`", "x", VerdictKind::Deny),
        ("g", "!`ls $X`", "x", VerdictKind::Ask),
        ("h", "---\narguments: [X]\n---\n!`ls $X`", "x", VerdictKind::Deny),
        ("i", "!`ls $1`", "", VerdictKind::Ask),
        ("j", "Costs 5$ and $1.", "x", VerdictKind::Allow),
        // Arguments with a command in them.
        ("k", "Look at $1.", "!`ls`", VerdictKind::Deny),
        ("l", "Look at $ARGUMENTS[1].", "`ls`", VerdictKind::Deny),
        ("m", "---\narguments: [X]\n---\nLook at $X.", "!x", VerdictKind::Deny),
        ("n", "---\narguments: [X]\n---\nLook.", "!x", VerdictKind::Allow),
        ("o", "Look at $X.", "!x", VerdictKind::Allow),
        ("p", "Look at $.", "!x", VerdictKind::Allow),
        ("q", "Look: $ARGUMENTS", "!x", VerdictKind::Allow),
        ("r", "Look.", "!`ls`", VerdictKind::Ask),
        // Text that is not a command.
        ("s", "Use `ls` and !`` and ! `x`.", "", VerdictKind::Allow),
        ("t", "An open !`git push", "", VerdictKind::Allow),
        ("u", "```sh\ngit push\n```\n", "", VerdictKind::Allow),
        ("v", "```!\ngit push", "", VerdictKind::Allow),
    ] {
        home.file(&format!("w/app/.claude/skills/{name}/SKILL.md"), file);
        let input = format!("{{\"skill\":\"{name}\",\"args\":{}}}", Raw::string(args).as_str());
        assert_eq!(home.kind(&text, "Skill", &input), verdict, "{file} {args}");
    }
}

#[test]
fn a_powershell_skill_is_read_as_powershell() {
    let home = TestHome::new();
    home.file("w/app/.claude/skills/posix/SKILL.md", "!`ls 'a'`");
    home.file("w/app/.claude/skills/power/SKILL.md", "---\nshell: PowerShell\n---\n!`ls 'a'`");
    let text = rules("", "", "'Tool(Skill)', 'Bash(ls *)'");
    assert_eq!(home.kind(&text, "Skill", r#"{"skill":"posix"}"#), VerdictKind::Allow);
    assert_eq!(home.kind(&text, "Skill", r#"{"skill":"power"}"#), VerdictKind::Pass);
}

#[test]
fn a_skill_is_found_by_its_folder_its_file_or_its_title() {
    let home = TestHome::new();
    for (path, file) in [
        ("w/app/.claude/skills/one/SKILL.md", "Quiet."),
        ("w/app/.claude/skills/group/two/SKILL.md", "Quiet."),
        ("w/app/.claude/commands/three.md", "Quiet."),
        ("w/app/.claude/commands/group/four.MD", "Quiet."),
        ("w/app/.claude/skills/x/SKILL.md", "---\nname: \"Five\"\n---\nQuiet."),
        ("w/app/.claude/skills/y/notes.md", "---\nname: six\n---\nQuiet."),
        ("w/app/.claude/skills/seven/notes.md", "Quiet."),
        ("w/app/.claude/skills/eight/notes.txt", "Quiet."),
        ("w/app/.claude/skills/node_modules/nine/SKILL.md", "Quiet."),
        ("w/app/.claude/skills/.git/ten/SKILL.md", "Quiet."),
        ("w/app/.claude/skills/1/2/3/4/5/6/7/8/deep/SKILL.md", "Quiet."),
        ("w/app/.claude/skills/1/2/3/4/5/6/7/8/9/deeper/SKILL.md", "Quiet."),
        (".claude/plugins/cache/m/p/1/skills/plugged/SKILL.md", "Quiet."),
        ("shared/linked/SKILL.md", "Quiet."),
        ("w/app/low/.claude/skills/inner/SKILL.md", "Quiet."),
    ] {
        home.file(path, file);
    }
    let link = home.0.path().join("w/app/.claude/skills/link");
    std::os::unix::fs::symlink(home.0.path().join("shared"), link).unwrap();
    let late = format!("{}name: late\n", "x\n".repeat(70));
    home.file("w/app/.claude/skills/z/SKILL.md", &late);
    let text = rules("'Bash(git push *)'", "", "'Tool(Skill)'");
    for (name, verdict) in [
        ("one", VerdictKind::Allow),
        ("/one", VerdictKind::Allow),
        ("one with words", VerdictKind::Allow),
        ("two", VerdictKind::Allow),
        ("group:two", VerdictKind::Allow),
        ("other:two", VerdictKind::Deny),
        ("three", VerdictKind::Allow),
        ("group:four", VerdictKind::Allow),
        ("group/four", VerdictKind::Allow),
        ("five", VerdictKind::Allow),
        ("x", VerdictKind::Allow),
        ("six", VerdictKind::Deny),
        ("seven", VerdictKind::Deny),
        ("eight", VerdictKind::Deny),
        ("nine", VerdictKind::Deny),
        ("ten", VerdictKind::Deny),
        ("deep", VerdictKind::Allow),
        ("deeper", VerdictKind::Deny),
        ("plugged", VerdictKind::Allow),
        ("p:plugged", VerdictKind::Allow),
        ("q:plugged", VerdictKind::Deny),
        ("linked", VerdictKind::Allow),
        ("low:inner", VerdictKind::Allow),
        ("late", VerdictKind::Deny),
    ] {
        assert_eq!(home.kind(&text, "Skill", &format!("{{\"skill\":\"{name}\"}}")), verdict, "{name}");
    }
}

#[test]
fn a_plug_in_counts_only_if_no_other_folder_has_the_skill() {
    let home = TestHome::new();
    home.file(".claude/plugins/p/skills/both/SKILL.md", "!`git push`");
    let text = rules("'Bash(git push *)'", "", "'Tool(Skill)'");
    let both = r#"{"skill":"both"}"#;
    assert_eq!(home.kind(&text, "Skill", both), VerdictKind::Deny);
    home.file("w/app/.claude/skills/both/SKILL.md", "Quiet.");
    assert_eq!(home.kind(&text, "Skill", both), VerdictKind::Allow);
}

#[test]
fn a_skill_search_that_reaches_its_limits_is_reported() {
    let text = rules("'Bash(git push *)'", "", "'Tool(Skill)'");
    let quiet = r#"{"skill":"quiet"}"#;
    let ends = |home: &TestHome, end: &str| {
        let judgement = home.judged(Some(&text), "claude-code", "Skill", quiet);
        let reason = judgement.verdict.reason();
        assert!(reason.ends_with(end), "{reason}");
    };
    let full = "the skill folders contain too many files";
    // Files of other skills that cannot be read do not matter, but one of this name does.
    let home = TestHome::new();
    home.file("w/app/.claude/skills/quiet/SKILL.md", "Quiet.");
    home.file("w/app/.claude/skills/large/SKILL.md", &"x".repeat((1 << 20) + 1));
    assert_eq!(home.kind(&text, "Skill", quiet), VerdictKind::Allow);
    home.file(".claude/skills/quiet/SKILL.md", &"x".repeat((1 << 20) + 1));
    ends(&home, full);
    // Four mebibytes of skills are read, and no more.
    let home = TestHome::new();
    home.file("w/app/.claude/skills/quiet/SKILL.md", "Quiet.");
    for at in 0..3 {
        home.file(&format!("w/app/.claude/skills/{at}/SKILL.md"), &"x".repeat(1 << 20));
    }
    let rest = (1 << 20) - "Quiet.".len();
    home.file("w/app/.claude/skills/3/SKILL.md", &"x".repeat(rest));
    assert_eq!(home.kind(&text, "Skill", quiet), VerdictKind::Allow);
    home.file("w/app/.claude/skills/3/SKILL.md", &"x".repeat(rest + 1));
    ends(&home, full);
    // So many entries of folders are looked at, whatever they are.
    let home = TestHome::new();
    home.file("w/app/.claude/skills/quiet/SKILL.md", "Quiet.");
    for at in 0..8190 {
        home.file(&format!(".claude/skills/{at}"), "");
    }
    assert_eq!(home.kind(&text, "Skill", quiet), VerdictKind::Allow);
    home.file(".claude/skills/more", "");
    ends(&home, full);
}

#[test]
fn the_file_of_a_skill_that_cannot_be_read_is_not_understood() {
    let home = TestHome::new();
    home.file(".agents/skills/quiet/SKILL.md", "Quiet.");
    home.file(".agents/skills/quiet/more.md", "Quiet.");
    let text = rules("'Bash(git push *)'", "", "'Tool(read_skill_file)'");
    for (path, verdict) in [("more.md", VerdictKind::Allow), ("absent.md", VerdictKind::Deny)] {
        let input = format!("{{\"skill_name\":\"quiet\",\"path\":\"{path}\"}}");
        let judgement = home.judged(Some(&text), "docker-agent", "read_skill_file", &input);
        assert_eq!(judgement.verdict.kind(), verdict, "{path}");
    }
}

#[test]
fn without_a_working_directory_skills_are_found_at_home_and_at_absolute_places() {
    let home = TestHome::new();
    home.file("mine/quiet/SKILL.md", "Quiet.");
    home.file(".mine/quiet/SKILL.md", "Quiet.");
    let mine: &'static str = home.0.path().join("mine").to_str().unwrap().to_owned().leak();
    let text = rules("'Bash(git push *)'", "", "'Tool(Skill)'");
    let policy = policy_on(&text, TestMachine::of_user(home.0.path()));
    for (place, verdict) in [(mine, VerdictKind::Allow), ("~/.mine", VerdictKind::Allow), (".mine", VerdictKind::Deny)]
    {
        let mut event = home.event("claude-code", "Skill", r#"{"skill":"quiet"}"#);
        event.cwd = None;
        let Detail::Tool(call) = &mut event.detail else { unreachable!() };
        call.skill.as_mut().unwrap().places = Box::leak(Box::new([place]));
        assert_eq!(judged_by(&policy, &event).verdict.kind(), verdict, "{place}");
    }
}

#[test]
fn a_rule_names_the_skill_that_a_call_loads() {
    let home = TestHome::new();
    home.file("w/app/.claude/skills/deploy/SKILL.md", "Nothing runs.");
    for (rules, tool, input, verdict) in [
        ("deny = ['Skill(deploy)']", "Skill", r#"{"skill":"deploy","args":"prod"}"#, VerdictKind::Deny),
        ("deny = ['Skill(deploy)']", "SlashCommand", r#"{"command":"/deploy prod"}"#, VerdictKind::Deny),
        ("ask = ['SlashCommand(/deploy:*)']", "Skill", r#"{"skill":"Deploy"}"#, VerdictKind::Ask),
        ("deny = ['Skill']", "Skill", r#"{"skill":"other"}"#, VerdictKind::Deny),
        ("deny = ['Skill(deploy)']", "Skill", r#"{"skill":"quiet"}"#, VerdictKind::Pass),
        ("deny = ['Skill']", "Read", r#"{"file_path":"/w/x"}"#, VerdictKind::Pass),
        ("allow = ['Skill(deploy)']", "Skill", r#"{"skill":"deploy"}"#, VerdictKind::Allow),
        ("allow = ['Skill(deploy)']", "Skill", r#"{"skill":"deploy","args":"prod"}"#, VerdictKind::Pass),
        ("allow = ['Skill(deploy *)']", "Skill", r#"{"skill":"deploy","args":"prod"}"#, VerdictKind::Allow),
        ("deny = ['TodoWrite']", "TodoWrite", "{}", VerdictKind::Deny),
        ("deny = ['KillShell(x)']", "KillShell", "{}", VerdictKind::Deny),
        ("allow = ['KillShell(x)']", "KillShell", "{}", VerdictKind::Pass),
        ("deny = ['PowerShell(Remove-Item *)']", "PowerShell", r#"{"command":"Remove-Item x"}"#, VerdictKind::Deny),
        ("deny = ['PowerShell(Remove-Item *)']", "PowerShell", r#"{"command":"Get-Item x"}"#, VerdictKind::Pass),
        ("deny = ['PowerShell(ls *)']", "Bash", r#"{"command":"ls \"$X\" $(y"}"#, VerdictKind::Pass),
    ] {
        assert_eq!(home.kind(&format!("[permissions]\n{rules}"), tool, input), verdict, "{rules} {tool} {input}");
    }
}
