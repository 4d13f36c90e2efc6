//! Converts the rule files of Codex: calls of `prefix_rule` with a pattern of words and a decision, in a small part of
//! Starlark.
//!
//! Codex applies the strictest rule that matches, as a policy does. A file with anything else than calls cannot be read,
//! and its approvals and those of the other files are not imported then.

use super::Layer;
use snaphook_policy::List;

/// Adds the rules of each file to its layer.
pub(super) fn read(files: &mut [(Layer, String)], fault: impl Fn(&str, List) -> Option<String>) {
    let mut all: Vec<(usize, PrefixRule)> = Vec::new();
    let mut is_complete = true;
    for (number, (layer, text)) in files.iter_mut().enumerate() {
        let Ok(calls) = RuleFileReader(text).file() else {
            is_complete = false;
            layer.lost.push("the file: it has more than calls of `prefix_rule`, which cannot be converted".to_owned());
            continue;
        };
        for call in calls {
            match PrefixRule::of(&call) {
                Ok(rule) => all.push((number, rule)),
                Err(why) => {
                    is_complete = false;
                    layer.lost.push(format!("{}: {why}", call.name));
                }
            }
        }
    }
    let is_said = |rule: &PrefixRule| rule.list == List::Allow || rule.converted(&fault).is_ok();
    is_complete &= all.iter().all(|(_, rule)| is_said(rule));
    for (number, rule) in all {
        let Some((layer, _)) = files.get_mut(number) else { continue };
        match rule.converted(&fault) {
            Ok(_) if rule.list == List::Allow && !is_complete => {
                let why = "a stricter rule, which wins over it, could not be imported";
                layer.lost.push(format!("{}: {why}", rule.shown()));
            }
            Ok(rules) => layer.rules.extend(rules.into_iter().map(|text| (rule.list, text))),
            Err(why) => layer.lost.push(format!("{}: {why}", rule.shown())),
        }
    }
}

/// One rule: for each place of the pattern, the words that it accepts.
struct PrefixRule {
    list: List,
    pattern: Vec<Vec<String>>,
}

/// The maximum number of rules for one pattern.
const MAX_RULES: usize = 64;

impl PrefixRule {
    fn of(call: &RuleCall) -> Result<Self, String> {
        if call.name != "prefix_rule" {
            return Err("cannot be converted".to_owned());
        }
        let argument = |name: &str| call.arguments.iter().find(|(key, _)| key == name).map(|(_, value)| value);
        let list = match argument("decision") {
            None => List::Allow,
            Some(StarlarkValue::Text(word)) if word == "allow" => List::Allow,
            Some(StarlarkValue::Text(word)) if word == "prompt" => List::Ask,
            Some(StarlarkValue::Text(word)) if word == "forbidden" => List::Deny,
            Some(_) => return Err("unknown decision".to_owned()),
        };
        let Some(StarlarkValue::List(items)) = argument("pattern") else { return Err("it has no pattern".to_owned()) };
        let words = |item: &StarlarkValue| match item {
            StarlarkValue::Text(word) => Some(vec![word.clone()]),
            StarlarkValue::List(words) => words
                .iter()
                .map(|word| match word {
                    StarlarkValue::Text(word) => Some(word.clone()),
                    StarlarkValue::List(_) => None,
                })
                .collect(),
        };
        let pattern: Option<Vec<Vec<String>>> = items.iter().map(words).collect();
        let pattern = pattern.filter(|places| !places.is_empty() && places.iter().all(|words| !words.is_empty()));
        Ok(Self { list, pattern: pattern.ok_or("its pattern is not a list of words")? })
    }

    fn shown(&self) -> String {
        let places = self.pattern.iter().map(|words| words.join("|"));
        format!("{} {}", self.list.word(), places.collect::<Vec<_>>().join(" "))
    }

