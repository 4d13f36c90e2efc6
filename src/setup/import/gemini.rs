//! Converts the rules of Gemini CLI: lists of tools in its settings, and rules with priorities in its policy files.
//!
//! Gemini CLI applies the matching rule with the highest priority; a policy of snaphook applies the strictest one. So a
//! deny or ask rule is not imported if a weaker rule with a higher priority is an exception to it, and an allow rule is
//! not imported if a stricter rule that would win over it could not be imported.

use serde_json::Value;
use snaphook_adapters::protocol::Agent;
use snaphook_policy::List;

use super::{Layer, texts};

const SHELL: &str = "run_shell_command";
/// Wins over every rule.
const ALWAYS: u64 = 9_999;

/// One tool, or one beginning of a command, in a rule of Gemini CLI.
struct GeminiRule {
    /// The number of its layer.
    layer: usize,
    /// The rule as the user knows it.
    shown: String,
    list: List,
    /// May end with `*`.
    tool: String,
    prefix: Option<String>,
    /// A thousand times that of Gemini CLI.
    priority: u64,
    /// The rule of a policy, or the reason why it is not imported.
    converted: Result<String, String>,
    /// True if it applies to every call of the tool that begins with the prefix.
    exact: bool,
}

/// The rules of every file, in the order of the layers.
#[derive(Default)]
pub(super) struct GeminiRules(Vec<GeminiRule>);

/// The members of the settings that are read.
pub(super) const MEMBERS: &[&str] = &[
    "tools",
    "excludeTools",
    "coreTools",
    "allowedTools",
    "mcp",
    "mcpServers",
    "policyPaths",
    "adminPolicyPaths",
    "security",
    "admin",
];

impl GeminiRule {
    fn new(layer: usize, shown: String, list: List, tool: &str, priority: u64) -> Self {
        let converted = Err(String::new());
        Self { layer, shown, list, tool: tool.to_owned(), prefix: None, priority, converted, exact: true }
    }

    /// States why the rule applies only sometimes.
    fn only_if(mut self, why: Option<String>) -> Self {
        if let Some(why) = why {
            self.exact = false;
            self.converted = Err(why);
        }
        self
    }
}

impl GeminiRules {
    /// Reads the settings in one file.
    pub(super) fn settings(&mut self, layer: usize, agent: &Agent, settings: &Value) {
        let member = |at: &str| settings.pointer(at).cloned().unwrap_or_default();
        let shown = |at: &str| at.trim_start_matches('/').replace('/', ".");
        for (at, list, priority) in [
            ("/tools/exclude", List::Deny, 4_400),
            ("/excludeTools", List::Deny, 4_400),
            ("/tools/confirmationRequired", List::Ask, 4_350),
            ("/tools/allowed", List::Allow, 4_300),
        ] {
            for entry in texts(&member(at)) {
                let (name, prefix) = match entry.split_once('(') {
                    Some((name, rest)) => (name, Some(rest.strip_suffix(')').unwrap_or(rest))),
                    None => (entry.as_str(), None),
                };
                let name = built_in(name, list);
                let prefix = prefix.filter(|_| name == SHELL);
                for tool in aliases(name) {
                    let mut rule = GeminiRule::new(layer, format!("{}: {entry}", shown(at)), list, tool, priority);
                    rule.converted = converted(agent, list, tool, prefix);
                    rule.prefix = prefix.map(str::to_owned);
                    self.0.push(rule);
                }
                if list == List::Allow && prefix.is_some() {
                    self.unsaid(
                        layer,
                        format!("{}: {entry}", shown(at)),
                        SHELL,
                        priority - 10,
                        "denies other commands",
                    );
                }
            }
        }
        for server in texts(&member("/mcp/excluded")) {
            let mut rule = server_rule(List::Deny, &server, "*");
            (rule.layer, rule.shown, rule.priority) = (layer, format!("mcp.excluded: {server}"), 4_900);
            self.0.push(rule);
        }
        for (at, what) in [
            ("/tools/core", "denies all other tools"),
            ("/coreTools", "denies all other tools"),
            ("/policyPaths", "names other policy files"),
            ("/adminPolicyPaths", "names other policy files"),
        ] {
            if !member(at).is_null() {
                self.unsaid(layer, shown(at), "*", ALWAYS, what);
            }
        }
        for at in ["/security/disableAlwaysAllow", "/admin/secureModeEnabled"] {
            if member(at) == Value::Bool(true) {
                self.unsaid(layer, shown(at), "*", ALWAYS, "turns allow rules off");
            }
        }
        let (servers, trust) = (member("/mcpServers"), Value::Bool(true));
        let trusted = servers.as_object().into_iter().flatten();
        let trusted = trusted.filter(|(_, server)| server.get("trust") == Some(&trust));
        let trusted = trusted.map(|(server, _)| (format!("mcpServers.{server}.trust"), NO_SERVER));
        let allowed =
            texts(&member("/mcp/allowed")).into_iter().map(|server| (format!("mcp.allowed: {server}"), NO_SERVER));
        let old = texts(&member("/allowedTools")).into_iter();
        let old = old.map(|entry| (format!("allowedTools: {entry}"), "Gemini CLI now calls this `tools.allowed`"));
        for (shown, why) in trusted.chain(allowed).chain(old) {
            let mut rule = GeminiRule::new(layer, shown, List::Allow, "", 0);
            rule.converted = Err(why.to_owned());
            self.0.push(rule);
        }
    }

