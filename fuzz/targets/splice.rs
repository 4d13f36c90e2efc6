//! Changing one part of a JSON document gives the part its new value and keeps every other byte.

#![no_main]

use libfuzzer_sys::fuzz_target;
use snaphook_adapters::Raw;
use snaphook_adapters::raw::json_string;

fuzz_target!(|input: (u16, &str, &str)| {
    let (choice, new, text) = input;
    let Ok(document) = Raw::checked(text) else { return };
    let mut parts = Vec::new();
    collect(&document, 3, &mut parts);
    if let Some(part) = parts.get(usize::from(choice) % parts.len().max(1)) {
        let start = part.as_str().as_ptr().addr() - document.as_str().as_ptr().addr();
        let (head, tail) = (&document.as_str()[..start], &document.as_str()[start + part.len()..]);
        let value = json_string(new);
        let changed = document.replace(part, &value).expect("the part is of this document");
        assert_eq!(changed.as_str(), format!("{head}{value}{tail}"));
        Raw::checked(changed.as_str()).expect("the changed document is valid");
    }
    if let Ok(object) = document.object() {
        let value = json_string(new);
        let changed = object.with(new, &value);
        let changed = Raw::checked(changed.as_str()).expect("the changed document is valid");
        let members = changed.object().expect("the changed document is an object");
        assert_eq!(members.last(new).expect("the member is there").as_str(), value);
    }
});

/// The values of a document, up to a few levels deep.
fn collect(value: &Raw, levels: usize, parts: &mut Vec<Raw>) {
    if levels == 0 || parts.len() > 1000 {
        return;
    }
    let children: Vec<Raw> = match (value.object(), value.array()) {
        (Ok(object), _) => object.members().map(|(_, value)| value).collect(),
        (_, Ok(items)) => items,
        _ => Vec::new(),
    };
    for child in children {
        collect(&child, levels - 1, parts);
        parts.push(child);
    }
}
