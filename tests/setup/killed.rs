//! A kill at any time leaves either the old file or the new one.

use std::process::Command;
use std::time::Duration;

use crate::{CLAUDE, install, place, uninstall};

#[test]
fn a_killed_install_leaves_the_old_file_or_the_new_one() {
    let place = place();
    let before = format!("{{\n  // {}\n  \"model\": \"opus\"\n}}\n", "x".repeat(1 << 20));
    place.file(CLAUDE, &before);
    install(&place, "claude-code").says(0, &[]);
    let with = place.read(CLAUDE);
    uninstall(&place, "claude-code").says(0, &[]);
    for round in 0..40_u64 {
        let mut child = place.command(place.binary()).args(["install", "claude-code", "--yes"]).spawn().unwrap();
        std::thread::sleep(Duration::from_micros(round * 1500));
        child.kill().unwrap();
        child.wait().unwrap();
        let now = place.read(CLAUDE);
        assert!(now == before || now == with, "round {round}: {} bytes", now.len());
    }
    install(&place, "claude-code").says(0, &[]);
    assert_eq!(place.read(CLAUDE), with);
    uninstall(&place, "claude-code").says(0, &[]);
    assert_eq!(place.read(CLAUDE), before);
    // Two installs at the same time: the second one reports a conflict or finds the entries.
    let start = || -> Command {
        let mut command = place.command(place.binary());
        command.args(["install", "claude-code", "--yes"]);
        command
    };
    let mut both = [start().spawn().unwrap(), start().spawn().unwrap()];
    for child in &mut both {
        child.wait().unwrap();
    }
    assert_eq!(place.read(CLAUDE), with);
}
