//! Writes the audit record of each message.

use std::io;
use std::path::PathBuf;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use snaphook_adapters::model::Reply;
use snaphook_adapters::protocol::Native;
use snaphook_policy::{AuditInputs, OnFailure};

use super::invocation::AuditChoice;
use super::service::{RequestTimes, Service};
use crate::audit::{AuditFile, Record, Unwritten, append_record, line_of, new_id};
use crate::drift::{self, MessageShape};
use crate::engine::CallOutcome;
use crate::export::RecordSender;
use crate::policy::{Places, UserPolicy};

/// Counts the records that are being written in the background.
#[derive(Default)]
pub(super) struct PendingRecords {
    count: Mutex<usize>,
    changed: Condvar,
}

impl PendingRecords {
    /// Returns false if too many records are pending, which means that the log hangs.
    fn add(&self) -> bool {
        let mut count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        let adds = *count < MOST_PENDING;
        *count += usize::from(adds);
        adds
    }

    fn remove(&self) {
        *self.count.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.changed.notify_all();
    }
}

/// A judged message, with the record that has to be written before its answer.
pub(super) struct JudgedMessage {
    pub(super) outcome: CallOutcome,
    /// `None` if the message is not recorded.
    pub(super) record: Option<PreparedRecord>,
}

/// A record that is not written yet.
pub(super) struct PreparedRecord {
    pub(super) file: AuditFile,
    pub(super) line: Vec<u8>,
}

impl JudgedMessage {
    /// A message that is not recorded.
    pub(super) fn unrecorded(outcome: CallOutcome) -> Self {
        Self { outcome, record: None }
    }
}

impl Service {
    /// Records an answer and returns it; a record that fails changes the answer as the policy says.
    pub(super) fn record(&self, judged: CallOutcome, native: &Native, times: RequestTimes) -> (CallOutcome, Reply) {
        let judged = self.prepare(&new_id(), judged, native, times);
        self.write_record(judged, native, times)
    }

    /// Records a refusal on another thread and then passes on the answer, so that a log that hangs delays no
    /// other answer. If no thread can be started or too many records are pending, `done` is dropped and nothing
    /// is recorded.
    pub(super) fn record_in_background(
        &self,
        judged: CallOutcome,
        native: &Native,
        started: Instant,
        done: impl FnOnce((CallOutcome, Reply)) + Send + 'static,
    ) {
        if !self.pending.add() {
            return;
        }
        let (service, native) = (self.clone(), native.clone());
        let record = move || {
            done(service.record(judged, &native, RequestTimes { started, deadline: Instant::now() + RECORDING }));
            service.pending.remove();
        };
        if std::thread::Builder::new().name("log".to_owned()).spawn(record).is_err() {
            self.pending.remove();
        }
    }

    /// Waits briefly until the background records are written.
    pub(super) fn wait_for_records(&self) {
        let PendingRecords { count, changed } = &*self.pending;
        let count = count.lock().unwrap_or_else(PoisonError::into_inner);
        drop(changed.wait_timeout_while(count, RECORDING, |count| *count > 0));
    }

    /// Makes the record of a judged message.
    pub(super) fn prepare(
        &self,
        id: &str,
        mut judged: CallOutcome,
        native: &Native,
        times: RequestTimes,
    ) -> JudgedMessage {
        let Some(file) = self.audit_file().filter(|_| judged.greeting.is_none()) else {
            return JudgedMessage::unrecorded(judged);
        };
        let reply = judged.reply.clone().unwrap_or_default();
        let record = self.record_of(id, &mut judged, &reply).took(times.started.elapsed());
        match line_of(&record) {
            Ok(line) => JudgedMessage { outcome: judged, record: Some(PreparedRecord { file, line }) },
            Err(error) => {
                self.without_record(&mut judged, native, &file, &error);
                JudgedMessage::unrecorded(judged)
            }
        }
    }

    /// Writes the record of a message and returns the answer; a record that fails changes the answer as the policy says.
    pub(super) fn write_record(
        &self,
        judged: JudgedMessage,
        native: &Native,
        times: RequestTimes,
    ) -> (CallOutcome, Reply) {
        let JudgedMessage { mut outcome, record } = judged;
        if let Some(PreparedRecord { file, line }) = record {
            #[cfg(feature = "test-panic")]
            super::service::hang_if(file.path.to_string_lossy().contains("snaphook-test-hang"));
            if let Err(error) = append_record(&file, line, locking_until(times.deadline)) {
                self.without_record(&mut outcome, native, &file, &error);
            }
        }
        let reply = outcome.reply.clone().unwrap_or_default();
        (outcome, reply)
    }

    /// Writes the records of several messages with a single write.
    pub(super) fn write_records(
        &self,
        file: &AuditFile,
        lines: &[Vec<u8>],
        deadline: Instant,
    ) -> Result<(), Unwritten> {
        #[cfg(feature = "test-panic")]
        super::service::hang_if(file.path.to_string_lossy().contains("snaphook-test-hang"));
        self.log.append(file, lines, locking_until(deadline))
    }

