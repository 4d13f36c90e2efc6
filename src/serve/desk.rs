//! What a call needs besides its message: the agent, the registered line, the policy, the log.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use snaphook_adapters::model::{Incoming, Reply};
use snaphook_adapters::protocol::{HookProtocol, Line, Native, ParseError, Transport};
use snaphook_adapters::registry::Registry;

use super::claim::Claim;
use crate::audit::{AuditFile, Record, append, new_id};
use crate::engine::{Judged, failed, judge_parsed};
use crate::handlers::{Children, Handlers};
use crate::policy::{AuditInputs, Failures, Folders, Limits, OnFailure, Places, Policy, PolicyFault, UserPolicy};

/// Holds what the registered command line says.
#[derive(Clone)]
pub(crate) struct Invocation {
    pub(crate) protocol: &'static dyn HookProtocol,
    pub(crate) registry: Arc<Registry>,
    pub(crate) line: Line,
    pub(crate) places: Arc<Places>,
    pub(crate) audit: AuditChoice,
    pub(crate) deadline: Option<Duration>,
}

impl Invocation {
    pub(crate) fn usage(&self) -> String {
        let id = self.protocol.agent().id;
        format!(
            "snaphook hook {id}: reads one message of {id} on stdin and answers it; there is none on a terminal.\n\
             To see what it would do: snaphook try 'rm -rf ~/work'\n\
             To register it: snaphook agents {id} --snippet"
        )
    }
}

/// Holds what every message of one process is judged with.
#[derive(Clone)]
pub(crate) struct Desk {
    pub(crate) protocol: &'static dyn HookProtocol,
    registry: Arc<Registry>,
    places: Arc<Places>,
    audit: AuditChoice,
    user: Result<UserPolicy, PolicyFault>,
    children: Children,
    /// The folder of the session, and that of the process if it counts too; read with the first call.
    folders: OnceLock<(Option<String>, Option<String>)>,
    /// Why the policy in force is not the one that the file holds now.
    stale: Option<String>,
    /// How many records are being written by threads of their own.
    notes: Arc<AtomicUsize>,
}

/// Says where records go: as the policy says, or as the command line does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AuditChoice {
    Policy,
    File(PathBuf),
    Off,
}

impl Desk {
    /// Reads the user's policy; a fault in it is kept, and denies each call.
    pub(crate) fn new(invocation: &Invocation) -> Self {
        let read = match invocation.protocol.agent().transport {
            Transport::Lines => UserPolicy::for_many,
            _ => UserPolicy::for_call,
        };
        Self::of(invocation, load(&invocation.places, &invocation.registry, read))
    }

    /// For calls whose policy has not been read in time: each is denied.
    pub(crate) fn without_policy(invocation: &Invocation, why: impl Into<String>) -> Self {
        Self::of(invocation, Err(PolicyFault::one(why)))
    }

    fn of(invocation: &Invocation, user: Result<UserPolicy, PolicyFault>) -> Self {
        Self {
            protocol: invocation.protocol,
            registry: Arc::clone(&invocation.registry),
            places: Arc::clone(&invocation.places),
            audit: invocation.audit.clone(),
            user,
            children: Children::new(),
            folders: OnceLock::new(),
            stale: None,
            notes: Arc::default(),
        }
    }

    /// Parses a message. No file is looked at.
    pub(crate) fn parsed(&self, native: &Native) -> Result<Incoming, ParseError> {
        #[cfg(feature = "test-panic")]
        if native.body.as_str().contains("snaphook-test-panic") {
            std::panic::resume_unwind(Box::new("asked to panic"));
        }
        self.protocol.parse(native)
    }

    /// Judges, records and returns the answer to write; `None`: the call has been answered in the meantime.
    pub(crate) fn judged(
        &self,
        native: &Native,
        parsed: Result<Incoming, ParseError>,
        (started, deadline): (Instant, Instant),
        claim: &Claim,
    ) -> Option<(Judged, Reply)> {
        #[cfg(feature = "test-panic")]
        hang_if(native.body.as_str().contains("snaphook-test-hang"));
        let (folder, process) = self.folders.get_or_init(|| self.places.session_folders(self.protocol.agent()));
        let native = &native.clone().line(native.line.clone().folder(folder.clone()).process(process.clone()));
        let id = new_id();
        let named = self.audit_file().map(|_| id.as_str());
        let mut handlers = Handlers::new(deadline, &self.children);
        let policy = |folders: Folders<'_>| self.policy(folders);
        let judged = judge_parsed(self.protocol, native, parsed, &policy, &mut handlers, named);
        claim.reached(&judged);
        // Who answered has recorded that.
        (!claim.is_taken()).then(|| self.recorded_as(&id, judged, native, (started, deadline)))
    }

