//! The policy that applies to one event.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::judge::SharedFacts;
use crate::list::List;
use crate::load::{CONTEXT_MAX, Lists, PolicyFile, shown};
use crate::machine::{Files, Machine, OwnFiles};
use crate::path::{Dir, text_of};
use crate::sandbox::{self, SandboxPolicy};
use crate::settings::{
    Audit, Failures, OnFailure, Overrides, PolicyLimits, PolicyMode, ProtectMode, older_logs, sending_folder,
};

/// The policy for users without a policy file; `snaphook init` writes it to a file.
pub const STARTER: &str = include_str!("starter.toml");

/// The policy that applies to one event: the user's file or the starter policy, and the project files.
#[derive(Debug)]
pub struct Policy {
    managed: Option<Arc<PolicyFile>>,
    user: Arc<PolicyFile>,
    /// The project files, nearest first.
    projects: Vec<ProjectPolicy>,
    machine: Arc<dyn Machine>,
    /// The facts that several events share; `None` if each event is judged alone.
    shared: Option<Arc<SharedFacts>>,
    /// True if the rules of the user's file are left out.
    is_binding_part: bool,
}

/// A project file, and the part of it that applies.
#[derive(Debug)]
pub struct ProjectPolicy {
    file: PolicyFile,
    trusted: bool,
    scope: ProjectScope,
}

/// The part of a project file that applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProjectScope {
    /// All of its rules, as a file beside the user's that the command line names.
    Beside,
    /// The whole file if it is trusted, else its deny and ask rules.
    Full,
    /// Only its deny and ask rules, trusted or not.
    GuardsOnly,
}

impl ProjectScope {
    /// Says why a setting in such a file is ignored.
    fn why_ignored(self) -> &'static str {
        match self {
            Self::Beside => "only the first `--policy` sets that",
            Self::Full | Self::GuardsOnly => "only the user's own policy sets that",
        }
    }
}

impl Policy {
    /// Combines the user's file with project files, nearest first. A preset that several of them have is judged once, as one
    /// of the first of them.
    pub fn new(user: Arc<PolicyFile>, projects: Vec<ProjectPolicy>, machine: Arc<dyn Machine>) -> Self {
        let mut known: Vec<ProjectPolicy> = Vec::with_capacity(projects.len());
        for mut project in projects {
            let before = std::iter::once(&*user).chain(known.iter().map(|project| &project.file));
            before.for_each(|file| project.file.leave_presets_to(&file.presets));
            known.push(project);
        }
        Self { managed: None, user, projects: known, machine, shared: None, is_binding_part: false }
    }

    /// Adds the managed policy, which applies before the user's file and whose settings were copied to it.
    #[must_use]
    pub fn with_managed(mut self, managed: Option<Arc<PolicyFile>>) -> Self {
        if let Some(managed) = &managed {
            self.projects.iter_mut().for_each(|project| project.file.leave_presets_to(&managed.presets));
        }
        Self { managed, ..self }
    }

    /// Shares facts about files between events, all of which must have arrived before.
    #[must_use]
    pub fn with_shared(self, shared: Arc<SharedFacts>) -> Self {
        Self { shared: Some(shared), ..self }
    }

    /// The facts that an event shares with others; empty if it is judged alone.
    pub(crate) fn shared(&self) -> Arc<SharedFacts> {
        self.shared.clone().unwrap_or_default()
    }

    /// The part that neither `mode = "monitor"` of the user nor a person can set aside: `[protect]` and the managed policy.
    /// Of a managed policy that is itself in that mode, only `[protect]`. Returns `None` if nothing can be set aside.
    #[must_use]
    pub fn binding_part(&self) -> Option<Self> {
        let managed = self.managed.as_ref().or_else(|| self.user.only_managed.then_some(&self.user));
        let managed = managed.filter(|file| file.mode != Some(PolicyMode::Monitor));
        if managed.is_some_and(|managed| managed.only_managed) {
            return None;
        }
        Some(Self {
            managed: managed.cloned(),
            user: Arc::clone(&self.user),
            projects: Vec::new(),
            machine: Arc::clone(&self.machine),
            shared: self.shared.clone(),
            is_binding_part: true,
        })
    }

