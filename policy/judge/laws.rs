//! Laws for all file rules and all commands that touch files.

use proptest::prelude::*;
use snaphook_adapters::model::VerdictKind;

use super::tests::{kind, rules};
use crate::testing::{file_patterns, shell};

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, max_global_rejects: 1 << 16, ..ProptestConfig::default() })]

    /// B11: if deleting a file by name is denied, a text that may expand to the name is not allowed. None of the folders exists,
    /// so that every file may be there.
    #[test]
    fn a_file_denied_by_name_is_not_allowed_by_a_text_that_could_expand_to_it(
        pattern in file_patterns(),
        folder in prop::sample::select(&["", "", "./", "~/", "/w/app/", "/w/", "/v/"]),
        steps in prop::collection::vec("[ab]{1,2}", 1..4),
        (at, from, with) in (any::<prop::sample::Index>(), 0..3_usize, prop::sample::select(&["*", "?*", "\"$X\"", "$X", "$(x)"])),
    ) {
        let policy = format!(
            "{}[protect]\nsnaphook = 'off'\nagents = 'off'\n",
            rules(&format!("'Edit({pattern})'"), "", "'Bash(rm *)', 'Bash(x)'"),
        );
        let path = format!("{folder}{}", steps.join("/"));
        prop_assume!(kind(&policy, &shell(&format!("rm {path}"))) == VerdictKind::Deny);
        let mut hidden = steps.clone();
        let step = &mut hidden[at.index(steps.len())];
        step.truncate(from);
        if with == "?*" {
            step.pop();
        }
        step.push_str(with);
        let above = |count: usize| format!("{folder}{}", steps[..count].join("/"));
        let whole: Vec<_> = (1..=steps.len()).map(|count| format!("rm -rf {}", above(count))).collect();
        let below = format!("rm -rf {folder}{}/*", steps[..steps.len() - 1].join("/"));
        for command in whole.into_iter().chain([format!("rm {folder}{}", hidden.join("/")), below]) {
            let said = kind(&policy, &shell(&command));
            prop_assert!(said != VerdictKind::Allow, "{} is denied {}, and {} is allowed", pattern, path, command);
        }
    }
}
