//! The text of a wrapped command: `SNAPHOOK run --policy FILE [--project DIR] -- SHELL -c -- 'CMD'` (R2-R4,
//! R6). A command that is a list of words is wrapped without a shell: the words up to the first `--`, then the
//! list.

use std::path::{Path, PathBuf, absolute};

use snaphook_adapters::model::Command;
use snaphook_adapters::protocol::Agent;

use super::shell::shell;
use crate::policy::{Places, started_as};

/// Wraps and unwraps commands. The result depends only on the policy and the command.
#[derive(Debug, Clone)]
pub(crate) struct CommandWrapper {
    /// The program and its arguments, up to the project.
    words: Vec<String>,
    /// The same, quoted for a shell.
    run: String,
    /// The folder in which the session was started; absent if the agent's guard refuses absolute paths.
    project: Option<String>,
    /// The shell and its flags, quoted.
    shell: String,
    home: Option<String>,
}

/// The program name that is used when the agent's guard refuses absolute paths.
const NAME: &str = "snaphook";

/// The flag of `snaphook run` for the folder in which the session was started.
pub(super) const PROJECT: &str = "--project";

/// Linux limits one argument to 128 KiB, including its final NUL.
const ARGUMENT_MAX: usize = (128 << 10) - 1;

impl CommandWrapper {
    /// Builds the wrapper for an agent.
    ///
    /// `policy` is the user's file; absent, the built-in policy is used. `trust` is given only if a project
    /// file affects the sandbox. `project` is the folder in which the session was started; the working
    /// directory of a call is not used, because the call can choose it.
    ///
    /// # Errors
    ///
    /// The message says why the agent's commands cannot be wrapped.
    pub(crate) fn new(
        agent: &Agent,
        places: &Places,
        policy: Option<&Path>,
        trust: Option<&Path>,
        project: Option<&str>,
    ) -> Result<Self, String> {
        if cfg!(windows) {
            return Err("there is no sandbox on Windows".to_owned());
        }
        let wrapping = &agent.wrapping;
        let shell = shell(wrapping.shell, places.shell.as_deref(), agent.name)?;
        if project.is_none() && !wrapping.bare {
            return Err("the folder in which the session was started is unknown".to_owned());
        }
        let mut words = Vec::new();
        if wrapping.bare {
            let is_usual = places.more_policies.is_empty() && policy.is_none_or(|policy| is_default(policy, places));
            if trust.is_some() || !is_usual || shell.contains('/') {
                return Err(format!(
                    "the guard of {} refuses absolute paths, so only the default policy file can be used: {}",
                    agent.name,
                    usual(places)
                ));
            }
            is_ours(places, agent)?;
            words.extend([NAME.to_owned(), "run".to_owned()]);
        } else {
            let binary = places.binary().ok_or("the path of this program is unknown")?;
            words.extend([utf8(binary)?, "run".to_owned()]);
            let policies = policy.into_iter().chain(places.more_policies.iter().map(PathBuf::as_path));
            let policies = policies.map(|file| ("--policy", file));
            for (flag, file) in policies.chain(trust.map(|file| ("--trust", file))) {
                let file = absolute(file).map_err(|error| format!("{}: {error}", file.display()))?;
                words.extend([flag.to_owned(), utf8(&file)?]);
            }
        }
        let home = places.home.as_deref().and_then(Path::to_str).filter(|home| home.len() > 1);
        Ok(Self {
            run: joined(&words)?,
            words,
            project: project.filter(|_| !wrapping.bare).map(str::to_owned),
            shell: joined(&["--".to_owned(), shell, "-c".to_owned(), "--".to_owned()])?,
            home: home.map(str::to_owned),
        })
    }

    /// Returns true if the wrapper names the folder in which the session was started.
    pub(crate) fn has_project(&self) -> bool {
        self.project.is_some()
    }

    /// Returns the wrapped command if `command` is exactly the output of this wrapper (R6).
    pub(crate) fn inner(&self, command: &Command) -> Option<Command> {
        match command {
            // The wrapper never returns such a text.
            Command::Text(text) if text.start().len() > ARGUMENT_MAX => None,
            Command::Text(text) => self.inner_text(text.start()).map(Command::from),
            Command::Argv(words) => {
                let inner = words.strip_prefix(self.words_before().as_slice())?;
                (!inner.is_empty()).then(|| inner.to_vec().into())
            }
        }
    }

    fn inner_text(&self, text: &str) -> Option<String> {
        let rest = text.strip_prefix(&self.before().ok()?)?;
        let mut words = shlex::split(rest)?;
        let inner = words.pop().filter(|_| words.is_empty())?;
        (self.wrap(&inner).ok()? == text).then_some(inner)
    }

