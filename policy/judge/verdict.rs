//! Combines opinions into one verdict: for one action (V5, C5) and for the whole call (C6).

use indexmap::IndexSet;
use snaphook_adapters::model::{Verdict, VerdictKind};

use super::atoms::Atom;
use crate::Cause;
use crate::list::List;
use crate::rule_words::RuleWords;

/// The opinion of one rule, handler or built-in check.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Opinion {
    /// The verdict.
    pub verdict: Verdict,
    /// Where it comes from.
    pub cause: Cause,
}

impl Opinion {
    /// The opinion of a rule in a list on a part of a call, with the texts of the rule or its position as the reason.
    pub(super) fn rule(
        list: List,
        mut cause: Cause,
        words: Option<&RuleWords<'_>>,
        subject: impl FnOnce() -> String,
    ) -> Self {
        let said = words.and_then(sentences);
        let (rule, place) = (&cause.rule, place(&cause));
        let mut text = match list {
            List::Allow => format!("{rule} allows{place}"),
            List::Deny | List::Ask => {
                let subject = subject();
                let says = if list == List::Deny { "is denied" } else { "needs approval" };
                let by = if list == List::Deny { "by" } else { "because of" };
                let text = match words {
                    Some(_) => format!("{subject} {says}"),
                    None => format!("{subject} {says} {by} {rule}{place}"),
                };
                cause.quoted = Some(subject);
                text
            }
        };
        if let Some(said) = &said {
            append(&mut text, said);
        }
        cause.words = said;
        Self { verdict: list.verdict_with(text), cause }
    }

    /// The opinion of a rule on commands that cannot be read.
    pub(super) fn hidden(list: List, cause: Cause, why: &str) -> Self {
        let reason = format!("{} {}{}, and it could match {why}", cause.rule, list.says(), place(&cause));
        Self { verdict: list.verdict_with(reason), cause }
    }

    /// The opinion of a built-in check, with the policy key that controls it.
    pub(super) fn built_in(list: List, key: &str, why: &str, action: String) -> Self {
        let mut cause = Cause::new(list.verdict(), key);
        cause.action = Some(action);
        Self { verdict: list.verdict_with(format!("{key} {}: {why}", list.says())), cause }
    }

    /// The opinion caused by a failure.
    pub(super) fn failure(list: List, key: &str, why: &str) -> Self {
        Self { verdict: list.verdict_with(why.to_owned()), cause: Cause::new(list.verdict(), key) }
    }
}

/// The texts of a rule as sentences.
fn sentences(words: &RuleWords<'_>) -> Option<String> {
    let instead = words.instead.as_deref().map(|text| format!("Instead: {text}"));
    words.reason.as_deref().map(str::trim).map(str::to_owned).into_iter().chain(instead).reduce(|mut text, next| {
        append(&mut text, &next);
        text
    })
}

/// Appends a sentence to a text.
fn append(text: &mut String, sentence: &str) {
    text.push_str(if text.ends_with(['.', '!', '?']) { " " } else { ". " });
    text.push_str(sentence.trim());
}

/// The file and the line of a rule, in parentheses.
fn place(cause: &Cause) -> String {
    match (&cause.file, cause.line) {
        (Some(file), Some(line)) => format!(" ({file}:{line})"),
        _ => String::new(),
    }
}

impl List {
    /// The verdict of the rules in the list.
    pub(super) fn verdict(self) -> VerdictKind {
        match self {
            Self::Deny => VerdictKind::Deny,
            Self::Ask => VerdictKind::Ask,
            Self::Allow => VerdictKind::Allow,
        }
    }

    fn verdict_with(self, reason: String) -> Verdict {
        match self {
            Self::Deny => Verdict::Deny { reason },
            Self::Ask => Verdict::Ask { reason },
            Self::Allow => Verdict::Allow { reason },
        }
    }

    fn says(self) -> &'static str {
        match self {
            Self::Deny => "denies",
            Self::Ask => "asks",
            Self::Allow => "allows",
        }
    }
}

/// A verdict and its causes, the deciding one first.
#[derive(Debug)]
#[non_exhaustive]
pub struct CombinedVerdict {
    /// The verdict.
    pub verdict: Verdict,
    /// What contributed to it, the deciding cause first.
    pub causes: Vec<Cause>,
}

