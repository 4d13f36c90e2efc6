//! `{a,b}` and `{1..5}`, which bash and zsh expand and dash does not.

use super::super::words::Word;

/// The maximum number of words that the lists of one command stand for.
const WORDS: usize = 64;

/// The length of the list at the start of a text, with its braces; `None` if there is none that both shells read alike.
pub(super) fn list(text: &str) -> Option<usize> {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"._/+@%:,-".contains(&b);
    let behind = text.strip_prefix('{')?;
    let (inner, end) = behind.split_at_checked(behind.bytes().position(|b| !plain(b))?)?;
    let is_list = end.starts_with('}') && (inner.contains(',') || range(inner).is_some());
    is_list.then_some(inner.len() + 2)
}

/// The words that bash and zsh read. `Ok(None)` if no word has a list, `Err` if there are too many of them.
pub(in super::super) fn expanded(words: &[Word]) -> Result<Option<Vec<Word>>, &Word> {
    if !words.iter().any(|word| word.listed) {
        return Ok(None);
    }
    let mut all = Vec::new();
    for word in words {
        if !word.listed {
            all.push(word.clone());
            continue;
        }
        let values = values(&word.value).ok_or(word)?;
        if all.len() + values.len() > words.len() + WORDS {
            return Err(word);
        }
        all.extend(values.into_iter().map(|value| Word { value, brace: false, listed: false, ..word.clone() }));
    }
    Ok(Some(all))
}

/// The values of one word, in order; `None` if one is empty, which is an argument in zsh alone.
fn values(value: &str) -> Option<Vec<String>> {
    let mut all = vec![String::new()];
    let mut rest = value;
    while let Some((before, _)) = rest.split_once('{') {
        let length = list(rest.get(before.len()..)?)?;
        let inner = rest.get(before.len() + 1..before.len() + length - 1)?;
        let items = match range(inner) {
            Some(items) => items,
            None => inner.split(',').map(str::to_owned).collect(),
        };
        if all.len() * items.len() > WORDS {
            return None;
        }
        all = all.iter().flat_map(|start| items.iter().map(move |item| format!("{start}{before}{item}"))).collect();
        rest = rest.get(before.len() + length..)?;
    }
    let all: Vec<_> = all.into_iter().map(|start| start + rest).collect();
    all.iter().all(|value| !value.is_empty()).then_some(all)
}

/// The numbers of `FROM..TO`; empty if there are too many.
fn range(inner: &str) -> Option<Vec<String>> {
    let number = |text: &str| {
        let plain =
            text.len() <= 4 && (text == "0" || !text.starts_with('0')) && text.bytes().all(|b| b.is_ascii_digit());
        text.parse::<usize>().ok().filter(|_| plain)
    };
    let (from, to) = inner.split_once("..")?;
    let (from, to) = (number(from)?, number(to)?);
    let numbers: Vec<usize> = if from <= to { (from..=to).collect() } else { (to..=from).rev().collect() };
    Some(numbers.iter().map(usize::to_string).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values_of(text: &str) -> Option<String> {
        values(text).map(|values| values.join(" "))
    }

    #[test]
    fn lists_and_ranges_are_expanded_in_order() {
        for (text, found) in [
            ("src/{a,b}", "src/a src/b"),
            ("f{,.bak}", "f f.bak"),
            ("{a,b}{1..3}", "a1 a2 a3 b1 b2 b3"),
            ("{3..1}x", "3x 2x 1x"),
            ("*.{js,ts}", "*.js *.ts"),
            ("{1..2,x}", "1..2 x"),
        ] {
            assert_eq!(values_of(text).as_deref(), Some(found), "{text}");
        }
        for text in ["{1..1000}", "{a,{b,c}}", "{01..03}", "{1..9..2}", "{a,,b}", "{,a}"] {
            assert_eq!(values_of(text), None, "{text}");
        }
    }
}
