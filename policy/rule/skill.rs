//! `Skill(NAME)` and `Skill(NAME ARGUMENTS)` (N5).

use snaphook_adapters::model::Skill;

use crate::list::Side;
use crate::wildcard::Wildcard;

/// The names and arguments of the skills that a rule matches.
#[derive(Debug, Clone)]
pub(crate) struct SkillPattern {
    name: Wildcard,
    /// `None`: in deny and ask all arguments, in allow no arguments.
    arguments: Option<Wildcard>,
}

impl SkillPattern {
    pub(super) fn read(specifier: &str, side: Side) -> Self {
        let folded = match side {
            Side::Guard => specifier.to_lowercase(),
            Side::Grant => specifier.to_owned(),
        };
        let text = folded.trim_start_matches('/');
        let any = text.strip_suffix(":*").or_else(|| text.strip_suffix(" *")).map(str::trim_end);
        if let Some(name) = any.filter(|name| !name.contains(' ')) {
            let name = match side {
                // Claude Code, whose syntax this is, compares the beginning of the name.
                Side::Guard => Wildcard::read(&format!("{name}*")),
                Side::Grant => Wildcard::read(name),
            };
            return Self { name, arguments: Some(Wildcard::read("*")) };
        }
        let (name, arguments) =
            text.split_once(' ').map_or((text, None), |(name, rest)| (name, Some(rest.trim_start())));
        Self { name: Wildcard::read(name), arguments: arguments.map(Wildcard::read) }
    }

    /// A skill without a name is matched by every guard and by no grant.
    pub(crate) fn matches(&self, side: Side, skill: &Skill) -> bool {
        let mut names = skill.names.iter();
        match side {
            Side::Guard => skill.names.is_empty() || names.any(|name| self.covers(side, name, &skill.arguments)),
            Side::Grant => !skill.names.is_empty() && names.all(|name| self.covers(side, name, &skill.arguments)),
        }
    }

    /// `name` may be followed by arguments.
    fn covers(&self, side: Side, name: &str, arguments: &str) -> bool {
        let whole = match side {
            Side::Guard => format!("{name} {arguments}").to_lowercase(),
            Side::Grant => format!("{name} {arguments}"),
        };
        let whole = whole.trim().trim_start_matches('/');
        let (name, given) = whole.split_once(char::is_whitespace).unwrap_or((whole, ""));
        let within = match &self.arguments {
            Some(pattern) => pattern.matches(given.trim()),
            None => side == Side::Guard || given.trim().is_empty(),
        };
        // The name of the skill in a folder or plug-in: `apps/web:deploy`, `plugin:deploy`.
        let unqualified = name.rsplit_once(':').map(|(_, name)| name).filter(|_| side == Side::Guard);
        within && [Some(name), unqualified].into_iter().flatten().any(|name| self.name.matches(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(rule: &str, side: Side, names: &[&str], arguments: &str) -> bool {
        let mut skill = Skill::new(names.iter().map(|name| (*name).to_owned()).collect(), &[]);
        arguments.clone_into(&mut skill.arguments);
        SkillPattern::read(rule, side).matches(side, &skill)
    }

    #[test]
    fn n5_deny_and_ask_match_a_skill_with_any_arguments_and_in_any_spelling() {
        for (rule, names, arguments, found) in [
            ("deploy", &["deploy"][..], "", true),
            ("deploy", &["/Deploy"], "prod", true),
            ("/deploy", &["deploy prod"], "", true),
            ("deploy", &["deploys"], "", false),
            ("dep*", &["deploys"], "", true),
            ("deploy prod *", &["deploy"], "prod now", true),
            ("deploy prod*", &["deploy"], "test", false),
            ("deploy:*", &["deploy"], "", true),
            // Claude Code compares the beginning of the name, and the name without its folder or plug-in.
            ("deploy:*", &["deploy-all"], "", true),
            ("deploy *", &["deploy-all"], "prod", true),
            ("plugin:*", &["plugin:deploy"], "", true),
            ("deploy", &["apps/web:Deploy"], "", true),
            ("deploy *", &["plugin:deploys"], "", true),
            ("plugin:deploy", &["plugin:deploy"], "", true),
            ("plugin:deploy", &["other:deploy"], "", false),
            ("plugin", &["plugin:deploy"], "", false),
            ("web", &["apps/web:deploy"], "", false),
            ("*:deploy", &["deploy"], "", false),
            ("x", &["y", "x"], "", true),
            ("x", &[], "", true),
        ] {
            assert_eq!(matches(rule, Side::Guard, names, arguments), found, "{rule} {names:?} {arguments}");
        }
    }

    #[test]
    fn n5_allow_matches_arguments_only_if_the_rule_names_them() {
        for (rule, names, arguments, found) in [
            ("deploy", &["deploy"][..], "", true),
            ("deploy", &["deploy"], "prod", false),
            ("deploy *", &["deploy"], "prod", true),
            ("deploy *", &["deploy"], "", true),
            ("deploy:*", &["/deploy prod"], "", true),
            ("deploy", &["Deploy"], "", false),
            ("deploy:*", &["deploy-all"], "", false),
            ("deploy *", &["deploys"], "", false),
            ("plugin:*", &["plugin:deploy"], "", false),
            ("deploy", &["plugin:deploy"], "", false),
            ("plugin:deploy", &["plugin:deploy"], "", true),
            ("x", &["y", "x"], "", false),
            ("x", &[], "", false),
        ] {
            assert_eq!(matches(rule, Side::Grant, names, arguments), found, "{rule} {names:?} {arguments}");
        }
    }
}