    /// Reads one policy file. Rules of an administrator win over those of the user, and these over those of a project.
    pub(super) fn policy(&mut self, number: usize, agent: &Agent, layer: &mut Layer, file: &Value) {
        let list = |name: &str| file.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
        let rules = list("rule");
        if let Some(invalid) = rules.iter().position(|rule| !is_valid(rule)) {
            layer.lost.push(format!("rule {}: it is invalid, so Gemini CLI ignores the whole file", invalid + 1));
            return;
        }
        for checker in list("safety_checker") {
            for tool in checker.get("toolName").map(texts).unwrap_or_default() {
                self.unsaid(number, format!("safety_checker: {tool}"), &tool, ALWAYS, "asks another program");
            }
        }
        let tier = match (layer.of_project, layer.file.starts_with("/etc")) {
            (true, _) => 3_000,
            (false, true) => 5_000,
            (false, false) => 4_000,
        };
        for (index, rule) in rules.iter().enumerate() {
            for mut read in rules_of(agent, rule) {
                read.layer = number;
                read.priority += tier;
                read.shown = format!("rule {}: {}", index + 1, read.shown);
                self.0.push(read);
            }
        }
    }

    /// A restriction that no rule can express.
    fn unsaid(&mut self, layer: usize, shown: String, tool: &str, priority: u64, what: &str) {
        let rule = GeminiRule::new(layer, shown, List::Deny, tool, priority);
        self.0.push(rule.only_if(Some(format!("it {what}, which a rule cannot express"))));
    }

    /// Hands each rule to its layer.
    pub(super) fn finish(mut self, layers: &mut [Layer], fault: impl Fn(&str, List) -> Option<String>) {
        self.reject(|_, rule| rule.converted.as_ref().ok().and_then(|text| fault(text, rule.list)));
        self.reject(Self::exception);
        self.reject(Self::unguarded);
        for rule in self.0 {
            let Some(layer) = layers.get_mut(rule.layer) else { continue };
            match rule.converted {
                Ok(text) => layer.rules.push((rule.list, text)),
                Err(why) => layer.lost.push(format!("{}: {why}", rule.shown)),
            }
        }
    }

    /// Rejects each converted rule for which there is a reason.
    fn reject(&mut self, reason: impl Fn(&Self, &GeminiRule) -> Option<String>) {
        let reasons: Vec<_> = self.0.iter().map(|rule| reason(self, rule)).collect();
        for (rule, reason) in self.0.iter_mut().zip(reasons) {
            if let (Some(reason), Ok(_)) = (reason, &rule.converted) {
                rule.converted = Err(reason);
            }
        }
    }

    /// The reason if a weaker rule wins over a deny or ask rule.
    fn exception(&self, rule: &GeminiRule) -> Option<String> {
        let found = self.0.iter().any(|other| {
            other.exact && weaker(other.list, rule.list) && other.priority > rule.priority && overlap(rule, other)
        });
        found.then(|| {
            "a weaker rule with a higher priority is an exception to it, and a policy has no exceptions".to_owned()
        })
    }

