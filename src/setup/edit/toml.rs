//! Edits TOML with `toml_edit`.

use serde_json::Value;
use similar::{ChangeTag, TextDiff};
use snaphook_adapters::raw::quoted;
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, TableLike};

use super::{BOM, EditFault, FoundNode, Node, Tree, entries_of};

pub(super) struct Toml {
    tree: DocumentMut,
    /// The text as it was read.
    read: String,
}

impl Toml {
    pub(super) fn parse(text: &str) -> Result<Self, EditFault> {
        // The mark at the beginning of the file has been removed from this text. `toml_edit` would drop a second one.
        if text.starts_with(BOM) {
            return Err(EditFault::syntax(text, 0, "a second byte order mark"));
        }
        let tree = text.parse().map_err(|error: toml_edit::TomlError| {
            let at = error.span().map_or(0, |span| span.start);
            EditFault::syntax(text, at, error.message().lines().next().unwrap_or("no TOML").to_owned())
        })?;
        Ok(Self { tree, read: text.to_owned() })
    }
}

impl Tree for Toml {
    fn text(&self) -> String {
        let text = self.tree.to_string();
        if self.read.contains('\r') { with_line_ends_of(&self.read, &text) } else { text }
    }

    fn entries(&self) -> Result<Vec<Node>, EditFault> {
        let mut entries = Vec::new();
        entries_of(Vec::new(), of_table(self.tree.as_table()), &mut entries);
        Ok(entries)
    }

    fn is_empty(&self) -> bool {
        self.tree.is_empty() && self.tree.to_string().trim().is_empty()
    }

    fn found(&self, at: &[String], in_list: bool) -> Result<Vec<Value>, EditFault> {
        let mut item = self.tree.as_item();
        for (depth, name) in at.iter().enumerate() {
            let path = at.get(..depth).unwrap_or_default();
            let table = item.as_table_like().ok_or_else(|| EditFault::place(path, "not a table"))?;
            let Some(next) = table.get(name) else { return Ok(Vec::new()) };
            item = next;
        }
        if !in_list {
            return Ok(vec![of_item(item)]);
        }
        match of_item(item) {
            Value::Array(elements) => Ok(elements),
            _ => Err(EditFault::place(at, "not a list")),
        }
    }

    fn put(&mut self, node: &Node, instead: Option<usize>) -> Result<(), EditFault> {
        let Some((name, parents)) = node.at.split_last() else {
            return Err(EditFault::place(&node.at, "the whole file"));
        };
        let table = self.table(parents, true)?.ok_or_else(|| EditFault::place(parents, "not a table"))?;
        if !node.in_list {
            let mut item = item_of(&node.value);
            // A replaced table keeps its place and the comment above it.
            if let (Some(new), Some(old)) = (item.as_table_mut(), table.get(name).and_then(Item::as_table)) {
                *new.decor_mut() = old.decor().clone();
                new.set_position(old.position());
            }
            table.insert(name, item);
            return Ok(());
        }
        let list = table.entry(name).or_insert(Item::ArrayOfTables(ArrayOfTables::new()));
        match (list, instead) {
            (Item::ArrayOfTables(list), None) => list.push(table_of(&node.value)),
            (Item::ArrayOfTables(list), Some(number)) => {
                let gone = || EditFault::place(&node.at, "no longer in the file");
                let old = list.get_mut(number).ok_or_else(gone)?;
                let mut new = table_of(&node.value);
                *new.decor_mut() = old.decor().clone();
                new.set_position(old.position());
                *old = new;
            }
            (Item::Value(toml_edit::Value::Array(list)), None) => list.push(value_of(&node.value)),
            (Item::Value(toml_edit::Value::Array(list)), Some(number)) => {
                list.replace(number, value_of(&node.value));
            }
            _ => return Err(EditFault::place(&node.at, "not a list")),
        }
        Ok(())
    }

