//! Reads TOML values and collects errors instead of stopping at the first.

use snaphook_adapters::fit::one_paragraph;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::source::PolicySource;
use crate::fault::{MAX_ERRORS, did_you_mean_or};

/// The maximum length of an error message, in bytes: names in the file may be arbitrarily long.
const MAX_ERROR: usize = 500;

/// The maximum duration.
const HOUR_MS: u64 = 3_600_000;

pub(super) type TomlValue<'a> = Spanned<DeValue<'a>>;

/// Reads values and collects the errors of one file, up to [`MAX_ERRORS`].
#[derive(Debug)]
pub(super) struct TomlReader<'s> {
    pub(super) source: &'s PolicySource,
    faults: Vec<(usize, String)>,
    /// The errors about unknown keys, if the file is used without them.
    ignored: Option<Vec<(usize, String)>>,
}

impl<'s> TomlReader<'s> {
    pub(super) fn new(source: &'s PolicySource) -> Self {
        Self { source, faults: Vec::new(), ignored: None }
    }

    /// Ignores unknown keys.
    pub(super) fn ignore_unknown(&mut self) {
        self.ignored = Some(Vec::new());
    }

    /// Parses the file, recovering from syntax errors.
    pub(super) fn document<'t>(&mut self, text: &'t str) -> DeTable<'t> {
        let (table, errors) = DeTable::parse_recoverable(text);
        for error in errors.iter().take(MAX_ERRORS) {
            let at = error.span().map_or(0, |span| span.start);
            self.add(at, || error.message().to_owned());
        }
        table.into_inner()
    }

    /// Returns true if there are no errors so far.
    pub(super) fn is_clean(&self) -> bool {
        self.faults.is_empty()
    }

    /// Returns true if the maximum number of errors is reached, so that reading on is useless.
    pub(super) fn is_full(&self) -> bool {
        self.faults.len() >= MAX_ERRORS
    }

    /// Adds an error about a key.
    pub(super) fn fault(&mut self, at: usize, key: &str, says: &str) {
        self.add(at, || format!("{key}: {says}"));
    }

    fn add(&mut self, at: usize, says: impl FnOnce() -> String) {
        if !self.is_full() {
            self.faults.push((at, one_paragraph(&says(), MAX_ERROR)));
        }
    }

    /// The errors in the order of the file, each with its location.
    pub(super) fn errors(mut self) -> Vec<String> {
        let faults = std::mem::take(&mut self.faults);
        self.in_order(faults)
    }

    /// The errors about unknown keys that are ignored, likewise.
    pub(super) fn ignored(mut self) -> Vec<String> {
        let ignored = self.ignored.take().unwrap_or_default();
        self.in_order(ignored)
    }

    fn in_order(&self, mut faults: Vec<(usize, String)>) -> Vec<String> {
        faults.sort_by_key(|(at, _)| *at);
        let place = |(at, says): (usize, String)| {
            let (line, column) = self.source.place(at);
            format!("{}:{line}:{column}: {says}", self.source.shown)
        };
        faults.into_iter().map(place).collect()
    }

    /// Adds an error about an unknown key.
    pub(super) fn unknown(&mut self, table: &str, key: &Spanned<std::borrow::Cow<'_, str>>, known: &[&str]) {
        let says = || {
            let name = key.get_ref();
            let expected = || format!("expected one of {}", known.join(", "));
            let hint = did_you_mean_or(name, known.iter().copied(), expected);
            let table = if table.is_empty() { String::new() } else { format!("{table}: ") };
            format!("{table}unknown key `{name}`{hint}")
        };
        let at = key.span().start;
        match &mut self.ignored {
            None => self.add(at, says),
            Some(ignored) if ignored.len() < MAX_ERRORS => ignored.push((at, one_paragraph(&says(), MAX_ERROR))),
            Some(_) => {}
        }
    }

    pub(super) fn table<'v, 'a>(&mut self, value: &'v TomlValue<'a>, key: &str) -> Option<&'v DeTable<'a>> {
        match value.get_ref() {
            DeValue::Table(table) => Some(table),
            _ => self.wrong(value, key, "a table"),
        }
    }

    /// Reads an array of tables, each with its offset.
    pub(super) fn tables<'v, 'a>(&mut self, value: &'v TomlValue<'a>, key: &str) -> Vec<(usize, &'v DeTable<'a>)> {
        let DeValue::Array(items) = value.get_ref() else {
            self.wrong::<()>(value, key, &format!("an array of tables, written `[[{key}]]`"));
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

    pub(super) fn text<'v>(&mut self, value: &'v TomlValue<'_>, key: &str) -> Option<&'v str> {
        match value.get_ref() {
            DeValue::String(text) => Some(text),
            _ => self.wrong(value, key, "a string"),
        }
    }

    pub(super) fn bool(&mut self, value: &TomlValue<'_>, key: &str) -> Option<bool> {
        match value.get_ref() {
            DeValue::Boolean(is) => Some(*is),
            _ => self.wrong(value, key, "`true` or `false`"),
        }
    }

    /// Reads an array of strings, each with its offset.
    pub(super) fn texts<'v>(&mut self, value: &'v TomlValue<'_>, key: &str) -> Vec<(usize, &'v str)> {
        let DeValue::Array(items) = value.get_ref() else {
            self.wrong::<()>(value, key, "an array of strings");
            return Vec::new();
        };
        let mut texts = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            match item.get_ref() {
                DeValue::String(text) => texts.push((item.span().start, text.as_ref())),
                _ => self.fault(item.span().start, &format!("{key}[{index}]"), "expected a string"),
            }
        }
        texts
    }

    /// Reads one of several keywords.
    pub(super) fn word<T: Copy>(&mut self, value: &TomlValue<'_>, key: &str, words: &[(&str, T)]) -> Option<T> {
        let text = self.text(value, key)?;
        let found = words.iter().find(|(word, _)| *word == text).map(|(_, meant)| *meant);
        if found.is_none() {
            let known = words.iter().map(|(word, _)| format!("\"{word}\""));
            let expected = || format!("expected {}", known.collect::<Vec<_>>().join(" or "));
            let hint = did_you_mean_or(text, words.iter().map(|(word, _)| *word), expected);
            self.fault(value.span().start, key, &format!("unknown value `{text}`{hint}"));
        }
        found
    }

    /// Reads a duration such as `"800ms"` or `"3s"`, in milliseconds.
    pub(super) fn duration_ms(&mut self, value: &TomlValue<'_>, key: &str) -> Option<u64> {
        let text = self.text(value, key)?;
        let read = |digits: &str, unit: u64| digits.trim().parse::<u64>().ok()?.checked_mul(unit);
        let found = match text.strip_suffix("ms") {
            Some(digits) => read(digits, 1),
            None => text.strip_suffix('s').and_then(|digits| read(digits, 1000)),
        };
        let found = found.filter(|ms| (1..=HOUR_MS).contains(ms));
        if found.is_none() {
            self.fault(
                value.span().start,
                key,
                &format!("invalid duration `{text}`; expected a value such as `800ms` or `3s`, up to one hour"),
            );
        }
        found
    }

    /// Reads a size in bytes: a number, or a string such as `"64KiB"`. Zero is an error.
    pub(super) fn size(&mut self, value: &TomlValue<'_>, key: &str) -> Option<u64> {
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
            self.fault(
                value.span().start,
                key,
                "invalid size; expected a positive value such as `4096`, `\"64KiB\"` or `\"1MiB\"`",
            );
        }
        found
    }

    /// Reads a number of days, at least one.
    pub(super) fn days(&mut self, value: &TomlValue<'_>, key: &str) -> Option<u64> {
        let found = match value.get_ref() {
            DeValue::Integer(number) => u64::from_str_radix(number.as_str(), number.radix()).ok(),
            _ => None,
        };
        let found = found.filter(|days| *days > 0);
        if found.is_none() {
            self.fault(value.span().start, key, "invalid number of days; expected a positive number such as `30`");
        }
        found
    }

    fn wrong<T>(&mut self, value: &TomlValue<'_>, key: &str, want: &str) -> Option<T> {
        self.fault(value.span().start, key, &format!("expected {want}"));
        None
    }
}
