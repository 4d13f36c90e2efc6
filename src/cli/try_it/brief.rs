//! Prints a trial in a few lines: what decides, and what each agent does.

use std::fmt::Write;
use std::ops::Range;

use indexmap::IndexMap;
use snaphook_adapters::model::VerdictKind;
use snaphook_adapters::protocol::Agent;
use snaphook_hosts::Effect;
use snaphook_policy::Cause;
use unicode_width::UnicodeWidthStr;

use super::super::color::{Tone, width};
use super::super::table::cell;
use super::super::{isolation, one_line, unverified};
use super::runner::{Sent, Walk};
use super::show::{place, skips_handlers};
use super::{Trial, Tried};

pub(super) fn text(trial: &Trial, out: &mut String) {
    let width = width().unwrap_or(usize::MAX).max(MIN_WIDTH);
    let decided = trial.tried.iter().find_map(|(_, tried)| first(tried));
    let cause = decided.and_then(|sent| sent.judged.causes.first());
    called(trial, width, out);
    match (cause, decided) {
        (Some(cause), Some(sent)) => because(cause, sent, width, out),
        _ => {
            out.push_str("No rule decides this call.\n");
        }
    }
    for notice in &trial.policy.notices {
        paragraph(notice, "", width, out);
    }
    out.push('\n');
    let longest = trial.tried.iter().map(|(agent, _)| agent.id.width()).max().unwrap_or_default();
    for (agent, tried) in &trial.tried {
        let blank = longest - agent.id.width();
        let _ = writeln!(out, "{}{:blank$}  {}", agent.id, "", said(agent, tried, cause));
    }
    remarks(trial, width, out);
    out.push('\n');
    paragraph(&format!("policy: {}", trial.policy.origin), "", width, out);
}

pub(super) fn first(tried: &Tried) -> Option<&Sent> {
    match tried {
        Tried::Shown(walks) => walks.iter().flat_map(Walk::sent).next(),
        Tried::Not(_) => None,
    }
}

/// Prints the call, with the part that the rule speaks of underlined.
fn called(trial: &Trial, width: usize, out: &mut String) {
    let Some(subject) = trial.subject.as_deref() else { return };
    let split =
        |part: &Range<usize>| Some((subject.get(..part.start)?, subject.get(part.clone())?, subject.get(part.end..)?));
    let Some((before, part, after)) = trial.part.as_ref().and_then(split) else {
        let _ = writeln!(out, "{}", cell(subject, width));
        return;
    };
    // The start of a long command is cut off, so that the part is visible.
    let before = end_of(&one_line(before), width / 3);
    let part = cell(&one_line(part), (width - before.width()).max(MIN_PART));
    let after = match width.saturating_sub(before.width() + part.width()) {
        0 => String::new(),
        room => cell(&one_line(after), room),
    };
    let _ = writeln!(out, "{before}{}{after}", Tone::Marked.paint(&part));
    let _ = writeln!(out, "{:1$}{2}", "", before.width(), Tone::Bad.paint("^".repeat(part.width())));
}

/// The last `most` columns of a text.
fn end_of(text: &str, most: usize) -> String {
    if text.width() <= most {
        return text.to_owned();
    }
    let mut kept: Vec<char> = Vec::new();
    let mut used = 1;
    for c in text.chars().rev() {
        used += c.to_string().width();
        if used > most {
            break;
        }
        kept.push(c);
    }
    std::iter::once('…').chain(kept.into_iter().rev()).collect()
}

fn because(cause: &Cause, sent: &Sent, width: usize, out: &mut String) {
    let says = match cause.verdict {
        VerdictKind::Deny => "denies",
        VerdictKind::Ask => "asks",
        VerdictKind::Allow => "allows",
        VerdictKind::Respond => "responds",
        other => other.word(),
    };
    paragraph(&format!("{} {says}{}", cause.rule, place(cause)), "", width, out);
    if let Some(words) = &cause.words {
        paragraph(words, "  ", width, out);
    } else if let (None, Some(fitted)) = (&cause.quoted, &sent.judged.fitted) {
        let reason = fitted.verdict().reason();
        let reason = reason.strip_prefix("snaphook: ").unwrap_or(reason);
        if !reason.is_empty() && !reason.starts_with(&cause.rule) {
            paragraph(reason, "  ", width, out);
        }
    }
    if let Some(word) = &sent.judged.not_understood {
        paragraph(&format!("the command is not understood: {word}"), "  ", width, out);
    }
}

