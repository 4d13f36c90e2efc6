//! What a call needs besides its message: the agent, the registered line, the policy, the log.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use snaphook_adapters::model::Reply;
use snaphook_adapters::protocol::{HookProtocol, Line, Native, Transport};
use snaphook_adapters::registry::Registry;

use crate::audit::{AuditFile, Record, append, new_id};
use crate::engine::{Judged, failed, judge};
use crate::handlers::{Children, Handlers};
use crate::policy::{AuditInputs, Failures, Limits, OnFailure, Places, Policy, PolicyFault, UserPolicy};

/// Holds what every message of one process is judged with.
#[derive(Clone)]
pub(crate) struct Desk {
    pub(crate) protocol: &'static dyn HookProtocol,
    pub(crate) line: Line,
    pub(crate) deadline: Option<Duration>,
    registry: Arc<Registry>,
    places: Arc<Places>,
    audit: AuditChoice,
    user: Result<UserPolicy, PolicyFault>,
    children: Children,
    /// Why the policy in force is not the one that the file holds now.
    stale: Option<String>,
    /// Whether there is a trust store, so that project files may start programs.
    trusts: bool,
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
    pub(crate) fn new(
        protocol: &'static dyn HookProtocol,
        registry: Arc<Registry>,
        line: Line,
        places: Places,
        audit: AuditChoice,
        deadline: Option<Duration>,
    ) -> Self {
        let places = Arc::new(places);
        let read = match protocol.agent().transport {
            Transport::Lines => UserPolicy::for_many,
            _ => UserPolicy::for_call,
        };
        let user = load(&places, &registry, read);
        Self {
            protocol,
            line,
            deadline,
            registry,
            audit,
            user,
            children: Children::new(),
            stale: None,
            trusts: trusts(&places),
            places,
        }
    }

    /// Judges, records and returns the answer to write. `reached` is told before the record is made.
    pub(crate) fn judged(
        &self,
        native: &Native,
        started: Instant,
        deadline: Instant,
        reached: impl FnOnce(&Judged),
    ) -> (Judged, Reply) {
        #[cfg(feature = "test-panic")]
        if native.body.as_str().contains("snaphook-test-panic") {
            std::panic::resume_unwind(Box::new("asked to panic"));
        }
        let id = new_id();
        let named = self.audit_file().map(|_| id.as_str());
        let mut handlers = Handlers::new(deadline, &self.children);
        let policy = |cwd: Option<&str>| self.policy(cwd);
        let judged = judge(self.protocol, native, &policy, &mut handlers, named);
        reached(&judged);
        self.recorded_as(&id, judged, native, started)
    }

    /// Records what came of a failure.
    pub(crate) fn recorded(&self, judged: Judged, native: &Native, started: Instant) -> (Judged, Reply) {
        self.recorded_as(&new_id(), judged, native, started)
    }

    /// Records a refusal that has gone out already, on a thread of its own: what hangs there holds nobody
    /// up. Ready when it is done.
    pub(crate) fn note(&self, judged: Judged, native: &Native, started: Instant) -> Receiver<()> {
        let (done, ready) = channel();
        let (desk, native) = (self.clone(), native.clone());
        let note = move || {
            desk.recorded(judged, &native, started);
            let _ = done.send(());
        };
        // Where no thread can be had, there is no record.
        let _ = std::thread::Builder::new().name("log".to_owned()).spawn(note);
        ready
    }

    fn recorded_as(&self, id: &str, mut judged: Judged, native: &Native, started: Instant) -> (Judged, Reply) {
        let reply = judged.reply.clone().unwrap_or_default();
        let Some(file) = self.audit_file().filter(|_| judged.greeting.is_none()) else { return (judged, reply) };
        let record = self.record(id, &mut judged, &reply).took(started.elapsed());
        match append(&file, &record) {
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
        record.input = call.map(|call| crate::audit::redact(call.input.as_str()));
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

    /// Whether the policy may start a program during a call.
    pub(crate) fn asks_outside(&self) -> bool {
        self.user.as_ref().is_ok_and(|user| user.starts_programs() || self.trusts)
    }

    /// Reads the policy again where its file has changed; a broken one leaves the last good one in force.
    pub(crate) fn refresh(&mut self) {
        self.trusts = trusts(&self.places);
        if self.user.as_ref().is_ok_and(UserPolicy::is_current) {
            return;
        }
        match load(&self.places, &self.registry, UserPolicy::for_many) {
            Err(fault) if self.user.is_ok() => {
                self.stale = Some(format!("the policy in force is an older one: {fault}"));
            }
            user => (self.user, self.stale) = (user, None),
        }
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

    pub(crate) fn usage(&self) -> String {
        let id = self.protocol.agent().id;
        format!(
            "snaphook hook {id}: reads one message of {id} on stdin and answers it; there is none on a terminal.\n\
             To see what it would do: snaphook try 'rm -rf ~/work'\n\
             To register it: snaphook agents {id} --snippet"
        )
    }

    fn policy(&self, cwd: Option<&str>) -> Result<Policy, PolicyFault> {
        let user = self.user.as_ref().map_err(PolicyFault::clone)?;
        Policy::compose(user, cwd, &self.registry)
    }

    fn audit_file(&self) -> Option<AuditFile> {
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
        read(places, registry)
    }));
    loaded.unwrap_or_else(|_| Err(PolicyFault::one("reading it failed inside; please report this")))
}

fn trusts(places: &Places) -> bool {
    places.trust_file().is_some_and(|store| store.exists())
}

/// How long an index may take; the next call tries again.
const FILING: Duration = Duration::from_millis(500);

/// Where the log is when neither the policy nor the command line says it.
pub(crate) fn default_audit(places: &Places) -> Option<PathBuf> {
    places.state_folder().map(|folder| folder.join("audit.jsonl"))
}