    /// Wraps a command. A command that is wrapped already is returned unchanged.
    pub(crate) fn wrapped(&self, command: &Command) -> Result<Command, String> {
        match command {
            command if self.inner(command).is_some() => Ok(command.clone()),
            Command::Text(text) if text.start().len() > ARGUMENT_MAX => Err(too_long()),
            Command::Text(text) => self.wrap(text.start()).map(Command::from),
            Command::Argv(words) => match words.iter().map(String::len).max() {
                None => Err("the command has no words".to_owned()),
                Some(longest) if longest > ARGUMENT_MAX => Err(too_long()),
                Some(_) => Ok([self.words_before().as_slice(), words].concat().into()),
            },
        }
    }

    /// An abridged form of the wrapped command, for display (O7).
    pub(crate) fn shape(&self, command: &str) -> String {
        let first = command.split_whitespace().next().unwrap_or_default();
        let first: String = first.chars().take(40).collect();
        let before = self.before().unwrap_or_default();
        let shown = self.home.as_ref().map(|home| before.replace(&format!("{home}/"), "~/"));
        format!("{}'{first} …'", shown.unwrap_or(before))
    }

    /// The words before a command that is a list of words; it needs no shell.
    fn words_before(&self) -> Vec<String> {
        let project = self.project.iter().flat_map(|project| [PROJECT, project]);
        self.words.iter().map(String::as_str).chain(project).chain(["--"]).map(str::to_owned).collect()
    }

    /// The text before the quoted command.
    fn before(&self) -> Result<String, String> {
        let project =
            self.project.as_deref().map(|project| Ok::<_, String>(format!("{PROJECT} {} ", quoted(project)?)));
        Ok([&self.run, project.transpose()?.as_deref().unwrap_or_default(), &self.shell].concat())
    }

    fn wrap(&self, command: &str) -> Result<String, String> {
        let text = self.before()? + &quoted(command)?;
        if text.len() > ARGUMENT_MAX {
            return Err(too_long());
        }
        Ok(text)
    }
}

/// Checks that the bare name runs this program: a command may have put another one into a folder of PATH.
fn is_ours(places: &Places, agent: &Agent) -> Result<(), String> {
    let remedy = format!("put the folder of this program first on the PATH that {} is started with", agent.name);
    let same = |found: PathBuf| found.canonicalize().ok() == places.binary().and_then(|own| own.canonicalize().ok());
    match started_as(NAME) {
        _ if !places.live => Ok(()),
        Err(folder) => Err(format!(
            "PATH has the folder `{}`, through which a command could run another snaphook; {remedy}",
            folder.display()
        )),
        Ok(Some(found)) if !same(found.clone()) => {
            Err(format!("{} comes first on PATH and is another program; {remedy}", places.shown(&found)))
        }
        Ok(_) => Ok(()),
    }
}

fn too_long() -> String {
    "the wrapped command is over 128 KiB long; write it to a file and run that file".to_owned()
}

fn joined(words: &[String]) -> Result<String, String> {
    words.iter().map(|word| Ok(quoted(word)? + " ")).collect()
}

fn quoted(word: &str) -> Result<String, String> {
    let bytes = shlex::bytes::try_quote(word.as_bytes()).map_err(|_| "a NUL character cannot be quoted")?;
    String::from_utf8(bytes.into_owned()).map_err(|_| "the quoted text is not UTF-8".to_owned())
}

fn utf8(path: &Path) -> Result<String, String> {
    path.to_str().map(str::to_owned).ok_or_else(|| format!("{} is not UTF-8", path.display()))
}

/// Returns true if `snaphook run` uses this file by default.
fn is_default(policy: &Path, places: &Places) -> bool {
    let found = places.user_files().into_iter().find(|file| std::fs::symlink_metadata(file).is_ok());
    let same = |file: PathBuf| absolute(file).ok() == absolute(policy).ok();
    found.is_some_and(same)
}

fn usual(places: &Places) -> String {
    places.user_files().first().map_or_else(|| "none, because HOME is not set".to_owned(), |file| places.shown(file))
}

#[cfg(test)]
mod tests {
    use snaphook_adapters::protocol::HostShell;

    use super::*;

    fn wrapper(shell: HostShell) -> Result<CommandWrapper, String> {
        started_in(shell, Some("/w/a b"))
    }

    fn started_in(shell: HostShell, project: Option<&str>) -> Result<CommandWrapper, String> {
        let places = Places {
            binary: Some(PathBuf::from("/opt/snap hook/snaphook")).into(),
            shell: Some("/usr/bin/zsh".to_owned()),
            ..Places::default()
        };
        let mut agent = agent();
        agent.wrapping.shell = shell;
        CommandWrapper::new(&agent, &places, Some(Path::new("/home/user/.config/p.toml")), None, project)
    }

