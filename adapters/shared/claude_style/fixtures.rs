//! The fixtures of a member of the family, for its own tests.

use crate::Raw;
use crate::model::{HookEvent, Incoming};
use crate::protocol::{HookProtocol, Native, RegisteredLine, Role};

/// Every fixture of an agent: its name and message.
#[expect(clippy::disallowed_methods, reason = "fixtures are files")]
pub(crate) fn fixtures(folder: &str) -> Vec<(String, Native)> {
    let at = format!("{}/{folder}/fixtures", env!("CARGO_MANIFEST_DIR"));
    let mut found: Vec<_> = std::fs::read_dir(at)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let fixture = Raw::checked(std::fs::read_to_string(&path).unwrap()).unwrap();
            let role = fixture.at("/line/role").and_then(|role| role.text());
            let role = role.map_or(Role::Alone, |role| Role::named(&role.value).unwrap());
            let native = Native::new(fixture.at("/stdin").unwrap().as_str()).line(RegisteredLine::default().role(role));
            (path.file_stem().unwrap().to_string_lossy().into_owned(), native)
        })
        .collect();
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

pub(crate) fn event(protocol: &dyn HookProtocol, native: &Native) -> HookEvent {
    match protocol.parse(native).unwrap() {
        Incoming::Event(event) => *event,
        other => panic!("{other:?}"),
    }
}
