//! The settings of a policy file as they are written, for commands that show a policy.

use toml::de::DeTable;

use super::source::PolicySource;

/// One key of a table other than the lists of rules.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct WrittenSetting {
    /// The table.
    pub table: String,
    /// The key in the table.
    pub key: String,
    /// The value as TOML.
    pub value: String,
    /// The offset of the key.
    pub at: usize,
}

impl PolicySource {
    /// The keys of the tables with these names, in the order of the file.
    pub fn settings(&self, tables: &[&str]) -> Vec<WrittenSetting> {
        let (document, _) = DeTable::parse_recoverable(&self.text);
        let mut found = Vec::new();
        for (name, table) in document.get_ref() {
            let name = name.get_ref().as_ref();
            for (key, value) in table.get_ref().as_table().into_iter().flatten().filter(|_| tables.contains(&name)) {
                found.push(WrittenSetting {
                    table: name.to_owned(),
                    key: key.get_ref().to_string(),
                    value: self.text.get(value.span()).unwrap_or_default().to_owned(),
                    at: key.span().start,
                });
            }
        }
        found.sort_by_key(|setting| setting.at);
        found
    }
}
