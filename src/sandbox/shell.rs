//! Which shell an agent hands a command to, here and now (R2, R3).

use snaphook_adapters::protocol::HostShell;

use crate::policy::on_path;

/// Those in which the quoting was proven to come back byte for byte.
const PROVEN: &[&str] = &["sh", "bash", "dash", "zsh", "ksh", "mksh", "ash"];

/// The shell as the wrapper names it. `Err` says why there is none.
pub(super) fn shell(host: HostShell, environment: Option<&str>, agent: &str) -> Result<String, String> {
    let shell = match host {
        HostShell::Named(shell) => shell.to_owned(),
        HostShell::User { only, fallback } => environment
            .filter(|shell| only.is_empty() || only.contains(&name(shell)))
            .or_else(|| {
                fallback.iter().copied().find(|shell| shell.contains('/') || on_path(shell, |_| true).is_some())
            })
            .ok_or_else(|| format!("the shell that {agent} hands commands to is not on PATH"))?
            .to_owned(),
        HostShell::Login { only } => {
            let login = login().filter(|shell| only.contains(&name(shell)));
            login.ok_or_else(|| {
                format!(
                    "it is not known which shell {agent} takes where the login shell is none of {}",
                    only.join(", ")
                )
            })?
        }
        _ => return Err(format!("it is not known which shell {agent} hands commands to")),
    };
    if !PROVEN.contains(&name(&shell)) {
        return Err(format!(
            "{agent} hands commands to {shell}, whose quoting is not known; start it with SHELL=/bin/sh"
        ));
    }
    Ok(shell)
}

fn name(shell: &str) -> &str {
    shell.rsplit('/').next().unwrap_or_default()
}

/// The user's shell in the table of users.
fn login() -> Option<String> {
    let user = rustix::process::getuid().as_raw().to_string();
    let users = std::fs::read_to_string("/etc/passwd").ok()?;
    let line = users.lines().find(|line| line.split(':').nth(2) == Some(&user))?;
    line.rsplit(':').next().filter(|shell| shell.starts_with('/')).map(str::to_owned)
}
