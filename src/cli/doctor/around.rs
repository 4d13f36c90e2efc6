//! What stands around the agents: policy, log, sandbox and PATH.

use std::path::Path;
use std::time::Duration;

use snaphook_adapters::protocol::HookProtocol;
use snaphook_adapters::registry::Registry;

use super::{Finding, shown};
use crate::policy::{Folders, Places, Policy, UserPolicy, on_path};
use crate::serve::default_audit;
use crate::setup::import::{added, layers};
use crate::setup::run::run as run_program;
use crate::setup::target::Ground;

pub(super) fn policy(places: &Places, registry: &Registry) -> Finding {
    let cwd = std::env::current_dir().ok();
    let composed = UserPolicy::load(places, registry).and_then(|user| {
        let folders = Folders::at(cwd.as_deref().and_then(Path::to_str));
        let policy = Policy::compose(&user, folders, registry)?;
        Ok((user.origin().to_owned(), policy.warnings(registry)))
    });
    match composed {
        Err(fault) => Finding::bad("policy", fault.to_string(), "every gated call is denied until it is fixed"),
        Ok((origin, warnings)) if warnings.is_empty() => Finding::good("policy", format!("{origin} is read")),
        Ok((origin, warnings)) => Finding::odd("policy", format!("{origin} is read"), warnings.join("\n")),
    }
}

/// Whether the launcher refuses a write outside, and whether agents' own rules are known to us (V8).
pub(super) fn sandbox(places: &Places, ground: &Ground, registry: &Registry) -> Vec<Finding> {
    let mut findings = Vec::new();
    let Ok(policy) = Policy::for_run(places, ground.cwd.to_str(), registry) else { return findings };
    if policy.sandbox(None).is_none() {
        return findings;
    }
    let file = policy.user_file().map(Path::to_owned);
    findings.push(match outside(file.as_deref()) {
        Ok(()) => Finding::good("sandbox", "a write outside is refused"),
        Err(why) => {
            Finding::bad("sandbox", why, "see [sandbox] in the policy; a command that must be isolated is denied")
        }
    });
    #[cfg(target_os = "linux")]
    if !crate::sandbox::can_keep_signals() {
        let says = "this kernel lets a sandboxed command send signals to programs outside, so also stop a hook";
        findings.push(Finding::odd("sandbox", says, "Linux 6.12 or later, with landlock, keeps them inside"));
    }
    let text = file.and_then(|file| crate::files::read_text(&file).ok()).unwrap_or_default();
    for agent in registry.iter().map(HookProtocol::agent).filter(|agent| !agent.registration.rules.is_empty()) {
        let layers = layers(ground, agent, registry).unwrap_or_default();
        let own = layers.into_iter().filter(|layer| !layer.of_project).flat_map(|layer| layer.rules);
        let strict: Vec<_> = own.filter(|(list, _)| list.word() != "allow").collect();
        let missing = added(&text, &strict).map_or(0, |(_, count)| count);
        if missing > 0 {
            let says =
                format!("{missing} deny and ask rules of its own settings do not see a command that the sandbox wraps");
            findings.push(Finding::odd(agent.id, says, format!("snaphook import {}", agent.id)));
        }
    }
    findings
}

/// Lets a sandboxed command write where it must not: beside the policy.
fn outside(policy: Option<&Path>) -> Result<(), String> {
    let folder = policy.and_then(Path::parent).ok_or("the policy has no file of its own to try it beside")?;
    let probe = folder.join(format!(".doctor-{}", std::process::id()));
    let binary = std::env::current_exe().map_err(|error| error.to_string())?;
    let tried = |script: &str| {
        let mut command = std::process::Command::new(&binary);
        command.arg("run");
        command.args(policy.iter().flat_map(|policy| [Path::new("--policy"), policy]));
        command.args(["--", "/bin/sh", "-c", script]).arg(&probe);
        run_program(&mut command, "", Duration::from_secs(20)).map_err(|error| error.to_string())
    };
    let runs = tried(":")?;
    if runs.code != Some(0) {
        return Err(format!("a command cannot be run in it: {}", shown(&runs)));
    }
    tried("echo x > \"$0\"")?;
    match std::fs::remove_file(&probe) {
        Ok(()) => Err(format!("a write to {} was not refused", folder.display())),
        Err(_) => Ok(()),
    }
}

pub(super) fn log(places: &Places, registry: &Registry) -> Finding {
    let named = UserPolicy::load(places, registry).ok().and_then(|user| user.audit().file.clone());
    let Some(path) = named.or_else(|| default_audit(places)) else {
        return Finding::bad("log", "there is no place for it", "set HOME, or name it in [audit] file");
    };
    let opened = crate::files::open(&path, std::fs::OpenOptions::new().append(true));
    match opened {
        Ok(_) => Finding::good("log", format!("{} can be written", places.shown(&path))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Finding::good("log", format!("{} begins with the first call", places.shown(&path)))
        }
        Err(error) => Finding::bad(
            "log",
            format!("{}: {error}", places.shown(&path)),
            "make it writable, or name another file in [audit] file",
        ),
    }
}

/// Some agents must be given the bare name of our program.
pub(super) fn own_path(places: &Places) -> Finding {
    let found = on_path("snaphook", |_| true);
    let same = found
        .as_ref()
        .zip(places.binary())
        .is_some_and(|(found, own)| found.canonicalize().ok() == own.canonicalize().ok());
    match found {
        Some(path) if same => Finding::good("PATH", format!("{} is this program", places.shown(&path))),
        Some(path) => Finding::odd(
            "PATH",
            format!("{} is another snaphook than this one", places.shown(&path)),
            "remove one of the two, so that every agent calls the same",
        ),
        None => Finding::odd(
            "PATH",
            "snaphook is not on it",
            "agents call it by its whole path, but for PicoClaw, whose sandboxed commands need the bare name",
        ),
    }
}