impl CombinedVerdict {
    /// The verdict of one opinion.
    pub fn one(verdict: Verdict, cause: Cause) -> Self {
        Self { verdict, causes: vec![cause] }
    }

    pub(super) fn of_opinion(opinion: Opinion) -> Self {
        Self { verdict: opinion.verdict, causes: vec![opinion.cause] }
    }

    /// Combines handlers only, for an event that is not a call.
    pub fn of_event(opinions: &[Opinion]) -> Self {
        let best = best(opinions.iter()).cloned();
        let verdict = best.as_ref().map_or(Verdict::Pass, |best| best.verdict.clone());
        Self { verdict, causes: causes(best.as_ref(), opinions.iter()) }
    }

    /// Combines the opinions on the atoms of a call. `silent` gives the opinion on an atom that has none.
    pub(super) fn of_call(
        atoms: &[Atom],
        rules: &[Option<Opinion>],
        handlers: Vec<Opinion>,
        silent: impl Fn(&Atom) -> Option<Opinion>,
    ) -> Self {
        let mut spoken: Vec<Opinion> = Vec::new();
        let mut worst: Option<(u8, Option<Opinion>)> = None;
        for (atom, rule) in atoms.iter().zip(rules) {
            let said = best(rule.iter().chain(&handlers)).cloned().or_else(|| silent(atom));
            let kind = said.as_ref().map_or(VerdictKind::Pass, |said| said.verdict.kind());
            let weight = across(kind);
            if atom.watch_only && !atom.withheld.get() && weight <= across(VerdictKind::Pass) {
                continue;
            }
            spoken.extend(rule.clone().into_iter().chain(said.clone()));
            if worst.as_ref().is_none_or(|(before, _)| weight > *before) {
                worst = Some((weight, said));
            }
        }
        let decided = worst.and_then(|(_, said)| said);
        let verdict = decided.as_ref().map_or(Verdict::Pass, |decided| decided.verdict.clone());
        spoken.extend(handlers);
        Self { verdict, causes: causes(decided.as_ref(), spoken.iter()) }
    }

    /// The stricter of two outcomes of one call; the causes of both are kept (C7).
    #[must_use]
    pub fn or_stricter(self, second: Self) -> Self {
        let is_stricter = across(second.verdict.kind()) > across(self.verdict.kind());
        let (mut winner, loser) = if is_stricter { (second, self) } else { (self, second) };
        let all: IndexSet<Cause> = winner.causes.into_iter().chain(loser.causes).collect();
        winner.causes = all.into_iter().collect();
        winner
    }
}

/// The strictest opinion on one action, or the first of equals. Silence never wins.
fn best<'o>(opinions: impl Iterator<Item = &'o Opinion>) -> Option<&'o Opinion> {
    let mut best: Option<&Opinion> = None;
    for opinion in opinions {
        let weight = among(opinion.verdict.kind());
        if weight > best.map_or(0, |best| among(best.verdict.kind())) {
            best = Some(opinion);
        }
    }
    best
}

fn causes<'o>(decided: Option<&'o Opinion>, spoken: impl Iterator<Item = &'o Opinion>) -> Vec<Cause> {
    let all: IndexSet<&Cause> = decided.into_iter().chain(spoken).map(|opinion| &opinion.cause).collect();
    all.into_iter().cloned().collect()
}

/// Precedence among rules and handlers that judge the same action.
fn among(kind: VerdictKind) -> u8 {
    match kind {
        VerdictKind::Pass => 0,
        VerdictKind::Allow => 1,
        VerdictKind::KeepGoing => 2,
        VerdictKind::Ask => 3,
        VerdictKind::Respond => 4,
        VerdictKind::Deny => 5,
        VerdictKind::Abort => 6,
        VerdictKind::HardAbort => 7,
    }
}

/// Precedence across the actions of a call: a part that no rule allows prevents an allow, and a response to one
/// part means that none of them runs.
fn across(kind: VerdictKind) -> u8 {
    match kind {
        VerdictKind::Allow => 0,
        VerdictKind::Pass | VerdictKind::KeepGoing => 1,
        VerdictKind::Ask => 2,
        VerdictKind::Respond => 3,
        VerdictKind::Deny => 4,
        VerdictKind::Abort => 5,
        VerdictKind::HardAbort => 6,
    }
}
