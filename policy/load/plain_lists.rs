//! Finds the lists of rules that are nothing but strings and tables of strings, so that the TOML parser does not have to
//! build a value for each rule.
//!
//! The parser gets the text without the contents of such a list. If it then finds an array at the place of each list and no
//! error anywhere, the list was an array of exactly these strings. Otherwise the whole text is parsed.

use std::borrow::Cow;
use std::ops::Range;

use crate::find::{find, find_or_control};
use crate::plain_string::PlainString;
use crate::rule_words::WordsAt;

/// A list of at least this many rules is taken out.
const MANY: usize = 4;

const NAMES: [&str; 3] = ["deny", "ask", "allow"];

/// The lists that were taken out of a policy, and the rest of it.
#[derive(Debug)]
pub(super) struct PlainLists<'t> {
    /// The text without their contents.
    pub(super) rest: String,
    lists: Vec<PlainList<'t>>,
}

#[derive(Debug)]
pub(super) struct PlainList<'t> {
    /// The offsets of its brackets.
    start: usize,
    end: usize,
    /// The offset of its last bracket in the rest.
    end_in_rest: usize,
    pub(super) rules: Vec<PlainRule<'t>>,
    is_taken: bool,
}

/// A rule of a list, and where its texts are.
#[derive(Debug, PartialEq)]
pub(super) struct PlainRule<'t> {
    /// The offset of its quote or brace.
    pub(super) at: usize,
    pub(super) rule: Cow<'t, str>,
    pub(super) words: WordsAt,
}

impl<'t> PlainLists<'t> {
    /// Returns `None` if there are no such lists.
    pub(super) fn find(text: &'t str) -> Option<Self> {
        let mut lists = Vec::new();
        let mut at = 0;
        while let Some(line) = text.get(at..).filter(|line| !line.is_empty()) {
            let end = find(line.as_bytes(), [b'\n'; 2]).unwrap_or(line.len());
            let start = at;
            at += end + 1;
            let Some(opened) = line.get(..end).filter(|line| opens_list(line)) else { continue };
            if let Some(list) = PlainList::read(text, start + opened.trim_end().len() - 1) {
                at = list.end;
                lists.push(list);
            }
        }
        lists.retain(|list| list.rules.len() >= MANY);
        let last = lists.last()?.end;
        let mut rest = String::with_capacity(text.len());
        let mut copied = 0;
        for list in &mut lists {
            rest.push_str(text.get(copied..=list.start)?);
            list.end_in_rest = rest.len();
            copied = list.end;
        }
        rest.push_str(text.get(last..)?);
        Some(Self { rest, lists })
    }

    /// Returns the rules of the array between these brackets, if they were taken out.
    pub(super) fn take(&mut self, span: Range<usize>) -> Option<&[PlainRule<'t>]> {
        let list = self.lists.iter_mut().find(|list| list.start == span.start && list.end + 1 == span.end)?;
        list.is_taken = true;
        Some(&list.rules)
    }

    /// Converts an offset in the rest to the offset in the whole text.
    pub(super) fn in_whole_text(&self, at: usize) -> usize {
        let before = self.lists.partition_point(|list| list.end_in_rest <= at);
        let last = before.checked_sub(1).and_then(|last| self.lists.get(last));
        last.map_or(at, |list| at + list.end - list.end_in_rest)
    }

    /// Returns true if each list was taken as an array.
    pub(super) fn are_taken(&self) -> bool {
        self.lists.iter().all(|list| list.is_taken)
    }
}

/// Returns true for a line such as `deny = [`.
fn opens_list(line: &str) -> bool {
    let bare = line.trim_ascii();
    let name = bare.strip_suffix('[').map(str::trim_ascii_end).and_then(|bare| bare.strip_suffix('='));
    name.is_some_and(|name| NAMES.contains(&name.trim_ascii_end()))
}

