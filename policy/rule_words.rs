//! The texts of a rule for the model and the user, and where they are in a policy file.

use std::borrow::Cow;

use crate::plain_string::PlainString;

/// The texts of a rule, which are sent if it decides.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RuleWords<'f> {
    /// The reason for the rule; `None` if the rule has none.
    pub reason: Option<Cow<'f, str>>,
    /// The alternative that is suggested to the model; `None` if the rule has none.
    pub instead: Option<Cow<'f, str>>,
}

impl<'f> RuleWords<'f> {
    /// Returns `None` if there is no text.
    pub(crate) fn of(reason: Option<Cow<'f, str>>, instead: Option<Cow<'f, str>>) -> Option<Self> {
        (reason.is_some() || instead.is_some()).then_some(Self { reason, instead })
    }

    pub(crate) fn borrowed(&self) -> RuleWords<'_> {
        let Self { reason, instead } = self;
        RuleWords { reason: reason.as_deref().map(Cow::Borrowed), instead: instead.as_deref().map(Cow::Borrowed) }
    }
}

/// The offsets of the texts of a rule in its file, each of its quote; zero if the rule has no such text. They are read when the rule
/// decides, because most rules do not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct WordsAt {
    pub(crate) reason: u32,
    pub(crate) instead: u32,
}

impl WordsAt {
    /// Reads the texts from the file.
    pub(crate) fn read(self, file: &str) -> Option<RuleWords<'_>> {
        let text = |at: u32| match at {
            0 => None,
            at => PlainString::find(file, at as usize).map(|text| text.read(file)),
        };
        RuleWords::of(text(self.reason), text(self.instead))
    }
}
