//! Counts records by agent, rule and day.

use std::collections::BTreeMap;

use serde::Serialize;
use snaphook_adapters::model::VerdictKind;

use super::filter::local_time;
use crate::audit::AuditEntry;

/// The number of calls by the verdict that was sent, and by the one that was not enforced.
#[derive(Debug, Default, Clone, Serialize)]
pub(in crate::cli) struct Counts {
    pub(in crate::cli) calls: usize,
    #[serde(flatten)]
    pub(in crate::cli) sent: BTreeMap<&'static str, usize>,
    pub(in crate::cli) would: BTreeMap<&'static str, usize>,
}

impl Counts {
    fn add(&mut self, entry: &AuditEntry) {
        self.calls += 1;
        *self.sent.entry(entry.sent.word()).or_default() += 1;
        if let Some(would) = entry.would {
            *self.would.entry(would.word()).or_default() += 1;
        }
    }
}

/// The counts of a log.
#[derive(Debug, Default, Serialize)]
pub(in crate::cli) struct Statistics {
    pub(in crate::cli) all: Counts,
    pub(in crate::cli) first: Option<String>,
    pub(in crate::cli) last: Option<String>,
    pub(in crate::cli) failed: usize,
    pub(in crate::cli) lost: usize,
    /// The calls whose verdict was not enforced, by the reason: `monitor`, `pause` or `allow-once`.
    pub(in crate::cli) waived: BTreeMap<String, usize>,
    /// The times of all calls in milliseconds; sorted when they are shown.
    #[serde(skip)]
    times: Vec<f64>,
    /// The time that half of the calls took at most, in milliseconds, and 99 of 100.
    pub(in crate::cli) median_ms: f64,
    pub(in crate::cli) p99_ms: f64,
    pub(in crate::cli) agents: BTreeMap<String, Counts>,
    /// By the rule that decided; calls that no rule decided are left out.
    pub(in crate::cli) rules: BTreeMap<String, Counts>,
    pub(in crate::cli) days: BTreeMap<String, Counts>,
    pub(in crate::cli) handlers: BTreeMap<String, HandlerTimes>,
}

/// The times that a handler took, in milliseconds.
#[derive(Debug, Default, Serialize)]
pub(in crate::cli) struct HandlerTimes {
    pub(in crate::cli) calls: usize,
    /// Sorted when they are shown.
    #[serde(skip)]
    times: Vec<f64>,
    pub(in crate::cli) median_ms: f64,
    pub(in crate::cli) p99_ms: f64,
    pub(in crate::cli) slowest_ms: f64,
}

impl HandlerTimes {
    fn add(&mut self, ms: f64) {
        self.calls += 1;
        self.times.push(ms);
    }

    fn finish(&mut self) {
        (self.median_ms, self.p99_ms) = middle_and_most(&mut self.times);
        self.slowest_ms = self.times.last().copied().unwrap_or_default();
    }

    /// The number of calls and the times, as text.
    pub(in crate::cli) fn cells(&self) -> [String; 4] {
        let [median, p99, slowest] = [self.median_ms, self.p99_ms, self.slowest_ms].map(|ms| format!("{ms:.1}"));
        [self.calls.to_string(), median, p99, slowest]
    }
}

/// Sorts times, and returns the one that half of them do not exceed, and the one that 99 of 100 do not exceed.
fn middle_and_most(times: &mut [f64]) -> (f64, f64) {
    times.sort_by(f64::total_cmp);
    let at = |hundredths: usize| times.get(times.len().saturating_sub(1) * hundredths / 100).copied();
    (at(50).unwrap_or_default(), at(99).unwrap_or_default())
}

impl Statistics {
    pub(in crate::cli) fn add(&mut self, entry: &AuditEntry) {
        self.all.add(entry);
        self.first.get_or_insert_with(|| entry.time.clone());
        self.last = Some(entry.time.clone());
        self.failed += usize::from(entry.failure.is_some() || entry.incident.is_some());
        self.lost += usize::from(!entry.losses.is_empty());
        if let Some(waived) = &entry.waived {
            *self.waived.entry(waived.clone()).or_default() += 1;
        }
        self.times.push(entry.ms);
        self.agents.entry(entry.agent.clone()).or_default().add(entry);
        if let Some(cause) = entry.causes.first() {
            self.rules.entry(cause.rule.clone()).or_default().add(entry);
        }
        for handler in &entry.handlers {
            self.handlers.entry(handler.name.clone()).or_default().add(handler.ms);
        }
        let day = local_time(&entry.time);
        self.days.entry(day.get(..10).unwrap_or(&day).to_owned()).or_default().add(entry);
    }

    /// Computes the times, after all records were added.
    pub(in crate::cli) fn finish(&mut self) {
        (self.median_ms, self.p99_ms) = middle_and_most(&mut self.times);
        self.handlers.values_mut().for_each(HandlerTimes::finish);
    }

    /// The handlers, the one with the highest median first.
    pub(in crate::cli) fn slowest_handlers(&self) -> Vec<(&String, &HandlerTimes)> {
        let mut sorted: Vec<_> = self.handlers.iter().collect();
        sorted.sort_by(|(_, one), (_, other)| other.median_ms.total_cmp(&one.median_ms));
        sorted
    }

    /// The verdicts that were sent, in the usual order.
    pub(in crate::cli) fn sent(&self) -> Vec<&'static str> {
        in_order(&self.all.sent)
    }

    /// The verdicts that were not enforced, in the usual order.
    pub(in crate::cli) fn would(&self) -> Vec<&'static str> {
        in_order(&self.all.would)
    }
}

fn in_order(counts: &BTreeMap<&'static str, usize>) -> Vec<&'static str> {
    let words = VerdictKind::ALL.map(VerdictKind::word).into_iter();
    words.filter(|word| counts.contains_key(word)).collect()
}

/// The counts, the largest first.
pub(in crate::cli) fn most_first(counts: &BTreeMap<String, Counts>) -> Vec<(&String, &Counts)> {
    let mut sorted: Vec<_> = counts.iter().collect();
    sorted.sort_by_key(|(_, counts)| std::cmp::Reverse(counts.calls));
    sorted
}