impl<'t> PlainList<'t> {
    /// Reads the strings after a bracket. Returns `None` if anything else is between them, or one is not plain.
    pub(super) fn read(text: &'t str, start: usize) -> Option<Self> {
        let bytes = text.as_bytes();
        let mut rules = Vec::new();
        let mut at = start + 1;
        let mut needs_comma = false;
        loop {
            match bytes.get(at)? {
                b' ' | b'\t' | b'\n' => at += 1,
                b'#' => at = end_of_comment(bytes, at)?,
                b'\'' | b'"' if !needs_comma => {
                    let found = PlainString::find(text, at)?;
                    rules.push(PlainRule { at, rule: found.read(text), words: WordsAt::default() });
                    needs_comma = true;
                    at = found.end();
                }
                b'{' if !needs_comma => {
                    let (rule, end) = usual_table(text, at).or_else(|| table(text, at))?;
                    rules.push(rule);
                    needs_comma = true;
                    at = end;
                }
                b',' if needs_comma => {
                    needs_comma = false;
                    // Most rules have a line of their own.
                    at += if bytes.get(at..)?.starts_with(b",\n  ") { 4 } else { 1 };
                }
                b']' => return Some(Self { start, end: at, end_in_rest: at, rules, is_taken: false }),
                _ => return None,
            }
        }
    }
}

/// Returns the offset of the newline that ends a comment. Returns `None` if the comment has a control character, which the parser reports.
fn end_of_comment(text: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at += find_or_control(text.get(at..)?, [b'\n'; 2])?;
        match text.get(at)? {
            b'\t' => at += 1,
            b'\n' => return Some(at),
            _ => return None,
        }
    }
}

/// Reads a table with its keys in the usual order and with single spaces, `{ rule = "…", reason = "…", instead = "…" }`. Returns the rule and
/// the offset after the table. [`table`] reads tables in any form, more slowly.
fn usual_table(text: &str, start: usize) -> Option<(PlainRule<'_>, usize)> {
    let rule = PlainString::find(text, after_part(text, start, b"{ rule = ")?)?;
    let (reason, end) = usual_words(text, rule.end(), b", reason = ")?;
    let (instead, end) = usual_words(text, end, b", instead = ")?;
    let end = after_part(text, end, b" }")?;
    Some((PlainRule { at: start, rule: rule.read(text), words: WordsAt { reason, instead } }, end))
}

/// Finds the text of a rule after this key. Returns the offset of the text, or zero if the key is absent, and the offset after the text.
fn usual_words<const N: usize>(text: &str, start: usize, key: &[u8; N]) -> Option<(u32, usize)> {
    let Some(at) = after_part(text, start, key) else { return Some((0, start)) };
    let found = PlainString::find(text, at)?;
    // A text that starts with white space may be blank, which is an error.
    text.as_bytes().get(at + 1).filter(|first| first.is_ascii_graphic())?;
    Some((u32::try_from(at).ok()?, found.end()))
}

/// Returns the offset after a part that the text has at `at`; `None` if it has something else there.
fn after_part<const N: usize>(text: &str, at: usize, part: &[u8; N]) -> Option<usize> {
    text.as_bytes().get(at..)?.starts_with(part).then_some(at + N)
}

/// Reads a table such as `{ rule = "…", reason = "…" }` on one line. Returns the rule and the offset after the table.
#[cold]
fn table(text: &str, start: usize) -> Option<(PlainRule<'_>, usize)> {
    let (mut rule, mut words) = (None, WordsAt::default());
    let bytes = text.as_bytes();
    let mut rest = after_blanks(bytes.get(start + 1..)?);
    loop {
        let (into, after) = if let Some(after) = rest.strip_prefix(b"rule") {
            (None, after)
        } else if let Some(after) = rest.strip_prefix(b"reason") {
            (Some(&mut words.reason), after)
        } else {
            (Some(&mut words.instead), rest.strip_prefix(b"instead")?)
        };
        let after = after_mark(after, b" = ", b'=')?;
        let at = bytes.len() - after.len();
        let value = PlainString::find(text, at)?;
        // A blank text is an error, and so is a key that is written twice.
        match into {
            _ if value.is_blank(text) => return None,
            None if rule.is_none() => rule = Some(value.read(text)),
            Some(into) if *into == 0 => *into = u32::try_from(at).ok()?,
            _ => return None,
        }
        let after = bytes.get(value.end()..)?;
        let Some(next) = after_mark(after, b", ", b',') else {
            let after = after_mark(after, b" }", b'}')?;
            return Some((PlainRule { at: start, rule: rule?, words }, bytes.len() - after.len()));
        };
        rest = next;
    }
}