    /// The rules of a policy: one for each combination of words.
    fn converted(&self, fault: &impl Fn(&str, List) -> Option<String>) -> Result<Vec<String>, String> {
        let plain = |word: &String| {
            !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "_-./=@,+".contains(c))
        };
        if !self.pattern.iter().flatten().all(plain) {
            return Err("only words of letters, digits and _-./=@,+ can be converted".to_owned());
        }
        let mut prefixes = vec![String::new()];
        for words in &self.pattern {
            if prefixes.len() * words.len() > MAX_RULES {
                return Err(format!("it would be more than {MAX_RULES} rules"));
            }
            let longer = |prefix: &String| {
                let blank = if prefix.is_empty() { "" } else { " " };
                words.iter().map(|word| format!("{prefix}{blank}{word}")).collect::<Vec<_>>()
            };
            prefixes = prefixes.iter().flat_map(longer).collect();
        }
        let rules = prefixes.into_iter().map(|prefix| format!("Bash({prefix}:*)"));
        rules.map(|rule| fault(&rule, self.list).map_or(Ok(rule), Err)).collect()
    }
}

/// A call with named arguments that are constants.
struct RuleCall {
    name: String,
    arguments: Vec<(String, StarlarkValue)>,
}

enum StarlarkValue {
    Text(String),
    List(Vec<Self>),
}

/// Reads calls from the beginning of a text.
struct RuleFileReader<'a>(&'a str);

impl RuleFileReader<'_> {
    fn file(mut self) -> Result<Vec<RuleCall>, ()> {
        let mut calls = Vec::new();
        loop {
            self.blank();
            if self.0.is_empty() {
                return Ok(calls);
            }
            let name = self.name()?;
            self.expect('(')?;
            let mut arguments = Vec::new();
            while !self.takes(')') {
                let key = self.name()?;
                self.expect('=')?;
                arguments.push((key, self.constant(0)?));
                if !self.takes(',') && !self.0.starts_with(')') {
                    return Err(());
                }
            }
            calls.push(RuleCall { name, arguments });
        }
    }

    /// Skips blanks and comments.
    fn blank(&mut self) {
        loop {
            self.0 = self.0.trim_start();
            if !self.0.starts_with('#') {
                return;
            }
            self.0 = self.0.split_once('\n').map_or("", |(_, rest)| rest);
        }
    }

    fn takes(&mut self, c: char) -> bool {
        self.blank();
        let rest = self.0.strip_prefix(c);
        self.0 = rest.unwrap_or(self.0);
        self.blank();
        rest.is_some()
    }

    fn expect(&mut self, c: char) -> Result<(), ()> {
        if self.takes(c) { Ok(()) } else { Err(()) }
    }

    fn name(&mut self) -> Result<String, ()> {
        self.blank();
        let end = self.0.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(self.0.len());
        let (name, rest) = self.0.split_at(end);
        self.0 = rest;
        if name.is_empty() { Err(()) } else { Ok(name.to_owned()) }
    }

    fn constant(&mut self, depth: usize) -> Result<StarlarkValue, ()> {
        const DEEPEST: usize = 4;
        self.blank();
        if depth < DEEPEST && self.takes('[') {
            let mut items = Vec::new();
            while !self.takes(']') {
                items.push(self.constant(depth + 1)?);
                if !self.takes(',') && !self.0.starts_with(']') {
                    return Err(());
                }
            }
            return Ok(StarlarkValue::List(items));
        }
        let quote = self.0.chars().next().filter(|c| ['"', '\''].contains(c)).ok_or(())?;
        let rest = self.0.get(1..).ok_or(())?;
        let (text, after) = rest.split_once(quote).ok_or(())?;
        // Escapes, and texts of several lines, are left to Codex.
        if text.contains(['\\', '\n']) || (text.is_empty() && after.starts_with(quote)) {
            return Err(());
        }
        self.0 = after;
        self.blank();
        Ok(StarlarkValue::Text(text.to_owned()))
    }
}