/// What an agent does, for each version that differs.
fn said(agent: &Agent, tried: &Tried, cause: Option<&Cause>) -> String {
    let walks = match tried {
        Tried::Not(why) => return Tone::Faint.paint(one_line(why)),
        Tried::Shown(walks) => walks,
    };
    let mut groups: IndexMap<String, Vec<&str>> = IndexMap::new();
    for walk in walks {
        groups.entry(effect(walk)).or_default().extend(walk.host.map(|host| host.id));
    }
    let alike = groups.len() == 1;
    let named =
        groups.into_iter().map(|(text, hosts)| if alike { text } else { format!("{text} in {}", hosts.join(", ")) });
    let mut text = named.collect::<Vec<_>>().join("; ");
    let own = first(tried).and_then(|sent| sent.judged.causes.first());
    if let (Some(own), true) = (own, own.map(|own| &own.rule) != cause.map(|cause| &cause.rule)) {
        let _ = write!(text, ", by {}{}", one_line(&own.rule), one_line(place(own)));
    }
    if skips_handlers(walks) {
        text.push_str(", by the rules alone");
    }
    if unverified(agent.id).is_some() {
        text.push_str(&Tone::Faint.paint(" (unverified)"));
    }
    text
}

fn effect(walk: &Walk) -> String {
    let wanted = walk.sent().next().map(|sent| sent.judged.wanted);
    let cannot = match wanted {
        Some(VerdictKind::Ask) => " (cannot ask)",
        Some(VerdictKind::Respond) => " (cannot respond)",
        _ => "",
    };
    let (tone, text) = match walk.does {
        Some(Effect::Flow) => (Tone::Faint, "decides by its own rules"),
        Some(Effect::Approves) => (Tone::Good, "runs it without asking"),
        Some(Effect::Asks) => (Tone::Attention, "asks you"),
        Some(Effect::Blocks) => (Tone::Bad, "denied"),
        Some(Effect::Responds) => (Tone::Bad, "not run, answered instead"),
        Some(Effect::Stops) => (Tone::Bad, "denied, and the turn ends"),
        Some(Effect::StopsHard) => (Tone::Bad, "denied, and the turn is undone"),
        Some(Effect::RunsThenStops) => (Tone::Bad, "runs it, and the turn ends"),
        Some(Effect::RefusesStart) => (Tone::Bad, "does not start"),
        Some(Effect::Continues) => (Tone::Faint, "continues to work"),
        _ => (Tone::Attention, "effect not known"),
    };
    let is_weaker = matches!(walk.does, Some(Effect::Blocks | Effect::Stops | Effect::StopsHard));
    let mut text = format!("{}{}", tone.paint(text), if is_weaker { cannot } else { "" });
    if let Some(waived) = walk.sent().find_map(|sent| sent.judged.waived) {
        let _ = write!(text, " (would {}, but is not enforced)", waived.verdict.word());
    }
    if walk.input.is_some() {
        text.push_str(", with changed arguments");
    }
    if let Some(isolated) = walk.sent().last().and_then(|sent| sent.judged.isolated) {
        let _ = write!(text, "; {}", isolation(isolated));
    }
    text
}

/// Prints the remarks on the call, each once.
fn remarks(trial: &Trial, width: usize, out: &mut String) {
    let sent = trial.tried.iter().filter_map(|(_, tried)| first(tried));
    let all = sent.flat_map(|sent| sent.judged.remarks.iter().chain(&sent.judged.failure));
    let mut said: Vec<&String> = Vec::new();
    for text in all.filter(|text| !trial.policy.notices.contains(text)) {
        if !said.contains(&text) {
            paragraph(text, "", width, out);
            said.push(text);
        }
    }
}

/// Prints a text in lines of at most `width` columns.
fn paragraph(text: &str, indent: &str, width: usize, out: &mut String) {
    let mut line = String::new();
    for word in one_line(text).split_whitespace() {
        if !line.is_empty() && indent.width() + line.width() + 1 + word.width() > width {
            let _ = writeln!(out, "{indent}{line}");
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    let _ = writeln!(out, "{indent}{line}");
}

/// Narrower terminals are written to as if they had this width.
const MIN_WIDTH: usize = 30;
/// The columns that the underlined part of a command gets in any case.
const MIN_PART: usize = 10;
