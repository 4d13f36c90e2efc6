//! `$((…))`: which variables it reads.

use super::super::words::is_name;

/// The variables in the text of an arithmetic expansion; `None` if it has more than numbers, names and operators.
pub(super) fn variables(text: &str) -> Option<Vec<String>> {
    let inner = text.strip_prefix("$((")?.strip_suffix("))")?;
    let mut names = Vec::new();
    let mut rest = inner;
    while let Some(c) = rest.chars().next() {
        let word = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
        let (token, behind) = match rest.strip_prefix('$') {
            Some(name) => {
                let (open, name) = name.strip_prefix('{').map_or((false, name), |name| (true, name));
                let length = name.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
                let (token, behind) = name.split_at_checked(length)?;
                (token, if open { behind.strip_prefix('}')? } else { behind })
            }
            None if word > 0 => rest.split_at_checked(word)?,
            None if " \t\n+-*/%<>=&|^~!?:,()".contains(c) => {
                rest = rest.get(1..)?;
                continue;
            }
            None => return None,
        };
        match token {
            token if is_name(token) => names.push(token.to_owned()),
            // A word after `$` is a name, and one that starts with a digit a number.
            token if !token.is_empty() && token.bytes().all(|b| b.is_ascii_digit()) && !rest.starts_with('$') => {}
            _ => return None,
        }
        rest = behind;
    }
    Some(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variables_of_an_arithmetic_expansion_are_found() {
        for (text, names) in [
            ("$((1 + 2))", Some(&[][..])),
            ("$((i+1))", Some(&["i"])),
            ("$(($i * (n_2 - 1)))", Some(&["i", "n_2"])),
            ("$((${i} << 2))", Some(&["i"])),
            ("$((i = j == 1 ? 2 : 3))", Some(&["i", "j"])),
            ("$((a[0]))", None),
            ("$(($(x) + 1))", None),
            ("$((16#ff))", None),
            ("$((0x1f))", None),
            ("$(($1))", None),
            ("$((${i:-1}))", None),
            ("$((`x`))", None),
        ] {
            let names = names.map(|names| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
            assert_eq!(variables(text), names, "{text}");
        }
    }
}
