//! Finds the lists of rules that are nothing but strings, so that the TOML parser does not have to build a value for
//! each rule.
//!
//! The parser gets the same text with blanks in place of the contents of such a list. If it then finds an array at the
//! place of each list and no error anywhere, the list was an array of exactly these strings. Otherwise the whole text is
//! parsed.

use std::borrow::Cow;

use memchr::{memchr, memchr2};

/// A list of at least this many rules is taken out.
const MANY: usize = 4;

const NAMES: [&str; 3] = ["deny", "ask", "allow"];

/// The lists that were taken out of a policy, and the rest of it.
#[derive(Debug)]
pub(super) struct PlainLists<'t> {
    /// The text with blanks in their place. Every other part is at the same offset.
    pub(super) rest: String,
    lists: Vec<PlainList<'t>>,
}

#[derive(Debug)]
struct PlainList<'t> {
    /// The offsets of its brackets.
    start: usize,
    end: usize,
    /// The rules with the offsets of their quotes.
    rules: Vec<(usize, Cow<'t, str>)>,
    is_taken: bool,
}

impl<'t> PlainLists<'t> {
    /// Returns `None` if there are no such lists.
    pub(super) fn find(text: &'t str) -> Option<Self> {
        let mut lists = Vec::new();
        let mut at = 0;
        while let Some(line) = text.get(at..).filter(|line| !line.is_empty()) {
            let end = memchr(b'\n', line.as_bytes()).unwrap_or(line.len());
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
        for list in &lists {
            rest.push_str(text.get(copied..=list.start)?);
            rest.push_str(&" ".repeat(list.end - list.start - 1));
            copied = list.end;
        }
        rest.push_str(text.get(last..)?);
        Some(Self { rest, lists })
    }

    /// Returns the rules of the array between these brackets, if they were taken out.
    pub(super) fn take(&mut self, span: std::ops::Range<usize>) -> Option<&[(usize, Cow<'t, str>)]> {
        let list = self.lists.iter_mut().find(|list| list.start == span.start && list.end + 1 == span.end)?;
        list.is_taken = true;
        Some(&list.rules)
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
    /// Reads the strings behind a bracket. Returns `None` if anything else is between them, or one has an escape.
    fn read(text: &'t str, start: usize) -> Option<Self> {
        let bytes = text.as_bytes();
        let mut rules = Vec::new();
        let mut at = start + 1;
        let mut needs_comma = false;
        loop {
            match bytes.get(at)? {
                b' ' | b'\t' | b'\n' => at += 1,
                b'#' => {
                    let rest = bytes.get(at..)?;
                    let end = memchr(b'\n', rest)?;
                    printable(text.get(at..at + end).filter(|comment| comment.len() == end)?)?;
                    at += end;
                }
                b'\'' if !needs_comma => {
                    let inside = text.get(at + 1..)?;
                    let rule = inside.get(..memchr(b'\'', inside.as_bytes())?)?;
                    rules.push((at, Cow::Borrowed(printable(rule)?)));
                    needs_comma = true;
                    at += rule.len() + 2;
                }
                b'"' if !needs_comma => {
                    let (rule, len) = basic_string(text.get(at + 1..)?)?;
                    rules.push((at, rule));
                    needs_comma = true;
                    at += len + 2;
                }
                b',' if needs_comma => {
                    needs_comma = false;
                    at += 1;
                }
                b']' => return Some(Self { start, end: at, rules, is_taken: false }),
                _ => return None,
            }
        }
    }
}

/// Reads the inside of a string between double quotes, and its length as written. No other escapes than of a quote and a
/// backslash are read.
fn basic_string(text: &str) -> Option<(Cow<'_, str>, usize)> {
    let mut end = memchr2(b'"', b'\\', text.as_bytes())?;
    let mut read = Cow::Borrowed(text.get(..end)?);
    while text.as_bytes().get(end) == Some(&b'\\') {
        let escaped = text.get(end + 1..end + 2).filter(|next| matches!(*next, "\"" | "\\"))?;
        let rest = text.get(end + 2..)?;
        let more = rest.get(..memchr2(b'"', b'\\', rest.as_bytes())?)?;
        read.to_mut().push_str(escaped);
        read.to_mut().push_str(more);
        end += 2 + more.len();
    }
    printable(&read)?;
    Some((read, end))
}

/// Returns the text unless it has characters that TOML allows in no string of one line, or is empty: three quotes would begin
/// a string of several lines.
fn printable(text: &str) -> Option<&str> {
    // Without an early end, so that many characters are compared at once.
    let odd = text.bytes().map(|byte| u8::from(byte < b' ') | u8::from(byte == 0x7f));
    (!text.is_empty() && odd.fold(0, |all, odd| all | odd) == 0).then_some(text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use toml::de::{DeTable, DeValue};

    use super::*;

    fn found(text: &str) -> Option<Vec<String>> {
        PlainLists::find(text).map(|all| all.lists[0].rules.iter().map(|(_, rule)| rule.clone().into_owned()).collect())
    }

    #[test]
    fn lists_of_strings_are_taken_out() {
        let text =
            "[permissions]\ndeny = [\n  \"a\", 'b\\',\n  # why\n  \"c\" ,\n  \"ü\" # because\n]\nask = [\"x\"]\n";
        let mut all = PlainLists::find(text).unwrap();
        assert_eq!(all.rest.len(), text.len());
        assert_eq!(all.rest.split_whitespace().collect::<String>(), "[permissions]deny=[]ask=[\"x\"]");
        let start = text.find("[\n").unwrap();
        let rules = all.take(start..text.find("]\nask").unwrap() + 1).unwrap();
        assert!(rules.iter().all(|(at, rule)| text.get(at + 1..).unwrap().starts_with(&**rule)));
        assert_eq!(rules.iter().map(|(_, rule)| &**rule).collect::<Vec<_>>(), ["a", "b\\", "c", "ü"]);
        assert!(all.are_taken());
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
            ]), 1..14),
        ) {
            let text = parts.concat();
            if let Some(mut all) = PlainLists::find(&text)
                && let rest = std::mem::take(&mut all.rest)
                && let (rest, errors) = DeTable::parse_recoverable(&rest)
                && errors.is_empty()
            {
                let rest = rest.into_inner();
                let (whole, errors) = DeTable::parse_recoverable(&text);
                let whole = whole.into_inner();
                let (short, long) = (arrays(&rest), arrays(&whole));
                for (short, long) in short.iter().zip(&long) {
                    if let Some(rules) = all.take(short.span()) {
                        let items = long.get_ref().as_array().unwrap().iter();
                        let items: Vec<_> = items.map(|item| (item.span().start, Cow::Borrowed(item.get_ref().as_str().unwrap()))).collect();
                        prop_assert_eq!(rules, items, "{}", text);
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
