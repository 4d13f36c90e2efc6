//! Checks of the environment: policy, log, sandbox and PATH.

use std::path::Path;
use std::time::Duration;

use snaphook_adapters::protocol::{Agent, HookProtocol};
use snaphook_adapters::registry::Registry;
use snaphook_policy::Folders;

use super::super::central::CentralLog;
use super::super::pause::FoundPause;
use super::super::reach::RegisteredPolicy;
use super::{Finding, shown};
use crate::drift::{compare, seen, shapes_file};
use crate::files;
use crate::platform::{Writers, groups};
use crate::policy::{LoadedPolicy, Places, UserPolicy, on_path};
use crate::serve::default_audit;
use crate::setup::hooks::registered_lines;
use crate::setup::import::{added, layers};
use crate::setup::run::run as run_program;
use crate::setup::target::SetupContext;

pub(super) fn policy(context: &SetupContext, registry: &Registry) -> Finding {
    let places = &context.places;
    let is_registered = |agent: &Agent| !registered_lines(context, agent).is_empty();
    let composed = UserPolicy::load(places, registry).and_then(|user| {
        let folder = context.cwd.to_str();
        let policy = LoadedPolicy::compose(&user, Folders::at(folder), registry)?;
        let warnings = policy.warnings(folder, registry, &is_registered);
        let mut warnings: Vec<_> = warnings.iter().map(ToString::to_string).collect();
        warnings.extend(policy.mode_notice());
        warnings.extend(policy.user_file().and_then(|file| group_warning(file, places)));
        Ok((user.origins(), warnings))
    });
    match composed {
        Err(fault) => Finding::bad("policy", fault.to_string(), "every gated call is denied until the policy is fixed"),
        Ok((origin, warnings)) if warnings.is_empty() => Finding::good("policy", format!("{origin} is read")),
        Ok((origin, warnings)) => Finding::odd("policy", format!("{origin} is read"), warnings.join("\n")),
    }
}

/// Reports each pause, and each file of one that has no effect.
pub(super) fn overrides(context: &SetupContext, registry: &Registry) -> Vec<Finding> {
    let registered = RegisteredPolicy::all(context, registry.iter().map(HookProtocol::agent));
    let found = FoundPause::all(&context.places, &registered).into_iter();
    found.map(|pause| Finding::odd("pause", pause.says, "end it when it is not needed")).collect()
}

/// The warning about a policy that the user's own group can write (F2).
fn group_warning(policy: &Path, places: &Places) -> Option<String> {
    let (file, found) = files::open(policy, std::fs::File::options().read(true)).ok()?;
    let says = "warning: writable by your own group, which has no other member now; run `chmod g-w` on it";
    (groups::writers(&file, &found) == Writers::PrivateGroup).then(|| format!("{}: {says}", places.shown(policy)))
}

/// Checks that the sandbox refuses a write outside its folders, and that the agents' own rules are in the
/// policy (V8).
pub(super) fn sandbox(places: &Places, context: &SetupContext, registry: &Registry) -> Vec<Finding> {
    let mut findings = Vec::new();
    let Ok(policy) = LoadedPolicy::for_run(places, context.cwd.to_str(), registry) else { return findings };
    if policy.sandbox(None).is_none() {
        return findings;
    }
    let file = policy.user_file().map(Path::to_owned);
    findings.push(match outside(file.as_deref()) {
        Ok(()) => Finding::good("sandbox", "a write outside the sandbox is refused"),
        Err(why) => {
            Finding::bad("sandbox", why, "see [sandbox] in the policy; a command that must be isolated is denied")
        }
    });
    #[cfg(target_os = "linux")]
    if !crate::sandbox::can_keep_signals() {
        let says = "on this kernel a sandboxed command can send signals to programs outside, so it can stop a hook";
        findings.push(Finding::odd("sandbox", says, "use Linux 6.12 or later with landlock"));
    }
    let text = file.and_then(|file| files::read_text(&file).ok()).unwrap_or_default();
    for agent in registry.iter().map(HookProtocol::agent) {
        let layers = layers(context, agent, registry).unwrap_or_default();
        let own = layers.into_iter().filter(|layer| !layer.of_project).flat_map(|layer| layer.rules);
        let strict: Vec<_> = own.filter(|(list, _)| list.word() != "allow").collect();
        let missing = added(&text, &strict).map_or(0, |(_, count)| count);
        if missing > 0 {
            let says = format!(
                "{missing} deny and ask rules in its own settings do not match a command that the sandbox wraps"
            );
            findings.push(Finding::odd(agent.id, says, format!("snaphook import {}", agent.id)));
        }
    }
    findings
}

/// Tries to write next to the policy from a sandboxed command, which must fail.
fn outside(policy: Option<&Path>) -> Result<(), String> {
    let folder = policy
        .and_then(Path::parent)
        .ok_or("the policy is built in, so the check has no folder outside the sandbox to write to")?;
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
        return Err(format!("a command cannot be run in the sandbox: {}", shown(&runs)));
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
        return Finding::bad("log", "the path of the log is unknown", "set HOME, or name the log in [audit] file");
    };
    let opened = files::open(&path, std::fs::OpenOptions::new().append(true));
    match opened {
        Ok(_) => Finding::good("log", format!("{} is writable", places.shown(&path))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Finding::good("log", format!("{} is created by the first call", places.shown(&path)))
        }
        Err(error) => Finding::bad(
            "log",
            format!("{}: {error}", places.shown(&path)),
            "make it writable, or name another file in [audit] file",
        ),
    }
}

/// Reports what the collector of the central log does not have.
pub(super) fn central_log(places: &Places, registry: &Registry) -> Option<Finding> {
    let CentralLog { says, remedy } = CentralLog::find(places, registry)?;
    Some(if remedy.is_empty() { Finding::good("central log", says) } else { Finding::odd("central log", says, remedy) })
}

/// Reports how many messages differ from the fixtures, if shapes are recorded.
pub(super) fn drift(places: &Places, registry: &Registry) -> Option<Finding> {
    let user = UserPolicy::load(places, registry).ok().filter(|user| user.audit().shapes)?;
    let log = user.audit().file.clone().or_else(|| default_audit(places))?;
    let shapes = match seen(&log) {
        Ok(shapes) => shapes,
        Err(error) => {
            let says = format!("{}: {error}", places.shown(&shapes_file(&log)));
            return Some(Finding::odd("drift", says, "make the file readable"));
        }
    };
    let found = compare(registry, &shapes);
    let mut agents: Vec<_> = found.iter().map(|drift| drift.agent.as_str()).collect();
    agents.dedup();
    Some(if found.is_empty() {
        Finding::good("drift", format!("{} shapes of messages are as in the fixtures", shapes.len()))
    } else {
        let says = format!("messages of {} differ from the fixtures", agents.join(", "));
        Finding::odd("drift", says, "snaphook drift shows how")
    })
}

/// Checks which `snaphook` is on PATH. Some agents can only call the program by its bare name.
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
            format!("{} is a different snaphook", places.shown(&path)),
            "remove one of the two, so that every agent calls the same program",
        ),
        None => Finding::odd(
            "PATH",
            "snaphook is not on PATH",
            "agents call it by its absolute path; only sandboxed commands of PicoClaw need the bare name",
        ),
    }
}