    /// Changes the answer to a message whose record could not be written as the policy says.
    pub(super) fn without_record(
        &self,
        judged: &mut CallOutcome,
        native: &Native,
        file: &AuditFile,
        error: &io::Error,
    ) {
        if self.failures().audit != OnFailure::Pass && judged.reply.is_some() {
            let what = format!("cannot write a record to {}: {error}", file.path.display());
            *judged = self.failed(native, judged.event.take(), self.failures().audit, &what);
        }
    }

    /// Makes the record; causes and remarks move into it, where alone they are needed.
    fn record_of(&self, id: &str, judged: &mut CallOutcome, reply: &Reply) -> Record {
        let mut record = Record::new(id, self.protocol().agent().id);
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
        record.fingerprint = judged.fingerprint.take();
        (record.would, record.waived) = judged.waived.map(|waived| (waived.verdict, waived.by.word())).unzip();
        record.remarks = std::mem::take(&mut judged.remarks);
        record.remarks.extend(self.stale.clone());
        record.incident.clone_from(&judged.incident);
        record.isolated = judged.isolated;
        record.over_limit = judged.over_limit;
        record.not_understood = judged.not_understood.is_some();
        let inputs = self.user.as_ref().is_ok_and(|user| user.audit().inputs == AuditInputs::Redacted);
        let decided = judged.causes.iter().find(|cause| cause.verdict == judged.wanted && cause.quoted.is_some());
        if let Some(quoted) = decided.and_then(|cause| cause.quoted.as_deref()) {
            record.reason = if inputs {
                crate::audit::redact(&record.reason)
            } else {
                crate::audit::without_quoted(&record.reason, quoted)
            };
        }
        record.causes = std::mem::take(&mut judged.causes);
        let action = if inputs { crate::audit::with_input_redacted } else { crate::audit::without_input };
        record.causes.iter_mut().filter_map(|cause| cause.action.as_mut()).for_each(action);
        record.handlers = std::mem::take(&mut judged.handlers);
        record.parts.clone_from(&judged.parts);
        record.parts.iter_mut().map(|part| &mut part.action).for_each(action);
        let word = if inputs { crate::audit::redact } else { crate::audit::outline };
        record.word = judged.not_understood.as_deref().map(word);
        let call = judged.event.as_ref().and_then(|event| event.call()).filter(|_| inputs);
        record.input = call.map(|call| crate::audit::redact_json(call.input.as_str()));
        record.cwd = call.and(judged.event.as_ref()).and_then(|event| event.cwd.clone());
        if let Ok(user) = &self.user {
            user.origin().clone_into(&mut record.policy);
        }
        record
    }

    /// Returns true if the shapes of messages are recorded.
    pub(super) fn records_shapes(&self) -> bool {
        self.user.as_ref().is_ok_and(|user| user.audit().shapes)
    }

    /// Records the shape of a message, after its answer. A failure loses the shape alone.
    pub(super) fn record_shape(&self, native: &Native, judged: &CallOutcome) {
        if !self.records_shapes() || judged.greeting.is_some() {
            return;
        }
        let shape = || MessageShape::of(self.protocol().agent().id, native, judged.event.as_ref());
        if let Some((log, shape)) = self.audit_place().and_then(|log| Some((log, shape()?))) {
            let _ = drift::record(&log.path, &shape);
        }
    }

    /// Returns what sends the records, if the policy names a collector.
    pub(super) fn record_sender(&self) -> Option<RecordSender> {
        self.user.as_ref().ok()?.audit().otlp.as_ref()?;
        RecordSender::new(&self.audit_place()?.path, &self.places)
    }

    pub(super) fn audit_file(&self) -> Option<AuditFile> {
        let file = self.audit_place()?;
        Some(if self.failures().audit == OnFailure::Pass { file } else { file.required() })
    }

    fn audit_place(&self) -> Option<AuditFile> {
        let of_policy = |user: &UserPolicy| {
            let file = || user.audit().file.clone().or_else(|| default_audit(&self.places));
            user.audit().enabled.then(file).flatten().map(AuditFile::new)
        };
        let mut file = match (&self.audit, &self.user) {
            (_, Ok(user)) if user.fixes_audit() => of_policy(user),
            (AuditChoice::Off, _) => None,
            (AuditChoice::File(path), _) => Some(AuditFile::new(path)),
            (AuditChoice::Policy, Ok(user)) => of_policy(user),
            (AuditChoice::Policy, Err(_)) => default_audit(&self.places).map(AuditFile::new),
        };
        if let (Some(file), Ok(user)) = (&mut file, &self.user) {
            file.rotation = user.audit().rotation;
        }
        file
    }
}

/// The path of the log if neither the policy nor the command line names one.
pub(crate) fn default_audit(places: &Places) -> Option<PathBuf> {
    places.state_folder().map(|folder| folder.join("audit.jsonl"))
}

/// The time until which a record may wait for the lock of the log. Half of the remaining time is reserved for the
/// answer.
fn locking_until(deadline: Instant) -> Instant {
    let now = Instant::now();
    now + (deadline.saturating_duration_since(now) / 2).min(LOCKING)
}

/// Time limit of the record of a refusal.
pub(super) const RECORDING: Duration = Duration::from_millis(100);
/// Time limit of locking the log.
const LOCKING: Duration = Duration::from_millis(200);
/// The maximum number of pending records.
const MOST_PENDING: usize = 64;