    /// The reason if an allow rule would allow what another rule forbids.
    fn unguarded(&self, rule: &GeminiRule) -> Option<String> {
        let found = self.0.iter().any(|other| {
            weaker(rule.list, other.list)
                && other.converted.is_err()
                && other.priority >= rule.priority
                && overlap(rule, other)
        });
        (rule.list == List::Allow && found)
            .then(|| "a stricter rule, which wins over it, could not be imported".to_owned())
    }
}

/// Reads one rule of a policy file: a rule for each of its tools and prefixes, without tier, layer and number.
fn rules_of(agent: &Agent, rule: &Value) -> Vec<GeminiRule> {
    let text = |name: &str| rule.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    let Some(list) = text("decision").and_then(list_of) else { return Vec::new() };
    let priority = rule.get("priority").and_then(Value::as_u64).unwrap_or_default();
    let mut members = rule.as_object().into_iter().flatten();
    let condition = members.find(|(name, value)| {
        let empty = value.as_array().is_some_and(Vec::is_empty) || value.as_str() == Some("");
        !NO_CONDITION.contains(&name.as_str()) && !empty
    });
    let condition = condition.map(|(name, _)| format!("a rule cannot have the condition `{name}`"));
    let prefixes = match rule.get("commandPrefix") {
        Some(prefixes) if prefixes.as_str() != Some("") => texts(prefixes).into_iter().map(Some).collect(),
        _ => vec![None],
    };
    let mut all = Vec::new();
    for named in rule.get("toolName").map(texts).unwrap_or_default() {
        for prefix in &prefixes {
            if let Some(server) = text("mcpName") {
                let mut read = server_rule(list, server, &named).only_if(condition.clone());
                (read.shown, read.priority) = (format!("{} {named} of {server}", list.word()), priority);
                all.push(read.only_if(prefix.as_ref().map(|_| NOT_SHELL.to_owned())));
                continue;
            }
            for tool in aliases(&named) {
                let shown = format!("{} {named} {}", list.word(), prefix.as_deref().unwrap_or_default());
                let mut read = GeminiRule::new(0, shown.trim_end().to_owned(), list, tool, priority);
                read.converted = converted(agent, list, tool, prefix.as_deref());
                read.prefix.clone_from(prefix);
                let odd = prefix.as_ref().filter(|_| tool != SHELL).map(|_| NOT_SHELL.to_owned());
                all.push(read.only_if(condition.clone()).only_if(odd));
            }
        }
    }
    all
}

/// A rule about a tool of an MCP server.
fn server_rule(list: List, server: &str, tool: &str) -> GeminiRule {
    let mut rule = GeminiRule::new(0, String::new(), list, &format!("mcp_{server}_{tool}"), 0);
    rule.converted = match (list, server, tool) {
        (List::Allow, ..) => Err(NO_SERVER.to_owned()),
        (_, "*", _) => Ok(format!("Tool(mcp_*_{tool})")),
        (_, _, "*") => Ok(format!("mcp__{server}")),
        _ => Ok(format!("mcp__{server}__{tool}")),
    };
    rule
}

const NOT_SHELL: &str = "`commandPrefix` is only for commands";
const NO_SERVER: &str = "snaphook cannot tell with certainty to which MCP server a tool of Gemini CLI belongs";

/// The members of a rule that do not restrict when it applies, or that are imported.
const NO_CONDITION: &[&str] = &[
    "toolName",
    "mcpName",
    "commandPrefix",
    "decision",
    "priority",
    "denyMessage",
    "deny_message",
    "allowRedirection",
    "allow_redirection",
    "name",
    "description",
];

/// Returns true if Gemini CLI accepts a rule; otherwise it ignores the file.
fn is_valid(rule: &Value) -> bool {
    let optional = |name: &str, fits: fn(&Value) -> bool| rule.get(name).is_none_or(fits);
    let words =
        |value: &Value| value.is_string() || value.as_array().is_some_and(|all| all.iter().all(Value::is_string));
    rule.get("toolName").is_some_and(words)
        && rule.get("decision").and_then(Value::as_str).and_then(list_of).is_some()
        && rule.get("priority").and_then(Value::as_u64).is_some_and(|priority| priority < 1_000)
        && optional("commandPrefix", words)
        && ["mcpName", "subagent", "argsPattern", "commandRegex", "denyMessage", "deny_message"]
            .into_iter()
            .all(|name| optional(name, Value::is_string))
        && ["interactive", "allowRedirection", "allow_redirection"]
            .into_iter()
            .all(|name| optional(name, Value::is_boolean))
        && optional("modes", Value::is_array)
        && optional("toolAnnotations", Value::is_object)
}