    /// Records what came of a failure.
    pub(crate) fn recorded(&self, judged: Judged, native: &Native, times: (Instant, Instant)) -> (Judged, Reply) {
        self.recorded_as(&new_id(), judged, native, times)
    }

    /// Records a refusal on a thread of its own, and hands over what came of it: a log that hangs holds up no
    /// answer. Where no thread can be had, or too many hang already, there is no record, and `done` is dropped.
    pub(crate) fn note(
        &self,
        judged: Judged,
        native: &Native,
        started: Instant,
        done: impl FnOnce((Judged, Reply)) + Send + 'static,
    ) {
        let (desk, native, notes) = (self.clone(), native.clone(), Arc::clone(&self.notes));
        if notes.fetch_add(1, Ordering::AcqRel) >= MOST_NOTES {
            notes.fetch_sub(1, Ordering::AcqRel);
            return;
        }
        let counted = Arc::clone(&notes);
        let note = move || {
            done(desk.recorded(judged, &native, (started, Instant::now() + RECORDING)));
            notes.fetch_sub(1, Ordering::AcqRel);
        };
        if std::thread::Builder::new().name("log".to_owned()).spawn(note).is_err() {
            counted.fetch_sub(1, Ordering::AcqRel);
        }
    }

    /// Returns true if a thread still writes a record.
    pub(crate) fn is_noting(&self) -> bool {
        self.notes.load(Ordering::Acquire) > 0
    }

    fn recorded_as(
        &self,
        id: &str,
        mut judged: Judged,
        native: &Native,
        (started, deadline): (Instant, Instant),
    ) -> (Judged, Reply) {
        let reply = judged.reply.clone().unwrap_or_default();
        let Some(file) = self.audit_file().filter(|_| judged.greeting.is_none()) else { return (judged, reply) };
        #[cfg(feature = "test-panic")]
        hang_if(file.path.to_string_lossy().contains("snaphook-test-hang"));
        let record = self.record(id, &mut judged, &reply).took(started.elapsed());
        // Half of the time that is left is for the answer.
        let now = Instant::now();
        let until = now + (deadline.saturating_duration_since(now) / 2).min(LOCKING);
        match append(&file, &record, until) {
            Err(error) if self.failures().audit != OnFailure::Pass && judged.reply.is_some() => {
                let what = format!("no record can be written to {}: {error}", file.path.display());
                let judged = failed(self.protocol, native, judged.event, self.failures().audit, &what);
                let reply = judged.reply.clone().unwrap_or_default();
                (judged, reply)
            }
            _ => (judged, reply),
        }
    }

    /// Says what was judged; causes and remarks move into the record, where alone they are needed.
    fn record(&self, id: &str, judged: &mut Judged, reply: &Reply) -> Record {
        let mut record = Record::new(id, self.protocol.agent().id);
        if let Some(event) = &judged.event {
            record = record.event(event);
        }
        (record.wanted, record.sent) = (judged.wanted, judged.wanted);
        if let Some(fitted) = &judged.fitted {
            record = record.answer(judged.wanted, fitted, &judged.losses, reply);
        }
        if let Some(what) = &judged.failure {
            record = record.failed(what.as_str(), reply);
        }
        record.remarks = std::mem::take(&mut judged.remarks);
        record.remarks.extend(self.stale.clone());
        record.incident.clone_from(&judged.incident);
        record.isolated = judged.isolated;
        record.over_limit = judged.over_limit;
        record.not_understood = judged.not_understood.is_some();
        let inputs = self.user.as_ref().is_ok_and(|user| user.audit().inputs == AuditInputs::Redacted);
        record.causes = std::mem::take(&mut judged.causes);
        let action = if inputs { crate::audit::with_input_redacted } else { crate::audit::without_input };
        record.causes.iter_mut().filter_map(|cause| cause.action.as_mut()).for_each(action);
        record.parts.clone_from(&judged.parts);
        record.parts.iter_mut().map(|part| &mut part.action).for_each(action);
        let word = if inputs { crate::audit::redact } else { crate::audit::outline };
        record.word = judged.not_understood.as_deref().map(word);
        let call = judged.event.as_ref().and_then(|event| event.call()).filter(|_| inputs);
        record.input = call.map(|call| crate::audit::redact_json(call.input.as_str()));
        if let Ok(user) = &self.user {
            user.origin().clone_into(&mut record.policy);
        }
        record
    }

