//! Converts the permissions of Cursor's CLI: the lists `allow` and `deny` of tokens such as `Shell(git)` and `Read(src/**)`.
//!
//! A denial wins over an approval in Cursor and in a policy. So an approval is not imported if a denial of the same kind
//! could not be imported.

use serde_json::Value;

use super::Layer;
use snaphook_policy::List;

/// The member of the files with the lists.
pub(super) const MEMBER: &str = "permissions";

/// Adds the rules of each file to its layer.
pub(super) fn read(layers: &mut [(Layer, Value)], fault: impl Fn(&str, List) -> Option<String>) {
    let mut unsaid: Vec<String> = Vec::new();
    for (list, name) in [(List::Deny, "deny"), (List::Allow, "allow")] {
        for (layer, permissions) in &mut *layers {
            let Some(value) = permissions.get(name) else { continue };
            let Some(tokens) = value.as_array() else {
                layer.lost.push(format!("{name}: not a list"));
                unsaid.extend((list == List::Deny).then(String::new));
                continue;
            };
            for token in tokens {
                let text = token.as_str().unwrap_or_default();
                let kind = text.split('(').next().unwrap_or_default().trim();
                let guarded = list == List::Allow && unsaid.iter().any(|of| of.is_empty() || of == kind);
                let read = converted(list, text).and_then(|rule| fault(&rule, list).map_or(Ok(rule), Err));
                match read {
                    Ok(_) if guarded => {
                        let why = "a denial, which wins over it, could not be imported";
                        layer.lost.push(format!("{name}: {text}: {why}"));
                    }
                    Ok(rule) => layer.rules.push((list, rule)),
                    Err(why) => {
                        layer.lost.push(format!(
                            "{name}: {}: {why}",
                            if text.is_empty() { token.to_string() } else { text.to_owned() }
                        ));
                        unsaid.extend((list == List::Deny).then(|| kind.to_owned()));
                    }
                }
            }
        }
    }
}

/// The rule of a policy, or the reason why there is none.
fn converted(list: List, token: &str) -> Result<String, String> {
    let inside = token.split_once('(').and_then(|(kind, rest)| Some((kind.trim(), rest.strip_suffix(')')?.trim())));
    let Some((kind, what)) = inside.filter(|(_, what)| !what.is_empty()) else {
        return Err("not a token such as `Shell(git)`".to_owned());
    };
    let allows = list == List::Allow;
    match kind {
        "Shell" if is_word(what) => Ok(format!("Bash({what}:*)")),
        "Shell" => Err("only the name of a program can be converted".to_owned()),
        "Read" => Ok(format!("Read({})", path(what, allows))),
        "Write" if allows => Err("a rule here would also allow deletions".to_owned()),
        "Write" => Ok(format!("Edit({})", path(what, allows))),
        "Mcp" if allows => Err("not known for certain to mean the same".to_owned()),
        "Mcp" => {
            let (server, tool) = what.split_once([',', ':']).unwrap_or((what, "*"));
            Ok(format!("mcp__{}__{}", server.trim(), tool.trim()))
        }
        _ => Err("unknown kind of token".to_owned()),
    }
}

/// The path of a rule. A relative one belongs to the workspace; a denial is imported for every folder.
fn path(glob: &str, allows: bool) -> String {
    match glob.strip_prefix('/') {
        Some(rest) => format!("//{rest}"),
        None if glob.starts_with('~') || !allows => glob.to_owned(),
        None => format!("/{glob}"),
    }
}

fn is_word(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || "_-./@+".contains(c))
}
