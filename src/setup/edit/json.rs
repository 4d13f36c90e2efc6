//! Edits JSON and JSONC with the syntax tree of `jsonc-parser`.

mod cut;

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstContainerNode, CstInputValue, CstNode, CstObject, CstObjectProp, CstRootNode};
use serde_json::Value;

use super::{EditFault, FoundNode, Node, Tree, entries_of};

pub(super) struct Json(CstRootNode);

/// The syntax that agents accept: JSON, at most with comments and trailing commas.
const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

impl Json {
    pub(super) fn parse(text: &str) -> Result<Self, EditFault> {
        let root = CstRootNode::parse(text, &OPTIONS)
            .map_err(|error| EditFault::syntax(text, error.range().start, error.kind().to_string()))?;
        match root.value() {
            None | Some(CstNode::Container(CstContainerNode::Object(_))) => Ok(Self(root)),
            Some(_) => Err(EditFault::syntax(text, 0, "an object is expected")),
        }
    }
}

impl Tree for Json {
    fn text(&self) -> String {
        self.0.to_string()
    }

    fn entries(&self) -> Result<Vec<Node>, EditFault> {
        let mut entries = Vec::new();
        if let Some(value) = self.0.value() {
            let value = value.to_serde_value().ok_or_else(|| EditFault::place(&[], "not readable"))?;
            entries_of(Vec::new(), value, &mut entries);
        }
        Ok(entries)
    }

    fn is_empty(&self) -> bool {
        self.0.object_value().is_none_or(|object| object.children().is_empty() || only_blanks(&object.children()))
            && self.0.children().iter().all(|child| !child.is_comment())
    }

    fn found(&self, at: &[String], in_list: bool) -> Result<Vec<Value>, EditFault> {
        let Some(node) = self.node(at)? else { return Ok(Vec::new()) };
        let nodes = if in_list { list(&node, at)?.elements() } else { vec![node] };
        nodes.iter().map(|node| node.to_serde_value().ok_or_else(|| EditFault::place(at, "not readable"))).collect()
    }

    fn put(&mut self, node: &Node, instead: Option<usize>) -> Result<(), EditFault> {
        let value = input(&node.value);
        if let Some(number) = instead {
            replace(self.nth(&node.at, node.in_list, number)?, value);
            return Ok(());
        }
        let Some((name, parents)) = node.at.split_last() else {
            self.0.set_value(value);
            return Ok(());
        };
        let mut object = self.0.object_value_or_set();
        for (depth, parent) in parents.iter().enumerate() {
            let path = node.at.get(..=depth).unwrap_or_default();
            object = match member(&object, parent, path)? {
                None => object.object_value_or_set(parent),
                Some(prop) => prop.object_value().ok_or_else(|| EditFault::place(path, "not an object"))?,
            };
        }
        match (member(&object, name, &node.at)?, node.in_list) {
            (None, true) => {
                object.append(name, CstInputValue::Array(vec![value]));
            }
            (Some(prop), true) => {
                let array = prop.array_value().ok_or_else(|| EditFault::place(&node.at, "not a list"))?;
                array.append(value);
            }
            (None, false) => {
                object.append(name, value);
            }
            (Some(prop), false) => prop.set_value(value),
        }
        Ok(())
    }

    fn take(&mut self, found: &FoundNode, ours: &dyn Fn(&[String]) -> bool) -> Result<(), EditFault> {
        let FoundNode { node: Node { at, in_list, .. }, number } = found;
        let mut path = at.as_slice();
        if *in_list {
            self.nth(at, true, *number)?;
            self.cut(at, Some(*number))?;
        } else {
            self.remove(at)?;
            path = at.get(..at.len().saturating_sub(1)).unwrap_or_default();
        }
        while !path.is_empty() && ours(path) {
            let empty = self.node(path)?.is_some_and(|node| match node {
                CstNode::Container(node) => only_blanks(&node.children()),
                CstNode::Leaf(_) => false,
            });
            if !empty {
                break;
            }
            self.remove(path)?;
            path = path.get(..path.len() - 1).unwrap_or_default();
        }
        Ok(())
    }
}

impl Json {
    fn remove(&mut self, at: &[String]) -> Result<(), EditFault> {
        if self.prop(at)?.is_some() { self.cut(at, None) } else { Ok(()) }
    }

    fn cut(&mut self, at: &[String], element: Option<usize>) -> Result<(), EditFault> {
        let text = cut::without(&self.text(), &OPTIONS, at, element);
        *self = Self::parse(&text.ok_or_else(|| EditFault::place(at, "no longer in the file"))?)?;
        Ok(())
    }

    fn nth(&self, at: &[String], in_list: bool, number: usize) -> Result<CstNode, EditFault> {
        let gone = || EditFault::place(at, "no longer in the file");
        let node = self.node(at)?.ok_or_else(gone)?;
        if in_list { list(&node, at)?.elements().into_iter().nth(number).ok_or_else(gone) } else { Ok(node) }
    }

    fn node(&self, at: &[String]) -> Result<Option<CstNode>, EditFault> {
        if at.is_empty() {
            return Ok(self.0.value());
        }
        Ok(self.prop(at)?.and_then(|prop| prop.value()))
    }

    fn prop(&self, at: &[String]) -> Result<Option<CstObjectProp>, EditFault> {
        let Some(mut object) = self.0.object_value() else { return Ok(None) };
        let mut found = None;
        for (depth, name) in at.iter().enumerate() {
            let path = at.get(..=depth).unwrap_or_default();
            let Some(prop) = member(&object, name, path)? else { return Ok(None) };
            if depth + 1 < at.len() {
                let next = prop.object_value();
                object = next.ok_or_else(|| EditFault::place(path, "not an object"))?;
            }
            found = Some(prop);
        }
        Ok(found)
    }
}

/// The member with a name. Duplicates are an error: agents read the last one, people the first one.
fn member(object: &CstObject, name: &str, path: &[String]) -> Result<Option<CstObjectProp>, EditFault> {
    let mut found = object.properties().into_iter().filter(|prop| prop.decoded_name().as_deref() == Some(name));
    let first = found.next();
    if found.next().is_some() {
        return Err(EditFault::place(path, "there twice, and the agent reads only one of them; join the two"));
    }
    Ok(first)
}

fn list(node: &CstNode, at: &[String]) -> Result<CstArray, EditFault> {
    node.as_array().ok_or_else(|| EditFault::place(at, "not a list"))
}

fn only_blanks(children: &[CstNode]) -> bool {
    children.iter().all(|child| child.is_whitespace() || child.is_newline() || child.is_token())
}

fn replace(node: CstNode, value: CstInputValue) {
    match node {
        CstNode::Container(CstContainerNode::Object(node)) => node.replace_with(value),
        CstNode::Container(CstContainerNode::Array(node)) => node.replace_with(value),
        CstNode::Container(CstContainerNode::Root(_) | CstContainerNode::ObjectProp(_)) => None,
        CstNode::Leaf(leaf) => {
            use jsonc_parser::cst::CstLeafNode as Leaf;
            match leaf {
                Leaf::StringLit(node) => node.replace_with(value),
                Leaf::NumberLit(node) => node.replace_with(value),
                Leaf::BooleanLit(node) => node.replace_with(value),
                Leaf::NullKeyword(node) => node.replace_with(value),
                Leaf::WordLit(node) => node.replace_with(value),
                _ => None,
            }
        }
    };
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(list) => CstInputValue::Array(list.iter().map(input).collect()),
        Value::Object(object) => {
            CstInputValue::Object(object.iter().map(|(name, value)| (name.clone(), input(value))).collect())
        }
    }
}
