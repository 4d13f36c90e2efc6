//! Where Acme's hooks are registered: rows, from which install, status, doctor and uninstall work.

use snaphook_adapters::protocol::{Block, ConfigFile, Entry, EntryForm, Field, Registration};

pub(crate) const REGISTRATION: Registration = Registration::new("acme", "~/.acme")
    .files(&[ConfigFile::hooks("~/.acme/hooks.json")])
    .blocks(&[Block::new("all versions", "~/.acme/hooks.json", ENTRIES).below(&["hooks"])]);

const ENTRIES: &[Entry] = &[Entry::new(FORM, &["tool_wanted"])];
const FORM: EntryForm = &[("command", Field::Program), ("args", Field::Arguments)];
