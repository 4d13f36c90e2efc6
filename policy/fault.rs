//! The errors of a policy, each with its location and its remedy.

use std::fmt;

/// The maximum number of errors that are collected.
pub(crate) const MAX_ERRORS: usize = 20;

/// The maximum number of errors that are displayed.
const SHOWN: usize = 10;

/// The maximum length in bytes of a word for which a similar one is suggested: the cost of comparing grows with it.
const MAX_MISSPELT: usize = 64;

/// The errors of an invalid policy. Every gated call is then judged by `[failure] policy`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PolicyFault {
    /// The errors, one line each: `file:line:column: key: problem; remedy`. At most 20 per file.
    pub errors: Vec<String>,
    /// The value of `[failure] policy` in the user's file if it can be read, deny otherwise.
    pub on_failure: super::OnFailure,
}

impl PolicyFault {
    /// Creates a fault that denies.
    pub fn new(errors: Vec<String>) -> Self {
        Self { errors, on_failure: super::OnFailure::Deny }
    }

    /// Creates a fault with one error.
    pub fn one(error: impl Into<String>) -> Self {
        Self::new(vec![error.into()])
    }

    /// Sets the answer to gated calls.
    #[must_use]
    pub fn answered(self, on_failure: super::OnFailure) -> Self {
        Self { on_failure, ..self }
    }

    /// Formats the message for the user whose call was judged by `[failure] policy`.
    pub fn in_a_sentence(&self) -> String {
        let first = self.errors.first().map_or("", String::as_str);
        let more = match self.errors.len() {
            0 | 1 => String::new(),
            all if all < MAX_ERRORS => format!(", and {} more", all - 1),
            all => format!(", and at least {} more", all - 1),
        };
        let gated = match self.on_failure {
            super::OnFailure::Deny => "is denied",
            super::OnFailure::Ask => "is asked about",
            super::OnFailure::Pass => "passes",
        };
        format!(
            "policy cannot be read ({first}{more}): every gated call {gated} until it is fixed; snaphook try shows it"
        )
    }
}

impl fmt::Display for PolicyFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, error) in self.errors.iter().take(SHOWN).enumerate() {
            f.write_str(if at > 0 { "\n" } else { "" })?;
            f.write_str(error)?;
        }
        match self.errors.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more if self.errors.len() < MAX_ERRORS => write!(f, "\n… and {more} more"),
            more => write!(f, "\n… and at least {more} more"),
        }
    }
}

impl std::error::Error for PolicyFault {}

/// The known word that is most similar to an unknown one, if it is similar enough to be a typo.
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if word.len() > MAX_MISSPELT {
        return None;
    }
    let low = word.to_lowercase();
    known
        .into_iter()
        .map(|known| (strsim::damerau_levenshtein(&low, &known.to_lowercase()), known))
        .filter(|(distance, known)| *distance <= 1 + known.len().min(word.len()) / 4)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, known)| known)
}

/// Formats ``; did you mean `x`?``; empty if no known word is similar.
pub(crate) fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, known).map_or_else(String::new, |known| format!("; did you mean `{known}`?"))
}

/// Formats ``; did you mean `x`?``, or `; ` and what is expected if no known word is similar.
pub fn did_you_mean_or<'a>(
    word: &str,
    known: impl IntoIterator<Item = &'a str>,
    expected: impl FnOnce() -> String,
) -> String {
    nearest(word, known).map_or_else(|| format!("; {}", expected()), |known| format!("; did you mean `{known}`?"))
}
