mod errors;
mod project_files;

use std::path::Path;
use std::time::SystemTime;

use snaphook_adapters::model::{Decision, HookEvent, VerdictKind};
use snaphook_adapters::protocol::HookProtocol;
use snaphook_adapters::registry::Registry;
use snaphook_policy::{Handler, OnFailure, PolicyFault};

use super::UserPolicy;
use crate::decide::Deciders;
use crate::policy::{LoadedPolicy, Places, trust};
use crate::testing::{registry, shell};

struct FixedDeciders;

impl Deciders for FixedDeciders {
    fn handler(&mut self, handler: &Handler, _: &HookEvent) -> Result<Decision, String> {
        Ok(Decision::deny(format!("{} was asked", handler.name)))
    }

    fn respond(&mut self, _: &[String], _: u64, _: &HookEvent) -> Result<String, String> {
        Err("no command".to_owned())
    }
}

/// A temporary home directory with a policy and a project.
struct Stage {
    dir: tempfile::TempDir,
    places: Places,
}

impl Stage {
    fn new(policy: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().canonicalize().unwrap().join("home");
        std::fs::create_dir_all(home.join("work/app/.git")).unwrap();
        std::fs::create_dir_all(home.join("work/app/sub")).unwrap();
        let places = Places {
            policy: Some(home.join("p.toml")),
            trust: Some(home.join("state/trust.toml")),
            home: Some(home),
            ..Places::default()
        };
        let stage = Self { dir, places };
        stage.write("p.toml", policy);
        stage
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.home().join(name), text).unwrap();
    }

    fn home(&self) -> &Path {
        self.places.home.as_deref().unwrap()
    }

    fn cwd(&self) -> String {
        self.home().join("work/app/sub").to_string_lossy().into_owned()
    }

    fn load(&self) -> Result<LoadedPolicy, PolicyFault> {
        LoadedPolicy::load(&self.places, Some(&self.cwd()), &registry())
    }

    fn warnings(&self, registry: &Registry) -> Vec<String> {
        let warnings = self.load().unwrap().warnings(Some(&self.cwd()), registry, &|_| true);
        warnings.iter().map(ToString::to_string).collect()
    }

    fn trust(&self) {
        for shown in trust::show(&self.places, Path::new(&self.cwd()), &registry()).unwrap() {
            trust::record(&self.places, &shown, SystemTime::now()).unwrap();
        }
    }

    fn kind(&self, event: &HookEvent) -> VerdictKind {
        let mut event = event.clone();
        (event.cwd, event.project) = (Some(self.cwd()), Some(self.cwd()));
        self.load().unwrap().judge(&event, &mut FixedDeciders).decision.verdict.kind()
    }
}

#[test]
fn f1_a_file_with_tables_and_no_rules_is_valid() {
    assert_eq!(Stage::new("[permissions]\n").kind(&shell("rm -rf x")), VerdictKind::Pass);
}

#[cfg(unix)]
#[test]
fn f2_a_policy_that_others_can_write_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let stage = Stage::new("[permissions]\n");
    std::fs::set_permissions(stage.home().join("p.toml"), std::fs::Permissions::from_mode(0o666)).unwrap();
    assert!(stage.load().unwrap_err().to_string().contains("chmod go-w"));
}

#[test]
fn the_first_existing_file_applies_else_the_starter_policy() {
    let mut stage = Stage::new("#");
    stage.places.policy = None;
    let loaded = UserPolicy::load(&stage.places, &registry()).unwrap();
    assert_eq!(stage.load().unwrap().origin(), "starter");
    assert!(loaded.is_current());
    std::fs::create_dir_all(stage.home().join(".config/snaphook")).unwrap();
    stage.write(".config/snaphook/snaphook.toml", "[permissions]\n");
    assert!(!loaded.is_current(), "a file came");
    let loaded = UserPolicy::load(&stage.places, &registry()).unwrap();
    assert_eq!(stage.load().unwrap().origin(), "~/.config/snaphook/snaphook.toml");
    assert!(loaded.is_current());
    stage.write(".config/snaphook/snaphook.toml", "[permissions]\ndeny = []\n");
    assert!(!loaded.is_current(), "it changed");
    #[cfg(unix)]
    {
        let file = stage.home().join(".config/snaphook/snaphook.toml");
        let modified = file.metadata().unwrap().modified().unwrap();
        let loaded = UserPolicy::load(&stage.places, &registry()).unwrap();
        stage.write(".config/snaphook/snaphook.toml", "[permissions]\nask = [] \n");
        std::fs::File::options().append(true).open(file).unwrap().set_modified(modified).unwrap();
        assert!(!loaded.is_current(), "its time was put back");
    }
    stage.places.config = Some(stage.home().join("xdg"));
    std::fs::create_dir_all(stage.home().join("xdg/snaphook")).unwrap();
    stage.write("xdg/snaphook/snaphook.toml", "[permissions]\n");
    assert_eq!(stage.load().unwrap().origin(), "~/xdg/snaphook/snaphook.toml");
}