    fn agent() -> Agent {
        Agent::new("x", "X")
    }

    impl CommandWrapper {
        fn text(&self, command: &str) -> Result<String, String> {
            self.wrapped(&command.to_owned().into()).map(|wrapped| wrapped.text().unwrap().to_string())
        }

        fn within(&self, text: &str) -> Option<String> {
            self.inner(&text.to_owned().into()).map(|inner| inner.text().unwrap().to_string())
        }
    }

    const ANY: HostShell = HostShell::User { only: &[], fallback: &["/bin/sh"] };

    #[test]
    fn r2_the_wrapper_is_the_whole_command() {
        let text = wrapper(ANY).unwrap().text("ls -l | wc").unwrap();
        assert_eq!(
            text,
            "'/opt/snap hook/snaphook' run --policy /home/user/.config/p.toml --project '/w/a b' -- /usr/bin/zsh -c -- 'ls -l | wc'"
        );
        let only = HostShell::User { only: &["bash"], fallback: &["/bin/bash"] };
        assert!(wrapper(only).unwrap().text("x").unwrap().ends_with(" -- /bin/bash -c -- x"));
        assert!(wrapper(HostShell::Unknown).unwrap_err().contains("passes commands is unknown"));
        assert!(wrapper(HostShell::Named("fish")).unwrap_err().contains("SHELL=/bin/sh"));
    }

    #[test]
    fn r6_only_the_exact_output_of_the_wrapper_is_recognised() {
        let wrapper = wrapper(ANY).unwrap();
        for command in ["ls", "it's \"$HOME\" `x`", "a\nb\t\\ é \u{1}", "'", "-c", "# x", "", "a # b"] {
            let text = wrapper.text(command).unwrap();
            assert_eq!(wrapper.within(&text).as_deref(), Some(command), "{text}");
            assert_eq!(wrapper.text(&text).unwrap(), text, "wrapped once");
        }
        let text = wrapper.text("ls").unwrap();
        for alike in [
            format!("{text} "),
            format!("{text} x"),
            format!("{text}; rm x"),
            format!(" {text}"),
            text.replace(" ls", " 'ls'"),
        ] {
            assert_eq!(wrapper.within(&alike), None, "{alike}");
            assert_ne!(wrapper.text(&alike).unwrap(), alike);
        }
    }

    #[test]
    fn r6_a_wrapped_command_of_another_project_is_not_recognised() {
        let (here, there) = (wrapper(ANY).unwrap(), started_in(ANY, Some("/")).unwrap());
        let (ours, others) = (here.text("ls -l").unwrap(), there.text("ls -l").unwrap());
        assert_eq!(here.within(&ours).as_deref(), Some("ls -l"));
        assert_eq!(here.within(&others), None);
        assert!(here.text(&others).unwrap().contains(" --project '/w/a b' -- "), "it is wrapped once more");
        let twice = ours.replace("--project '/w/a b'", "--project '/w/a b' --project /");
        assert_eq!(here.within(&twice), None);
        assert!(started_in(ANY, None).unwrap_err().contains("is unknown"));
    }

    #[test]
    fn r1_a_list_of_words_stays_a_list() {
        let words = |words: &[&str]| Command::Argv(words.iter().map(|word| (*word).to_owned()).collect());
        let wrapper = wrapper(ANY).unwrap();
        let command = words(&["bash", "-lc", "it's; x"]);
        let isolated = wrapper.wrapped(&command).unwrap();
        let ours =
            ["/opt/snap hook/snaphook", "run", "--policy", "/home/user/.config/p.toml", "--project", "/w/a b", "--"];
        assert_eq!(isolated, words(&[ours.as_slice(), &["bash", "-lc", "it's; x"]].concat()));
        assert_eq!(wrapper.inner(&isolated), Some(command.clone()));
        assert_eq!(wrapper.wrapped(&isolated).unwrap(), isolated);
        assert_eq!(started_in(ANY, Some("/")).unwrap().inner(&isolated), None);
        assert_eq!(wrapper.inner(&words(&ours)), None);
        assert!(wrapper.wrapped(&words(&[])).is_err());
        assert!(wrapper.wrapped(&words(&["x", &"y".repeat(ARGUMENT_MAX + 1)])).unwrap_err().contains("over 128 KiB"));
    }

    #[test]
    fn r4_a_wrapped_command_fits_into_one_argument() {
        let wrapper = wrapper(ANY).unwrap();
        let room = ARGUMENT_MAX - wrapper.before().unwrap().len() - 2;
        assert!(wrapper.text(&" ".repeat(room)).is_ok());
        assert!(wrapper.text(&" ".repeat(room + 1)).unwrap_err().contains("over 128 KiB"));
        assert!(wrapper.text("a\0b").is_err());
    }
}
