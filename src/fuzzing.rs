//! Entry points into private modules for the fuzz targets. Each panics where a promise is broken.

#![expect(clippy::panic, clippy::expect_used, clippy::indexing_slicing, reason = "a broken promise is a finding")]

use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::thread;

use serde_json::json;
use snaphook_adapters::protocol::RegisteredLine;
use snaphook_adapters::registry::Registry;

use crate::policy::Places;
use crate::serve::{AuditChoice, Invocation, on_sockets};
use crate::setup::edit::{Document, Format, FoundNode, Node};

/// Puts an entry into a settings file and takes it out again: the file says what it said before.
///
/// `format` chooses JSON, TOML, marked YAML, a separate file or a plug-in. A text that is not valid in its format is an
/// error, never a panic.
///
/// # Panics
/// The file says something else afterwards.
pub fn settings(format: u8, text: &str) {
    let format = [Format::Json, Format::Toml, Format::Yaml, Format::Own, Format::Plugin][usize::from(format % 5)];
    let Ok(mut document) = Document::parse(format, text) else { return };
    // The TOML editor ends the last line.
    assert_eq!(document.text().trim_end_matches('\n'), text.trim_end_matches('\n'), "reading a file changes it");
    let whole = matches!(format, Format::Yaml | Format::Own | Format::Plugin);
    let at = vec!["hooks".to_owned(), "PreToolUse".to_owned()];
    let node = if whole {
        Node::text("# ours\n".to_owned(), json!({}))
    } else {
        Node::element(at, json!({ "matcher": "*", "command": "snaphook hook" }))
    };
    let Ok(before) = document.found(&node.at, node.in_list) else { return };
    if whole && !before.is_empty() {
        return;
    }
    if document.put(&node, None).is_err() {
        return;
    }
    let with = document.text();
    let mut document = Document::parse(format, &with).unwrap_or_else(|fault| panic!("{fault} in {with:?}"));
    let found = document.found(&node.at, node.in_list).unwrap_or_else(|fault| panic!("{fault} in {with:?}"));
    assert_eq!(found.last(), Some(&*node.identity()), "the entry is not the last in {with:?}");
    let place = FoundNode { number: found.len() - 1, node };
    document.take(&place, &|_| true).unwrap_or_else(|fault| panic!("{fault} in {with:?}"));
    let after = document.text();
    let document = Document::parse(format, &after).unwrap_or_else(|fault| panic!("{fault} in {after:?}"));
    let found = document.found(&place.node.at, place.node.in_list).unwrap_or_default();
    assert_eq!(found, before, "taking the entry out of {with:?} gives {after:?}");
}

/// Returns what the line server of PicoClaw answers to these bytes, under the starter policy.
///
/// # Panics
/// The server panics or ends with an error, or its answers are not UTF-8.
pub fn lines(input: &[u8]) -> String {
    let registry = Arc::new(Registry::standard());
    let protocol = registry.get("picoclaw").expect("the agent is registered");
    let invocation = Invocation {
        protocol,
        registry,
        line: RegisteredLine::default(),
        places: Arc::new(Places::default()),
        audit: AuditChoice::Off,
        deadline: None,
    };
    let pair = || UnixStream::pair().expect("a pair of sockets");
    // A program with the usual start ignores this signal; a fuzz target has another start.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGPIPE, Arc::default());
    let ((mut writes, reads), (answers, mut answered), (stop, _never)) = (pair(), pair(), pair());
    let served = thread::spawn(move || on_sockets(invocation, reads, answers, stop));
    thread::scope(|scope| {
        scope.spawn(|| {
            // The server may stop reading.
            let _ = writes.write_all(input);
            let _ = writes.shutdown(Shutdown::Write);
        });
        let mut text = String::new();
        answered.read_to_string(&mut text).expect("the answers are UTF-8");
        served.join().expect("the server does not panic").expect("the server ends in good order");
        text
    })
}
