//! The measured values and their targets.

use std::process::ExitCode;

/// Collects one line for each measurement.
#[derive(Default)]
pub(crate) struct Table {
    rows: Vec<[String; 4]>,
    missed: bool,
}

impl Table {
    /// Adds a value that must not exceed its target.
    pub(crate) fn most(&mut self, what: &str, value: f64, target: f64, unit: &str) {
        self.row(what, value, unit, format!("≤ {}", number(target)), Some(value <= target));
    }

    /// Adds a value that must not fall below its target.
    pub(crate) fn least(&mut self, what: &str, value: f64, target: f64, unit: &str) {
        self.row(what, value, unit, format!("≥ {}", number(target)), Some(value >= target));
    }

    /// Adds a value without a target.
    pub(crate) fn noted(&mut self, what: &str, value: f64, unit: &str) {
        self.row(what, value, unit, String::new(), None);
    }

    /// Adds a value that could not be measured.
    pub(crate) fn skipped(&mut self, what: &str, why: &str) {
        self.rows.push([what.to_owned(), String::new(), String::new(), format!("SKIPPED: {why}")]);
    }

    fn row(&mut self, what: &str, value: f64, unit: &str, target: String, kept: Option<bool>) {
        let word = match kept {
            Some(true) => "pass",
            Some(false) => "FAIL",
            None => "",
        };
        self.missed |= kept == Some(false);
        self.rows.push([what.to_owned(), format!("{} {unit}", number(value)), target, word.to_owned()]);
    }

    /// Prints all lines as a Markdown table. Fails if a target was missed.
    pub(crate) fn print(&self) -> ExitCode {
        println!("\n| measure | value | target | |\n|---|--:|--:|---|");
        for row in &self.rows {
            println!("| {} |", row.join(" | "));
        }
        ExitCode::from(u8::from(self.missed))
    }
}

/// Formats integers in groups of three digits, and other numbers with two decimals.
fn number(value: f64) -> String {
    if value.abs() < 1000.0 {
        return format!("{value:.2}");
    }
    let digits = format!("{value:.0}");
    let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy).collect();
    groups.join(",")
}
