//! How a command of one agent is put into a sandbox, as data.

/// Says what a wrapped command has to look like here, and what the agent makes of it.
///
/// Built with [`Wrapping::new`] and one setter per fact, all `const`.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "independent facts about one agent")]
pub struct Wrapping {
    /// The shell that reads a command of this agent, and so both the wrapper and what is in it.
    pub shell: HostShell,
    /// Whether the wrapper has to begin with the bare name of the program, and may name no absolute
    /// path: the agent's own guard refuses such paths.
    pub bare: bool,
    /// Whether the agent matches its own rules against the wrapped text, so that a rule of the user
    /// about the command itself no longer matches (V8).
    pub hides: bool,
    /// Whether the arguments that the agent reports afterwards are those that were executed.
    pub shows: bool,
    /// Whether the agent takes an `apply_patch` command out of the shell and applies the patch by itself.
    pub patches: bool,
}

impl Wrapping {
    /// Names the shell; the wrapper may have absolute paths, nothing else is known of the agent.
    pub const fn new(shell: HostShell) -> Self {
        Self { shell, bare: false, hides: false, shows: false, patches: false }
    }

    /// Says that the wrapper has to do without absolute paths.
    #[must_use]
    pub const fn bare(mut self) -> Self {
        self.bare = true;
        self
    }

    /// Says that the agent's own rules see the wrapped text.
    #[must_use]
    pub const fn hides(mut self) -> Self {
        self.hides = true;
        self
    }

    /// Says that the agent reports what was executed.
    #[must_use]
    pub const fn shows(mut self) -> Self {
        self.shows = true;
        self
    }

    /// Says that the agent applies a patch in a shell command by itself.
    #[must_use]
    pub const fn patches(mut self) -> Self {
        self.patches = true;
        self
    }
}

/// Says which shell an agent hands a command to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum HostShell {
    /// Nobody has looked: nothing can be wrapped.
    Unknown,
    /// Always this program, looked up on PATH.
    Named(&'static str),
    /// What `$SHELL` names.
    User {
        /// The only names that the agent takes from there; empty: any.
        only: &'static [&'static str],
        /// What it takes where `$SHELL` is empty or names another: the first that is on PATH, or a
        /// path as it is.
        fallback: &'static [&'static str],
    },
    /// The login shell of the user, whatever `$SHELL` says.
    Login {
        /// The only names that the agent is known to take from there.
        only: &'static [&'static str],
    },
}