/// Skips a mark and the blanks around it. `usual` is the mark with the blanks that it usually has.
fn after_mark<'t, const N: usize>(text: &'t [u8], usual: &[u8; N], mark: u8) -> Option<&'t [u8]> {
    let after = text.strip_prefix(usual).or_else(|| after_blanks(text).strip_prefix(&[mark]))?;
    Some(after_blanks(after))
}

/// Skips spaces and tabs.
fn after_blanks(mut text: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', after @ ..] = text {
        text = after;
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use toml::de::{DeTable, DeValue};

    use super::super::offsets::moved;
    use super::*;

    fn found(text: &str) -> Option<Vec<String>> {
        PlainLists::find(text).map(|all| all.lists[0].rules.iter().map(|one| one.rule.clone().into_owned()).collect())
    }

    #[test]
    fn lists_of_strings_are_taken_out() {
        let text =
            "[permissions]\ndeny = [\n  \"a\", 'b\\',\n  # why\n  \"c\" ,\n  \"ü\" # because\n]\nask = [\"x\"]\n";
        let mut all = PlainLists::find(text).unwrap();
        assert_eq!(all.rest, "[permissions]\ndeny = []\nask = [\"x\"]\n");
        let start = text.find("[\n").unwrap();
        let rules = all.take(start..text.find("]\nask").unwrap() + 1).unwrap();
        assert!(rules.iter().all(|one| text.get(one.at + 1..).unwrap().starts_with(&*one.rule)));
        assert_eq!(rules.iter().map(|one| &*one.rule).collect::<Vec<_>>(), ["a", "b\\", "c", "ü"]);
        assert!(all.are_taken());
    }

    #[test]
    fn tables_of_strings_are_taken_out() {
        let text = "deny = [\n'a', {rule='b'},{ rule = \"c\" , reason\t= 'why', instead = \"d\\\"\" }, # x\n'e']\n";
        let mut all = PlainLists::find(text).unwrap();
        let start = text.find('[').unwrap();
        let rules = all.take(start..text.rfind(']').unwrap() + 1).unwrap();
        let shown: Vec<_> = rules.iter().map(|one| format!("{} {:?}", one.rule, texts(one, text))).collect();
        let none = "(None, None)";
        let texts = r#"(Some("why"), Some("d\""))"#;
        assert_eq!(shown, [format!("a {none}"), format!("b {none}"), format!("c {texts}"), format!("e {none}")]);
        assert_eq!(text.get(rules[2].at..rules[2].at + 6), Some("{ rule"));
    }

    #[test]
    fn control_characters_are_left_to_the_parser() {
        for one in (0..=0xFF).map(char::from).filter(char::is_ascii_control) {
            for (inside, ends_line) in [
                (format!("'a', 'b', 'c', 'd{one}e'"), false),
                (format!("'a', 'b', 'c', {{ rule = 'd', reason = \"{one}e\" }}"), false),
                (format!("'a', 'b', 'c', # d{one}\n'e'"), true),
            ] {
                let is_taken = one == '\t' || one == '\n' && ends_line;
                assert_eq!(found(&format!("deny = [\n{inside}\n]\n")).is_some(), is_taken, "{inside:?}");
            }
        }
        assert!(found("deny = [\n'\u{80}', 'ü', 'c', # \u{9f}\n'd']\n").is_some());
    }

    #[test]
    fn other_lists_are_left_to_the_parser() {
        for inside in [
            "'a', 'b', 'c'",
            "'a', 'b' 'c', 'd'",
            "'a',, 'b', 'c', 'd'",
            "'a', 'b', 'c', 1",
            "'a', 'b', 'c', \"\\u0041\"",
            "'a', 'b', 'c', '''d'''",
            "'a', 'b', 'c', 'd\r'",
            "'a', 'b', 'c', ['d']",
            "'a', 'b', 'c', 'd",
            "'a', 'b', 'c', { rule = 'd', rule = 'e' }",
            "'a', 'b', 'c', { rule = 'd', reason = ' ' }",
            "'a', 'b', 'c', { reason = 'd' }",
            "'a', 'b', 'c', { rule = 'd', }",
            "'a', 'b', 'c', { rule = 'd', why = 'e' }",
            "'a', 'b', 'c', { rule = 'd' 'e' }",
            "'a', 'b', 'c', { rule = 1 }",
            "'a', 'b', 'c', {}",
            "'a', 'b', 'c', { 'rule' = 'd' }",
        ] {
            assert_eq!(found(&format!("deny = [\n{inside}\n]\n")), None, "{inside}");
        }
        for before in ["den = [", "deny = [[", "x.deny = [", "deny = ['a',", "# deny = ["] {
            assert_eq!(found(&format!("{before}\n'a', 'b', 'c', 'd'\n]\n")), None, "{before}");
        }
    }

    /// The arrays of a document and of its tables.
    fn arrays<'d>(of: &DeTable<'d>) -> Vec<toml::Spanned<DeValue<'d>>> {
        let inner = of.iter().filter_map(|(_, value)| value.get_ref().as_table()).cloned();
        let values = inner.chain([of.clone()]).flat_map(|table| table.into_iter().map(|(_, value)| value));
        values.filter(|value| value.get_ref().is_array()).collect()
    }

    /// The reason and the alternative of a rule.
    fn texts(rule: &PlainRule<'_>, text: &str) -> (Option<String>, Option<String>) {
        let words = rule.words.read(text);
        let [reason, instead] = words.map_or([None, None], |words| [words.reason, words.instead]);
        (reason.map(Cow::into_owned), instead.map(Cow::into_owned))
    }

    /// An item of an array as the parser reads it: its offset, the rule, the reason and the alternative.
    fn read(item: &toml::Spanned<DeValue<'_>>) -> (usize, String, (Option<String>, Option<String>)) {
        let at = item.span().start;
        if let Some(rule) = item.get_ref().as_str() {
            return (at, rule.to_owned(), (None, None));
        }
        let table = item.get_ref().as_table().unwrap();
        assert!(table.keys().all(|key| ["rule", "reason", "instead"].contains(&key.get_ref().as_ref())));
        let text = |key: &str| table.get(key).map(|value| value.get_ref().as_str().unwrap().to_owned());
        (at, text("rule").unwrap(), (text("reason"), text("instead")))
    }

    fn keys(of: &DeTable<'_>) -> Vec<String> {
        let inner = of.iter().filter_map(|(_, value)| value.get_ref().as_table()).cloned();
        inner.chain([of.clone()]).map(|table| format!("{:?}", table.keys().collect::<Vec<_>>())).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2048, ..ProptestConfig::default() })]

        #[test]
        fn a_list_that_is_taken_out_is_what_the_parser_reads(
            parts in prop::collection::vec(prop::sample::select(vec![
                "deny = [\n", "allow = [ \n", "]\n", "] # x\n", "'a', ", "\"b\",\n", "'c'", ",", "\n", "# x\n", "'''", "\"\"\"",
                "[permissions]\n", "[[x]]\n", "x = {", "}", "'', ", "\"\\n\",", "\"\\\"\\\\x\",", "\"", "\\", "'d', 'e', 'f', 'g',\n",
                "{ ", " }", "rule = ", "reason=", "instead =", "{ rule = 'h', reason = \"i\" }, ", "{rule='j'}",
                "{ rule = 'k', reason = ' l', instead = \"m\\\"\" }, ", "{ rule = 'n', instead = ' ' }, ",
                "\r\n", "\t", "\x0b", "'o\t\u{7f}', ", "# \u{1}\n", "{ rule = 'p', reason = \"\r\" }, ",
            ]), 1..14),
        ) {
            let text = parts.concat();
            if let Some(mut all) = PlainLists::find(&text)
                && let rest = std::mem::take(&mut all.rest)
                && let (rest, errors) = DeTable::parse_recoverable(&rest)
                && errors.is_empty()
            {
                let rest = moved(rest.into_inner(), &|at| all.in_whole_text(at));
                let (whole, errors) = DeTable::parse_recoverable(&text);
                let whole = whole.into_inner();
                let (short, long) = (arrays(&rest), arrays(&whole));
                for (short, long) in short.iter().zip(&long) {
                    if let Some(rules) = all.take(short.span()) {
                        let items = long.get_ref().as_array().unwrap().iter().map(read).collect::<Vec<_>>();
                        let rules = rules.iter().map(|one| (one.at, one.rule.clone().into_owned(), texts(one, &text)));
                        prop_assert_eq!(rules.collect::<Vec<_>>(), items, "{}", text);
                    }
                }
                if all.are_taken() {
                    prop_assert!(errors.is_empty(), "{} {:?}", text, errors);
                    prop_assert_eq!(keys(&rest), keys(&whole));
                }
            }
        }
    }
}