    fn take(&mut self, found: &FoundNode, ours: &dyn Fn(&[String]) -> bool) -> Result<(), EditFault> {
        let FoundNode { node: Node { at, in_list, .. }, number } = found;
        let Some((name, parents)) = at.split_last() else { return Ok(()) };
        let Some(table) = self.table(parents, false)? else { return Ok(()) };
        let mut path = at.as_slice();
        if *in_list {
            match table.get_mut(name) {
                Some(Item::ArrayOfTables(list)) => {
                    list.remove(*number);
                }
                Some(Item::Value(toml_edit::Value::Array(list))) => {
                    list.remove(*number);
                }
                _ => return Err(EditFault::place(at, "not a list")),
            }
        } else {
            table.remove(name);
            path = parents;
        }
        while let Some((name, parents)) = path.split_last() {
            let Some(table) = self.table(parents, false)? else { break };
            let empty = table.get(name).is_some_and(|item| match item {
                Item::ArrayOfTables(list) => list.is_empty(),
                Item::Value(toml_edit::Value::Array(list)) => list.is_empty(),
                item => item.as_table_like().is_some_and(TableLike::is_empty),
            });
            if !empty || !ours(path) {
                break;
            }
            table.remove(name);
            path = parents;
        }
        Ok(())
    }
}

impl Toml {
    /// The table at a path; a missing one is created if `make` is true.
    fn table(&mut self, at: &[String], make: bool) -> Result<Option<&mut dyn TableLike>, EditFault> {
        let mut table: &mut dyn TableLike = self.tree.as_table_mut();
        for (depth, name) in at.iter().enumerate() {
            let path = at.get(..=depth).unwrap_or_default();
            if !table.contains_key(name) {
                if !make {
                    return Ok(None);
                }
                let mut new = Table::new();
                new.set_implicit(true);
                table.insert(name, Item::Table(new));
            }
            let next = table.get_mut(name).and_then(Item::as_table_like_mut);
            table = next.ok_or_else(|| EditFault::place(path, "not a table"))?;
        }
        Ok(Some(table))
    }
}

/// Restores line ends, since `toml_edit` writes them as `\n` outside of values. New lines get the most frequent line
/// end.
fn with_line_ends_of(read: &str, text: &str) -> String {
    let (plain, text) = (read.replace("\r\n", "\n"), text.replace("\r\n", "\n"));
    let read: Vec<_> = read.split_inclusive('\n').collect();
    let windows = read.iter().filter(|line| line.ends_with("\r\n")).count() * 2 > read.len();
    let mut whole = String::with_capacity(text.len() + read.len());
    for change in TextDiff::from_lines(plain.as_str(), text.as_str()).iter_all_changes() {
        let old = change.old_index().and_then(|at| read.get(at)).copied();
        match (change.tag(), old) {
            (ChangeTag::Delete, _) => {}
            (ChangeTag::Equal, Some(line)) => whole.push_str(line),
            _ if windows => whole.push_str(&change.value().replace('\n', "\r\n")),
            _ => whole.push_str(change.value()),
        }
    }
    whole
}

fn of_item(item: &Item) -> Value {
    match item {
        Item::None => Value::Null,
        Item::Value(value) => of_value(value),
        Item::Table(table) => of_table(table),
        Item::ArrayOfTables(list) => Value::Array(list.iter().map(|table| of_table(table)).collect()),
    }
}

fn of_table(table: &dyn TableLike) -> Value {
    Value::Object(table.iter().map(|(name, item)| (name.to_owned(), of_item(item))).collect())
}

fn of_value(value: &toml_edit::Value) -> Value {
    use toml_edit::Value as Toml;
    match value {
        Toml::String(text) => Value::String(text.value().clone()),
        Toml::Integer(number) => (*number.value()).into(),
        Toml::Float(number) => (*number.value()).into(),
        Toml::Boolean(value) => (*value.value()).into(),
        Toml::Datetime(time) => Value::String(time.value().to_string()),
        Toml::Array(list) => Value::Array(list.iter().map(of_value).collect()),
        Toml::InlineTable(table) => of_table(table),
    }
}

fn item_of(value: &Value) -> Item {
    if value.is_object() { Item::Table(table_of(value)) } else { Item::Value(value_of(value)) }
}

fn table_of(value: &Value) -> Table {
    let members = value.as_object().into_iter().flatten();
    members.map(|(name, value)| (name.as_str(), item_of(value))).collect()
}

fn value_of(value: &Value) -> toml_edit::Value {
    match value {
        Value::Bool(value) => (*value).into(),
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(number), _) => number.into(),
            (None, number) => number.unwrap_or_default().into(),
        },
        // toml_edit would write control characters and line breaks as they are.
        Value::String(text) => quoted(text).parse().unwrap_or_else(|_| text.as_str().into()),
        Value::Array(list) => list.iter().map(value_of).collect::<Array>().into(),
        Value::Object(members) => {
            members.iter().map(|(name, value)| (name.as_str(), value_of(value))).collect::<InlineTable>().into()
        }
        // TOML has no null, and no row writes one.
        Value::Null => "".into(),
    }
}
