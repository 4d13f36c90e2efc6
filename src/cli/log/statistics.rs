//! Counts records by agent, rule and day.

use std::collections::BTreeMap;

use serde::Serialize;
use snaphook_adapters::model::VerdictKind;

use super::filter::local_time;
use crate::audit::AuditEntry;

/// The number of calls by the verdict that was sent.
#[derive(Debug, Default, Clone, Serialize)]
pub(in crate::cli) struct Counts {
    pub(in crate::cli) calls: usize,
    #[serde(flatten)]
    pub(in crate::cli) sent: BTreeMap<&'static str, usize>,
}

impl Counts {
    fn add(&mut self, entry: &AuditEntry) {
        self.calls += 1;
        *self.sent.entry(entry.sent.word()).or_default() += 1;
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
}

impl Statistics {
    pub(in crate::cli) fn add(&mut self, entry: &AuditEntry) {
        self.all.add(entry);
        self.first.get_or_insert_with(|| entry.time.clone());
        self.last = Some(entry.time.clone());
        self.failed += usize::from(entry.failure.is_some() || entry.incident.is_some());
        self.lost += usize::from(!entry.losses.is_empty());
        self.times.push(entry.ms);
        self.agents.entry(entry.agent.clone()).or_default().add(entry);
        if let Some(cause) = entry.causes.first() {
            self.rules.entry(cause.rule.clone()).or_default().add(entry);
        }
        let day = local_time(&entry.time);
        self.days.entry(day.get(..10).unwrap_or(&day).to_owned()).or_default().add(entry);
    }

    /// Computes the times, after all records were added.
    pub(in crate::cli) fn finish(&mut self) {
        self.times.sort_by(f64::total_cmp);
        let at = |hundredths: usize| self.times.get(self.times.len().saturating_sub(1) * hundredths / 100);
        (self.median_ms, self.p99_ms) = (at(50).copied().unwrap_or_default(), at(99).copied().unwrap_or_default());
    }

    /// The verdicts that occur, in the usual order.
    pub(in crate::cli) fn verdicts(&self) -> Vec<&'static str> {
        let words = VerdictKind::ALL.map(VerdictKind::word).into_iter();
        words.filter(|word| self.all.sent.contains_key(word)).collect()
    }
}

/// The counts, the largest first.
pub(in crate::cli) fn most_first(counts: &BTreeMap<String, Counts>) -> Vec<(&String, &Counts)> {
    let mut sorted: Vec<_> = counts.iter().collect();
    sorted.sort_by_key(|(_, counts)| std::cmp::Reverse(counts.calls));
    sorted
}
