//! Determines the shell to which an agent passes a command on this machine (R2, R3).

use snaphook_adapters::protocol::HostShell;

use crate::platform::processes;
use crate::policy::on_path;

/// Shells for which the quoting is tested to round-trip.
const PROVEN: &[&str] = &["sh", "bash", "dash", "zsh", "ksh", "mksh", "ash"];

/// Returns the shell for the wrapper.
///
/// # Errors
///
/// The message says why no shell can be used.
pub(super) fn shell(host: HostShell, environment: Option<&str>, agent: &str) -> Result<String, String> {
    let shell = match host {
        HostShell::Named(shell) => shell.to_owned(),
        HostShell::First(shells) => shells
            .iter()
            .copied()
            .find(|shell| on_path(shell, |_| true).is_some())
            .ok_or_else(|| format!("the shell to which {agent} passes commands is not on PATH"))?
            .to_owned(),
        HostShell::User { only, fallback } => environment
            .filter(|shell| only.is_empty() || only.contains(&name(shell)))
            .or_else(|| {
                fallback.iter().copied().find(|shell| shell.contains('/') || on_path(shell, |_| true).is_some())
            })
            .ok_or_else(|| format!("the shell to which {agent} passes commands is not on PATH"))?
            .to_owned(),
        HostShell::Login { only } => {
            let login = processes::login_shell().filter(|shell| only.contains(&name(shell)));
            login.ok_or_else(|| {
                format!("the shell of {agent} is unknown, because the login shell is not one of {}", only.join(", "))
            })?
        }
        _ => return Err(format!("the shell to which {agent} passes commands is unknown")),
    };
    if !PROVEN.contains(&name(&shell)) {
        return Err(format!(
            "{agent} passes commands to {shell}, whose quoting rules are unknown; start {agent} with SHELL=/bin/sh"
        ));
    }
    Ok(shell)
}

fn name(shell: &str) -> &str {
    shell.rsplit('/').next().unwrap_or_default()
}