fn list_of(decision: &str) -> Option<List> {
    match decision {
        "allow" => Some(List::Allow),
        "ask_user" => Some(List::Ask),
        "deny" => Some(List::Deny),
        _ => None,
    }
}

/// The name of a tool in settings, where it may be the name of its class; in `tools.allowed`, only the shell's may.
fn built_in(name: &str, list: List) -> &str {
    match name {
        "ShellTool" => SHELL,
        _ if list == List::Allow => name,
        "LSTool" => "list_directory",
        "ReadFileTool" => "read_file",
        "ReadManyFilesTool" => "read_many_files",
        "GrepTool" | "RipGrepTool" => "grep_search",
        "GlobTool" => "glob",
        "EditTool" => "replace",
        "WriteFileTool" => "write_file",
        "WebFetchTool" => "web_fetch",
        "WebSearchTool" => "google_web_search",
        "MemoryTool" => "save_memory",
        _ => name,
    }
}

/// The names of one tool.
fn aliases(tool: &str) -> Vec<&str> {
    match tool {
        "grep_search" | "search_file_content" => vec!["grep_search", "search_file_content"],
        _ => vec![tool],
    }
}

/// The rule of a policy for all calls of a tool, or for the commands with a prefix.
fn converted(agent: &Agent, list: List, tool: &str, prefix: Option<&str>) -> Result<String, String> {
    if let Some(prefix) = prefix {
        let plain = |c: char| c.is_ascii_alphanumeric() || " _-./=@,+".contains(c);
        let words: Vec<_> = prefix.split(' ').collect();
        if words.iter().all(|word| !word.is_empty()) && prefix.chars().all(plain) {
            return Ok(format!("Bash({prefix}:*)"));
        }
        return Err(
            "only words of letters, digits and _-./=@,+ with one space between them can be converted".to_owned()
        );
    }
    match (list, tool) {
        (List::Deny | List::Ask, "*") => Ok("*".to_owned()),
        (List::Deny | List::Ask, _) => Ok(format!("Tool({tool})")),
        (List::Allow, SHELL) => Err("allows every command; write a rule for each command".to_owned()),
        (List::Allow, "google_web_search") => Ok("WebSearch".to_owned()),
        (List::Allow, _) if tool.starts_with("mcp_") => Err(NO_SERVER.to_owned()),
        (List::Allow, _) if agent.tools.iter().any(|row| row.native == tool && row.actions.is_empty()) => {
            Ok(format!("Tool({tool})"))
        }
        (List::Allow, _) => Err(super::one_tool(agent.name)),
    }
}

/// Returns true if a call may match both rules.
fn overlap(one: &GeminiRule, other: &GeminiRule) -> bool {
    let start = |rule: &GeminiRule| rule.tool.split('*').next().unwrap_or_default().len();
    let common = |a: &str, b: &str| a.starts_with(b) || b.starts_with(a);
    let tools = match (one.tool.contains('*'), other.tool.contains('*')) {
        (false, false) => one.tool == other.tool,
        (true, false) => other.tool.starts_with(one.tool.get(..start(one)).unwrap_or_default()),
        (false, true) => one.tool.starts_with(other.tool.get(..start(other)).unwrap_or_default()),
        (true, true) => {
            common(one.tool.get(..start(one)).unwrap_or_default(), other.tool.get(..start(other)).unwrap_or_default())
        }
    };
    let prefixes = match (&one.prefix, &other.prefix) {
        (Some(one), Some(other)) => common(one, other),
        _ => true,
    };
    tools && prefixes
}

/// Returns true if a list is less strict than another.
fn weaker(list: List, than: List) -> bool {
    let rank = |list: List| List::ALL.iter().position(|other| *other == list);
    rank(list) > rank(than)
}
