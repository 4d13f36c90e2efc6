//! Judges the messages of one agent, with its protocol, the policy in force and the log.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use snaphook_adapters::model::{HookEvent, Incoming, Reply};
use snaphook_adapters::protocol::{HookProtocol, Native, ParseError, Transport};
use snaphook_adapters::registry::Registry;
use snaphook_policy::{Failures, Folders, OnFailure, PolicyFault, PolicyLimits, SharedFacts};

use super::claim::Claim;
use super::invocation::{AuditChoice, Invocation};
use super::records::{JudgedMessage, PendingRecords};
use crate::audit::{OpenLog, new_id};
use crate::engine::{CallOutcome, failed, judge_parsed};
use crate::handlers::{Children, Handlers};
use crate::policy::{LoadedPolicy, Places, UserPolicy};

/// The time limits of one message.
#[derive(Debug, Clone, Copy)]
pub(super) struct RequestTimes {
    pub(super) started: Instant,
    /// The time at which the answer must be written.
    pub(super) deadline: Instant,
}

/// Judges and records messages by one policy. Clones share their handlers and pending records.
#[derive(Clone)]
pub(super) struct Service {
    /// The agent of the registered line.
    line: &'static dyn HookProtocol,
    /// The agent that sent the message, which may use the hooks of another; absent until the message has been read.
    sender: OnceLock<&'static dyn HookProtocol>,
    registry: Arc<Registry>,
    pub(super) places: Arc<Places>,
    pub(super) audit: AuditChoice,
    pub(super) user: Result<UserPolicy, PolicyFault>,
    children: Children,
    /// The folder of the session, and the folder of the process if it also applies; set by the first call.
    folders: OnceLock<(Option<String>, Option<String>)>,
    /// The reason why the policy in force is older than its file.
    pub(super) stale: Option<String>,
    pub(super) pending: Arc<PendingRecords>,
    /// The log of a long-lived process.
    pub(super) log: Arc<OpenLog>,
}

impl Service {
    /// Reads the user's policy. An invalid policy denies each call.
    pub(super) fn new(invocation: &Invocation) -> Self {
        let read = match invocation.protocol.agent().transport {
            Transport::Lines => UserPolicy::for_server,
            _ => UserPolicy::for_call,
        };
        Self::of(invocation, load(&invocation.places, &invocation.registry, read))
    }

    /// Creates a service that denies each call, because the policy was not read in time.
    pub(super) fn without_policy(invocation: &Invocation, time: Duration) -> Self {
        let why = format!("reading it took longer than {} ms", time.as_millis());
        Self::of(invocation, Err(PolicyFault::one(why)))
    }

    fn of(invocation: &Invocation, user: Result<UserPolicy, PolicyFault>) -> Self {
        Self {
            line: invocation.protocol,
            sender: OnceLock::new(),
            registry: Arc::clone(&invocation.registry),
            places: Arc::clone(&invocation.places),
            audit: invocation.audit.clone(),
            user,
            children: Children::new(),
            folders: OnceLock::new(),
            stale: None,
            pending: Arc::default(),
            log: Arc::default(),
        }
    }