    /// The table `[overrides]`. No project file has one.
    pub fn overrides(&self) -> Overrides {
        self.user.overrides
    }

    /// The value of `mode`. No project file sets it.
    pub fn mode(&self) -> PolicyMode {
        self.user.mode.unwrap_or_default()
    }

    /// The machine on which the calls run.
    pub fn machine(&self) -> &dyn Machine {
        &*self.machine
    }

    /// The `[failure]` table.
    pub fn failures(&self) -> Failures {
        self.user.failures
    }

    /// The `[limits]` table.
    pub fn limits(&self) -> PolicyLimits {
        self.user.limits
    }

    /// The `[audit]` table.
    pub fn audit(&self) -> &Audit {
        &self.user.audit
    }

    /// The origin of the user's policy: its path, or `starter`.
    pub fn origin(&self) -> &str {
        &self.user.source.shown
    }

    /// The files that apply, as messages show them, the managed policy and the user's first.
    pub fn sources(&self) -> impl Iterator<Item = &str> {
        self.files().map(|file| file.source.shown.as_str())
    }

    /// The messages that are shown once per session about ignored parts of project files (F4, F5).
    pub fn notices(&self) -> Vec<String> {
        let said = |project: &ProjectPolicy| {
            let unknown = project.file.ignored.iter().map(|error| format!("{error} (the key is ignored)"));
            project.notice().into_iter().chain(unknown).collect::<Vec<_>>()
        };
        self.mode_notice().into_iter().chain(self.projects.iter().flat_map(said)).collect()
    }

    /// The message that says that verdicts are only recorded; `None` if they are enforced.
    pub fn mode_notice(&self) -> Option<String> {
        let of_managed = self.managed.as_deref().filter(|file| file.mode.is_some());
        let file = &of_managed.unwrap_or(&self.user).source.shown;
        let says = "what the rules would block is only recorded; [protect] and [sandbox] hold";
        (self.mode() == PolicyMode::Monitor).then(|| format!("mode = \"monitor\" ({file}): {says}"))
    }

    /// The files that apply, the managed policy and the user's first, each before its presets.
    pub fn files(&self) -> impl Iterator<Item = &PolicyFile> {
        self.managed
            .as_deref()
            .into_iter()
            .chain(self.user_rules())
            .chain(self.projects.iter().map(|project| &project.file))
            .flat_map(PolicyFile::with_presets)
    }

    /// The files that are applied in full, the managed policy and the user's first. A preset has only rules that apply in
    /// full wherever it is named.
    pub(crate) fn full_files(&self) -> impl Iterator<Item = &PolicyFile> {
        let own = self.managed.as_deref().into_iter().chain(self.user_rules());
        let projects = self.projects.iter().flat_map(|project| {
            let file = project.is_full().then_some(&project.file);
            file.into_iter().chain(&project.file.presets)
        });
        own.flat_map(PolicyFile::with_presets).chain(projects)
    }

    /// The user's file, if its rules apply.
    fn user_rules(&self) -> Option<&PolicyFile> {
        (!self.is_binding_part).then_some(&*self.user)
    }

