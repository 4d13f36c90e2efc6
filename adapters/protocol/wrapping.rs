//! How a command of one agent is wrapped in a sandbox, as data.

/// The requirements of an agent for a wrapped command, and the agent's treatment of it.
///
/// Built with [`Wrapping::new`] and one setter per property, all `const`.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "independent facts about one agent")]
pub struct Wrapping {
    /// The shell that parses a command of this agent, and therefore both the wrapper and the wrapped command.
    pub shell: HostShell,
    /// True if the wrapper must start with the bare name of the program and must not contain an absolute path, because
    /// the agent's own checks reject such paths.
    pub bare: bool,
    /// True if the agent matches its own rules against the wrapped text, so that a user's rule about the original
    /// command no longer matches (V8).
    pub hides: bool,
    /// True if the arguments that the agent reports after the call are those that were executed.
    pub shows: bool,
    /// True if the agent extracts an `apply_patch` command from the shell and applies the patch itself.
    pub patches: bool,
}

impl Wrapping {
    /// Sets the shell. The wrapper may contain absolute paths, and the other properties are false.
    pub const fn new(shell: HostShell) -> Self {
        Self { shell, bare: false, hides: false, shows: false, patches: false }
    }

    /// States that the wrapper must not contain absolute paths.
    #[must_use]
    pub const fn bare(mut self) -> Self {
        self.bare = true;
        self
    }

    /// States that the agent's own rules see the wrapped text.
    #[must_use]
    pub const fn hides(mut self) -> Self {
        self.hides = true;
        self
    }

    /// States that the agent reports the executed arguments.
    #[must_use]
    pub const fn shows(mut self) -> Self {
        self.shows = true;
        self
    }

    /// States that the agent applies a patch in a shell command itself.
    #[must_use]
    pub const fn patches(mut self) -> Self {
        self.patches = true;
        self
    }
}

/// The shell to which an agent passes a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum HostShell {
    /// Not known: no command can be wrapped.
    Unknown,
    /// Always this program, looked up on `PATH`.
    Named(&'static str),
    /// The first of these programs on `PATH`.
    First(&'static [&'static str]),
    /// The program that `$SHELL` names.
    User {
        /// The names that the agent accepts from `$SHELL`; empty: any.
        only: &'static [&'static str],
        /// The programs that the agent uses if `$SHELL` is empty or has another name: the first one on `PATH`; an
        /// absolute path is used as it is.
        fallback: &'static [&'static str],
    },
    /// The login shell of the user, regardless of `$SHELL`.
    Login {
        /// The names that the agent is known to accept.
        only: &'static [&'static str],
    },
}
