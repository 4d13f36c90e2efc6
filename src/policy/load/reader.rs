//! Reads TOML values, collecting errors instead of stopping at the first.

use snaphook_adapters::fit::one_paragraph;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::source::Source;
use crate::policy::fault::{MAX_ERRORS, did_you_mean};

/// The longest error, in bytes: names in the file may be as long as the file.
const MAX_ERROR: usize = 500;

/// No program of a hook runs longer.
const HOUR_MS: u64 = 3_600_000;

pub(super) type Value<'a> = Spanned<DeValue<'a>>;

/// Collects what is wrong with one file, up to [`MAX_ERRORS`].
#[derive(Debug)]
pub(super) struct Reader<'s> {
    pub(super) source: &'s Source,
    faults: Vec<(usize, String)>,
}

impl<'s> Reader<'s> {
    pub(super) fn new(source: &'s Source) -> Self {
        Self { source, faults: Vec::new() }
    }

    /// Parses the file as far as it can be parsed.
    pub(super) fn document(&mut self) -> DeTable<'s> {
        let (table, errors) = DeTable::parse_recoverable(&self.source.text);
        for error in errors.iter().take(MAX_ERRORS) {
            let at = error.span().map_or(0, |span| span.start);
            self.add(at, || error.message().to_owned());
        }
        table.into_inner()
    }

    /// Whether nothing is wrong so far.
    pub(super) fn is_clean(&self) -> bool {
        self.faults.is_empty()
    }

    /// Returns true if no more errors are collected: reading on only takes time.
    pub(super) fn is_full(&self) -> bool {
        self.faults.len() >= MAX_ERRORS
    }

    /// Adds an error at a key.
    pub(super) fn fault(&mut self, at: usize, key: &str, says: &str) {
        self.add(at, || format!("{key}: {says}"));
    }

    fn add(&mut self, at: usize, says: impl FnOnce() -> String) {
        if !self.is_full() {
            self.faults.push((at, one_paragraph(&says(), MAX_ERROR)));
        }
    }

    /// The errors in the order of the file, each with its place.
    pub(super) fn errors(mut self) -> Vec<String> {
        self.faults.sort_by_key(|(at, _)| *at);
        let place = |(at, says): (usize, String)| {
            let (line, column) = self.source.place(at);
            format!("{}:{line}:{column}: {says}", self.source.shown)
        };
        self.faults.into_iter().map(place).collect()
    }

    /// Reports a key that a table does not have.
    pub(super) fn unknown(&mut self, table: &str, key: &Spanned<std::borrow::Cow<'_, str>>, known: &[&str]) {
        self.add(key.span().start, || {
            let name = key.get_ref();
            let hint = did_you_mean(name, known.iter().copied());
            let hint = if hint.is_empty() { format!("; known here: {}", known.join(", ")) } else { hint };
            let table = if table.is_empty() { String::new() } else { format!("{table}: ") };
            format!("{table}unknown key `{name}`{hint}")
        });
    }

    pub(super) fn table<'v, 'a>(&mut self, value: &'v Value<'a>, key: &str) -> Option<&'v DeTable<'a>> {
        match value.get_ref() {
            DeValue::Table(table) => Some(table),
            _ => self.wrong(value, key, "a table; write `[…]` above it"),
        }
    }

    /// The tables of an array of tables.
    pub(super) fn tables<'v, 'a>(&mut self, value: &'v Value<'a>, key: &str) -> Vec<(usize, &'v DeTable<'a>)> {
        let DeValue::Array(items) = value.get_ref() else {
            self.wrong::<()>(value, key, &format!("an array of tables; write `[[{key}]]`"));
            return Vec::new();
        };
        let mut tables = Vec::new();
        for item in items {
            if let Some(table) = self.table(item, key) {
                tables.push((item.span().start, table));
            }
        }
        tables
    }

    pub(super) fn text<'v>(&mut self, value: &'v Value<'_>, key: &str) -> Option<&'v str> {
        match value.get_ref() {
            DeValue::String(text) => Some(text),
            _ => self.wrong(value, key, "a text"),
        }
    }

    pub(super) fn bool(&mut self, value: &Value<'_>, key: &str) -> Option<bool> {
        match value.get_ref() {
            DeValue::Boolean(is) => Some(*is),
            _ => self.wrong(value, key, "`true` or `false`"),
        }
    }

    /// The texts of an array, with their places.
    pub(super) fn texts<'v>(&mut self, value: &'v Value<'_>, key: &str) -> Vec<(usize, &'v str)> {
        let DeValue::Array(items) = value.get_ref() else {
            self.wrong::<()>(value, key, "an array of texts");
            return Vec::new();
        };
        let mut texts = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            match item.get_ref() {
                DeValue::String(text) => texts.push((item.span().start, text.as_ref())),
                _ => self.fault(item.span().start, &format!("{key}[{index}]"), "is not a text"),
            }
        }
        texts
    }

    /// One of some words.
    pub(super) fn word<T: Copy>(&mut self, value: &Value<'_>, key: &str, words: &[(&str, T)]) -> Option<T> {
        let text = self.text(value, key)?;
        let found = words.iter().find(|(word, _)| *word == text).map(|(_, meant)| *meant);
        if found.is_none() {
            let hint = did_you_mean(text, words.iter().map(|(word, _)| *word));
            let known: Vec<_> = words.iter().map(|(word, _)| format!("\"{word}\"")).collect();
            let hint = if hint.is_empty() { format!("; write {}", known.join(" or ")) } else { hint };
            self.fault(value.span().start, key, &format!("unknown word `{text}`{hint}"));
        }
        found
    }

    /// A time such as `"800ms"` or `"3s"`, in milliseconds.
    pub(super) fn duration_ms(&mut self, value: &Value<'_>, key: &str) -> Option<u64> {
        let text = self.text(value, key)?;
        let read = |digits: &str, unit: u64| digits.trim().parse::<u64>().ok()?.checked_mul(unit);
        let found = match text.strip_suffix("ms") {
            Some(digits) => read(digits, 1),
            None => text.strip_suffix('s').and_then(|digits| read(digits, 1000)),
        };
        let found = found.filter(|ms| (1..=HOUR_MS).contains(ms));
        if found.is_none() {
            self.fault(value.span().start, key, &format!("`{text}` is no time; write `\"800ms\"` or `\"3s\"`"));
        }
        found
    }

    /// A size in bytes: a number, or a text such as `"64KiB"`. Zero is an error.
    pub(super) fn size(&mut self, value: &Value<'_>, key: &str) -> Option<u64> {
        let found = match value.get_ref() {
            DeValue::Integer(number) => u64::from_str_radix(number.as_str(), number.radix()).ok(),
            DeValue::String(text) => {
                let units = [("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("B", 1_u64)];
                units
                    .iter()
                    .find_map(|(unit, bytes)| text.strip_suffix(unit)?.trim().parse::<u64>().ok()?.checked_mul(*bytes))
            }
            _ => None,
        };
        let found = found.filter(|size| *size > 0);
        if found.is_none() {
            self.fault(value.span().start, key, "is no size above zero; write `4096`, `\"64KiB\"` or `\"1MiB\"`");
        }
        found
    }

    fn wrong<T>(&mut self, value: &Value<'_>, key: &str, want: &str) -> Option<T> {
        self.fault(value.span().start, key, &format!("is not {want}"));
        None
    }
}