    /// The sandbox for commands of an agent, or of any caller if `agent` is `None`. Returns `None` without a sandbox. No
    /// other file adds to the sandbox of the managed policy.
    pub fn sandbox(&self, agent: Option<&str>) -> Option<SandboxPolicy<'_>> {
        let managed = self.managed.as_deref().filter(|file| file.sandbox.is_some());
        let files = self.full_files().filter(|file| managed.is_none_or(|managed| std::ptr::eq(managed, *file)));
        let tables = files.filter_map(|file| Some((file.sandbox.as_ref()?, file.own.as_ref())));
        sandbox::merge(&tables.collect::<Vec<_>>(), agent)
    }

    /// Returns true if a file is a project's.
    pub fn is_project(&self, file: &PolicyFile) -> bool {
        self.why_settings_are_ignored(file).is_some()
    }

    /// Says why a setting is ignored that a project's file cannot have; `None` for the managed policy and the user's.
    pub fn why_settings_are_ignored(&self, file: &PolicyFile) -> Option<&'static str> {
        let is_of = |project: &&ProjectPolicy| project.file.with_presets().any(|one| std::ptr::eq(one, file));
        self.projects.iter().find(is_of).map(|project| project.scope.why_ignored())
    }

    /// Returns true if a file has something for one agent by name, such as a table `[agent.ID]`.
    pub fn names(&self, agent: &str) -> bool {
        let has = |ids: &[String]| ids.iter().any(|id| id == agent);
        self.files().any(|file| {
            file.agents.iter().any(|(id, _)| id == agent)
                || file.handlers.iter().any(|one| has(&one.agents))
                || file.sandbox.as_ref().and_then(|table| table.agents.as_deref()).is_some_and(has)
        })
    }

    /// Returns true if a file is the managed policy or one of its presets.
    pub fn is_managed(&self, file: &PolicyFile) -> bool {
        let managed = self.managed.as_deref().or(Some(&*self.user).filter(|user| user.only_managed));
        managed.into_iter().flat_map(PolicyFile::with_presets).any(|one| std::ptr::eq(one, file))
    }

    /// Returns true if the tools that a file describes may lose what their usual argument names suggest. The rules of a
    /// managed policy rely on that.
    pub fn may_switch_off_guesses(&self, file: &PolicyFile) -> bool {
        self.managed.is_none() || self.is_managed(file)
    }

    /// The path of the user's file; `None` for the starter policy, and if only the managed policy applies.
    pub fn user_file(&self) -> Option<&Path> {
        self.user.source.path.as_deref().filter(|_| !self.user.only_managed)
    }

    /// The folders with snaphook's own files, if they are protected: the one of the state, and those that may be beside a
    /// policy.
    pub fn own_folders(&self) -> Vec<PathBuf> {
        if self.user.protect_own == ProtectMode::Off {
            return Vec::new();
        }
        let OwnFiles { state, overrides, .. } = self.machine().own_files();
        let has_parent = |folder: &Path| folder.parent().is_some_and(|folder| self.machine().exists(folder));
        state.iter().chain(overrides.iter().filter(|folder| has_parent(folder))).cloned().collect()
    }

    /// The value of `[protect] snaphook`.
    pub(crate) fn protect_own(&self) -> ProtectMode {
        self.user.protect_own
    }

    /// The value of `[protect] agents`.
    pub(crate) fn protect_agents(&self) -> ProtectMode {
        self.user.protect_agents
    }

    /// The keys of `[protect]` with the list that each of them acts like; `None` if it is off.
    pub fn protections(&self) -> [(&'static str, Option<List>); 2] {
        let list = |mode| match mode {
            ProtectMode::Off => None,
            ProtectMode::Ask => Some(List::Ask),
            ProtectMode::Deny => Some(List::Deny),
        };
        [("protect.snaphook", list(self.protect_own())), ("protect.agents", list(self.protect_agents()))]
    }

    /// The files that the policy is in or names, which decide too.
    pub(crate) fn named_files(&self) -> impl Iterator<Item = &Path> {
        self.user.audit.file.iter().chain(&self.user.source.path).map(PathBuf::as_path)
    }

    /// The folders beside the log that the policy names.
    pub(crate) fn named_folders(&self) -> impl Iterator<Item = PathBuf> {
        let audit = &self.user.audit;
        let sending = audit.file.as_deref().filter(|_| audit.otlp.is_some()).map(sending_folder);
        audit.file.as_deref().map(older_logs).into_iter().chain(sending)
    }

    /// Formats a path for messages, with the home folder as `~`.
    pub(crate) fn shown(&self, path: &Path) -> String {
        shown(path, self.machine().home())
    }

    /// Returns true if every rule and table of a file applies, false if only its deny and ask rules do.
    pub fn is_applied_in_full(&self, file: &PolicyFile) -> bool {
        self.full_files().any(|whole| std::ptr::eq(whole, file))
    }

    /// The lists that apply to an agent, in order: the first match gives the reason (F3).
    pub(crate) fn lists<'p>(&'p self, agent: &str) -> impl Iterator<Item = (&'p PolicyFile, &'p Lists)> {
        self.files().flat_map(move |file| file.lists_of(agent).map(move |lists| (file, lists)))
    }

    pub(crate) fn not_understood(&self) -> OnFailure {
        self.full_files().find_map(|file| file.not_understood).unwrap_or(OnFailure::Pass)
    }

    pub(crate) fn harmless_env(&self) -> &[String] {
        self.full_files().find_map(|file| file.harmless_env.as_deref()).unwrap_or_default()
    }

    /// The texts for the model at the start of a session, and messages about texts that are missing.
    pub fn session_context(&self) -> (Vec<String>, Vec<String>) {
        let session = self.full_files().find_map(|file| file.context.session.clone());
        let files = self.full_files().map(|file| &file.context.files).find(|files| !files.is_empty());
        let (mut texts, mut missing) = (Vec::from_iter(session), Vec::new());
        for path in files.into_iter().flatten() {
            match self.machine().read(path) {
                Ok(text) => texts.push(text),
                Err(error) => missing.push(format!("context.files: {}: {error}", self.shown(path))),
            }
        }
        if texts.iter().map(|text| text.len() as u64).sum::<u64>() > CONTEXT_MAX {
            texts.clear();
            missing.push("context: longer than 16 KiB in total, so none of it is sent; shorten it".to_owned());
        }
        (texts, missing)
    }
}