    /// What the policy says of failures; a broken policy denies.
    pub(crate) fn failures(&self) -> Failures {
        match &self.user {
            Ok(user) => user.failures(),
            Err(fault) => Failures::all(fault.on_failure),
        }
    }

    /// The largest message that is read, in bytes.
    pub(crate) fn input_limit(&self) -> u64 {
        self.user.as_ref().map_or_else(|_| Limits::default(), UserPolicy::limits).input
    }

    /// Reads the policy again if its file has changed; a broken one leaves the last good one in force. `None`:
    /// nothing has changed.
    pub(crate) fn refreshed(&self) -> Option<Self> {
        if self.user.as_ref().is_ok_and(UserPolicy::is_current) {
            return None;
        }
        Some(match load(&self.places, &self.registry, UserPolicy::for_many) {
            Err(fault) if self.user.is_ok() => {
                Self { stale: Some(format!("the policy in force is an older one: {fault}")), ..self.clone() }
            }
            user => Self { user, stale: None, ..self.clone() },
        })
    }

    /// Leaves an index of a long policy for the next call, once the answer has gone out. On a thread of
    /// its own: a disk that hangs holds nobody up for long.
    pub(crate) fn file_away(&'static self) {
        let Some(user) = self.user.as_ref().ok().filter(|user| user.is_unfiled()) else { return };
        let (done, ready) = channel();
        let file = move || {
            user.file_away(&self.registry);
            let _ = done.send(());
        };
        if std::thread::Builder::new().name("index".to_owned()).spawn(file).is_ok() {
            let _ = ready.recv_timeout(FILING);
        }
    }

    /// Kills whatever a call started that still runs.
    pub(crate) fn end_children(&self) {
        self.children.end_all();
    }

    fn policy(&self, folders: Folders<'_>) -> Result<Policy, PolicyFault> {
        let user = self.user.as_ref().map_err(PolicyFault::clone)?;
        Policy::compose(user, folders, &self.registry)
    }

    fn audit_file(&self) -> Option<AuditFile> {
        let file = self.audit_place()?;
        Some(if self.failures().audit == OnFailure::Pass { file } else { file.required() })
    }

    fn audit_place(&self) -> Option<AuditFile> {
        match (&self.audit, &self.user) {
            (AuditChoice::Off, _) => None,
            (AuditChoice::File(path), _) => Some(AuditFile::new(path)),
            (AuditChoice::Policy, Ok(user)) if !user.audit().enabled => None,
            (AuditChoice::Policy, Ok(user)) => {
                user.audit().file.clone().or_else(|| default_audit(&self.places)).map(AuditFile::new)
            }
            (AuditChoice::Policy, Err(_)) => default_audit(&self.places).map(AuditFile::new),
        }
    }
}

type Reads = fn(&Arc<Places>, &Registry) -> Result<UserPolicy, PolicyFault>;

/// Reads the policy; a panic in that is a fault like any other, which denies each call (O6).
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
    loaded.unwrap_or_else(|_| Err(PolicyFault::one("reading it failed inside; please report this")))
}

/// Stands in for a file or a lock that hangs.
#[cfg(feature = "test-panic")]
fn hang_if(asked: bool) {
    if asked {
        loop {
            std::thread::park();
        }
    }
}

/// How long an index may take; the next call tries again.
pub(super) const FILING: Duration = Duration::from_millis(500);
/// How long the record of a refusal may take.
pub(super) const RECORDING: Duration = Duration::from_millis(100);
/// How long the lock of the log may take.
const LOCKING: Duration = Duration::from_millis(200);
/// How many records may be written at once by threads of their own.
const MOST_NOTES: usize = 64;

/// Where the log is when neither the policy nor the command line says it.
pub(crate) fn default_audit(places: &Places) -> Option<PathBuf> {
    places.state_folder().map(|folder| folder.join("audit.jsonl"))
}