#[test]
fn f3_lists_add_up_and_a_deny_anywhere_wins() {
    let stage = Stage::new("[permissions]\nallow = ['Bash']\n[agent.invented.permissions]\nask = ['Bash(npm *)']\n");
    assert_eq!(stage.kind(&shell("ls")), VerdictKind::Allow);
    assert_eq!(stage.kind(&shell("npm i")), VerdictKind::Ask);
    stage.write("work/app/sub/.snaphook.toml", "[permissions]\nask = ['Bash(ls)']\n");
    stage.write("work/app/.snaphook.toml", "[permissions]\ndeny = ['Bash(ls)']\n");
    assert_eq!(stage.kind(&shell("ls")), VerdictKind::Deny);
}

#[test]
fn warnings_name_mistakes_and_unsupported_settings() {
    let stage = Stage::new(
        "[permissions]\ndeny = ['Bash(git *)', 'Bash(git *)', 'Tool(x)', 'Bash(frobs:true)']\n\
         ask = ['Bash(git push)']\nallow = ['Bash(a:* b)']\n",
    );
    let warnings = stage.warnings(&registry());
    assert_eq!(
        warnings,
        [
            "~/p.toml:2:24: warning: permissions.deny[1]: duplicate rule `Bash(git *)`",
            "~/p.toml:2:50: warning: permissions.deny[3]: `Bash(frobs:true)`: no known tool has an argument `frobs`",
            "~/p.toml:3:8: warning: permissions.ask[0]: `Bash(git push)` has no effect: `Bash(git *)` (~/p.toml:2) denies every such call",
            "~/p.toml:3:8: warning: ask: invented cannot ask the user: calls are denied instead",
            "~/p.toml:4:10: warning: permissions.allow[0]: `Bash(a:* b)`: `:*` is literal text unless it is at the end; write ` *` for a wildcard",
        ]
    );
}

#[test]
fn v8_a_sandbox_warns_about_agents_whose_own_rules_no_longer_match_commands() {
    let stage = Stage::new("[sandbox]\nlauncher = 'bwrap'\nwrite = ['/', '/tmp', '//tmp', '~/x', 'src']\n");
    let below = "warning: sandbox.write: `/tmp` is relative to the project; write `//tmp` for the absolute path";
    assert_eq!(
        stage.warnings(&registry()),
        [
            "~/p.toml:1:2: warning: sandbox: the shell of invented is unknown, so its commands are denied".to_owned(),
            format!("~/p.toml:1:2: {below}"),
        ]
    );
    let all = Registry::standard();
    let warnings = stage.warnings(&all).join("\n");
    let hiding = all.iter().map(HookProtocol::agent).filter(|agent| agent.wrapping.hides).map(|agent| agent.id);
    let hiding = hiding.collect::<Vec<_>>().join(", ");
    assert!(hiding.contains("claude-code"), "{hiding}");
    assert!(warnings.contains(&format!("{hiding} match their own allow, ask and deny rules")), "{warnings}");
}

#[test]
fn settings_are_read_as_written() {
    let stage = Stage::new(
        "[limits]\ninput = '1MiB'\ncommand = 512\nreason = 0x40\n[audit]\nenabled = false\nfile = 'a.jsonl'\n\
         inputs = 'redacted'\n[failure]\naudit = 'required'\nunknown = 'deny'\n",
    );
    let policy = stage.load().unwrap();
    assert_eq!((policy.limits().input, policy.limits().command, policy.limits().reason), (1 << 20, 512, 64));
    assert_eq!(policy.limits().text, 8192);
    assert!(!policy.audit().enabled);
    assert_eq!(policy.audit().file.as_deref(), Some(stage.home().join("a.jsonl").as_path()));
    assert_eq!((policy.failures().audit, policy.failures().unknown), (OnFailure::Deny, OnFailure::Deny));
    assert_eq!(policy.digest().len(), 64);
}