impl ProjectPolicy {
    /// Adds the folder of a project file to it. `trusted` is true if the user trusts this content.
    pub fn new(mut file: PolicyFile, trusted: bool, scope: ProjectScope, files: &dyn Files) -> Self {
        file.own = file.source.folder.as_ref().map(|folder| Dir::new(&text_of(folder), files));
        Self { file, trusted, scope }
    }

    /// Creates a file that the command line names beside the user's. Its paths mean what they mean in the user's file.
    pub fn beside(file: PolicyFile) -> Self {
        Self { file, trusted: true, scope: ProjectScope::Beside }
    }

    /// Returns true if the file is applied in full (F5), false if only its deny and ask rules are (F4).
    fn is_full(&self) -> bool {
        self.trusted && self.scope != ProjectScope::GuardsOnly
    }

    /// A sentence about the ignored parts of the file; `None` if no part is ignored.
    fn notice(&self) -> Option<String> {
        const USERS: &[&str] = &["protect", "failure", "audit", "limits", "only_managed", "mode", "overrides"];
        let file = &self.file;
        let mut ignored = Vec::new();
        let mut count = |many: usize, one: &str, more: &str| match many {
            0 => {}
            1 => ignored.push(format!("1 {one}")),
            many => ignored.push(format!("{many} {more}")),
        };
        if !self.is_full() {
            let allow = file.lists.allow.len() + file.agents.iter().map(|(_, lists)| lists.allow.len()).sum::<usize>();
            count(allow, "allow rule", "allow rules");
            count(file.responds.len(), "response", "responses");
            count(file.handlers.len(), "handler", "handlers");
            count(file.tools.len(), "described tool", "described tools");
        }
        let tables = file.tables.iter().filter(|table| {
            USERS.contains(*table) || (!self.is_full() && matches!(**table, "context" | "shell" | "sandbox"))
        });
        ignored.extend(tables.map(|table| format!("[{table}]")));
        let last = ignored.pop()?;
        let all = if ignored.is_empty() { last } else { format!("{} and {last}", ignored.join(", ")) };
        let shown = &file.source.shown;
        Some(match self.scope {
            ProjectScope::Beside => format!("{shown}: {all} ignored: {}", self.scope.why_ignored()),
            ProjectScope::Full if self.trusted => format!("{shown}: {all} ignored: {}", self.scope.why_ignored()),
            ProjectScope::Full => format!("{shown} is not trusted: {all} ignored; `snaphook trust` shows it"),
            ProjectScope::GuardsOnly => format!("{shown} adds only its deny and ask rules here: {all} ignored"),
        })
    }
}