    /// Returns the agent in whose form messages are answered.
    pub(super) fn protocol(&self) -> &'static dyn HookProtocol {
        self.sender.get().copied().unwrap_or(self.line)
    }

    /// Recognises the sender of the only message of the process, before it is parsed. The sender of a message that is not
    /// an object remains unknown.
    pub(super) fn recognise(&self, native: &Native) {
        if native.object().is_ok() {
            self.sender.get_or_init(|| self.registry.sender(self.line, native));
        }
    }

    /// Returns true if the sender is not known, and may be another agent than that of the registered line.
    fn may_be_another(&self) -> bool {
        let agent = self.line.agent();
        agent.transport == Transport::OneShot && self.sender.get().is_none() && self.registry.is_shared(agent)
    }

    /// Judges a message for which there is no verdict. If its sender is not known, the refusal is one that every agent
    /// obeys, in the form of the registered line and by exit code 2; none of them would read the question of another.
    pub(super) fn failed(&self, native: &Native, event: Option<HookEvent>, on: OnFailure, what: &str) -> CallOutcome {
        if !self.may_be_another() || on == OnFailure::Pass {
            return failed(self.protocol(), native, event, on, what);
        }
        let mut failed = failed(self.protocol(), native, event, OnFailure::Deny, what);
        if failed.gates() {
            let mut reply = Reply::blocked(&format!("snaphook: {what}"));
            reply.stdout = failed.reply.take().unwrap_or_default().stdout;
            failed.reply = Some(reply);
        }
        failed
    }

    /// Parses a message. Opens no file.
    pub(super) fn parse(&self, native: &Native) -> Result<Incoming, ParseError> {
        #[cfg(feature = "test-panic")]
        if native.body.as_str().contains("snaphook-test-panic") {
            std::panic::resume_unwind(Box::new("asked to panic"));
        }
        self.protocol().parse(native)
    }

    /// Judges a message and makes its record. Returns `None` if another thread has answered it in the meantime. All messages
    /// with the same `shared` must have arrived before.
    pub(super) fn judge(
        &self,
        native: &Native,
        parsed: Result<Incoming, ParseError>,
        times: RequestTimes,
        claim: &Claim,
        shared: &Arc<SharedFacts>,
    ) -> Option<JudgedMessage> {
        #[cfg(feature = "test-panic")]
        {
            hang_if(native.body.as_str().contains("snaphook-test-hang"));
            loop_if(native.body.as_str().contains("snaphook-test-loop"));
        }
        let (folder, process) = self.folders.get_or_init(|| self.places.session_folders(self.protocol().agent()));
        let native = &native.clone().line(native.line.clone().folder(folder.clone()).process(process.clone()));
        let id = new_id();
        let named = self.audit_file().map(|_| id.as_str());
        let mut handlers = Handlers::new(times.deadline, &self.children).for_agents(Arc::clone(&self.registry));
        let policy = |folders: Folders<'_>| Ok(self.policy(folders)?.with_shared(Arc::clone(shared)));
        let mut judged = match &parsed {
            Err(error) if self.may_be_another() => self.failed(native, None, self.failures().input, &error.to_string()),
            _ => judge_parsed(self.protocol(), native, parsed, &policy, &mut handlers, named),
        };
        let (sender, line) = (self.protocol().agent().id, self.line.agent().id);
        if sender != line {
            judged.remarks.push(format!("{sender} sent this to the hook that is registered for {line}"));
        }
        claim.reached(&judged);
        // The thread that answered also wrote the record.
        (!claim.is_taken()).then(|| self.prepare(&id, judged, native, times))
    }

    /// Judges a message that cannot be read, and makes its record.
    pub(super) fn judge_unreadable(
        &self,
        native: &Native,
        what: &str,
        over_limit: bool,
        times: RequestTimes,
        claim: &Claim,
    ) -> JudgedMessage {
        let mut judged = self.failed(native, None, self.failures().input, what);
        judged.over_limit = over_limit;
        claim.reached(&judged);
        self.prepare(&new_id(), judged, native, times)
    }

    /// The policy's answers to failures; an invalid policy denies.
    pub(super) fn failures(&self) -> Failures {
        match &self.user {
            Ok(user) => user.failures(),
            Err(fault) => Failures::all(fault.on_failure),
        }
    }

    /// The largest accepted message, in bytes.
    pub(super) fn input_limit(&self) -> u64 {
        self.user.as_ref().map_or_else(|_| PolicyLimits::default(), UserPolicy::limits).input
    }

    /// Reloads the policy if its file has changed, else returns `None`. An invalid new file leaves the last
    /// valid policy in force.
    pub(super) fn refreshed(&self) -> Option<Self> {
        if self.user.as_ref().is_ok_and(UserPolicy::is_current) {
            return None;
        }
        Some(match load(&self.places, &self.registry, UserPolicy::for_server) {
            Err(fault) if self.user.is_ok() => {
                Self { stale: Some(format!("the policy in force is outdated: {fault}")), ..self.clone() }
            }
            user => Self { user, stale: None, ..self.clone() },
        })
    }

    /// Kills every running handler with its process group.
    pub(super) fn end_children(&self) {
        self.children.end_all();
    }

    fn policy(&self, folders: Folders<'_>) -> Result<LoadedPolicy, PolicyFault> {
        let user = self.user.as_ref().map_err(PolicyFault::clone)?;
        LoadedPolicy::compose(user, folders, &self.registry)
    }
}

type Reads = fn(&Arc<Places>, &Registry) -> Result<UserPolicy, PolicyFault>;

/// Reads the policy. A panic during the read counts as an invalid policy, which denies each call (O6).
fn load(places: &Arc<Places>, registry: &Registry, read: Reads) -> Result<UserPolicy, PolicyFault> {
    let loaded = catch_unwind(AssertUnwindSafe(|| {
        #[cfg(feature = "test-panic")]
        if places.policy.as_ref().is_some_and(|file| file.to_string_lossy().contains("snaphook-test-panic")) {
            std::panic::resume_unwind(Box::new("asked to panic"));
        }
        #[cfg(feature = "test-panic")]
        hang_if(places.policy.as_ref().is_some_and(|file| file.to_string_lossy().contains("snaphook-test-hang")));
        read(places, registry)
    }));
    loaded.unwrap_or_else(|_| Err(PolicyFault::one("internal error while reading the policy; please report this")))
}

/// Blocks forever if `asked`, to simulate a file or lock that hangs.
#[cfg(feature = "test-panic")]
pub(super) fn hang_if(asked: bool) {
    if asked {
        crate::watchdog::before_waiting();
    }
    loop_if(asked);
}

/// Never returns if `asked`, to simulate an error in the program that nothing announces.
#[cfg(feature = "test-panic")]
fn loop_if(asked: bool) {
    if asked {
        loop {
            std::thread::park();
        }
    }
}
