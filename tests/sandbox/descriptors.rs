//! Descriptors that are open when `snaphook run` starts give no access outside the profile.

use std::process::Command;

use crate::place::{Place, Ran, SNAPHOOK, each, has_namespaces};

/// Runs a command in the sandbox, started by a shell that has opened this before.
fn with(place: &Place, opened: &str, text: &str) -> Ran {
    let mut shell: Command = place.command("sh");
    let line = format!("exec \"$@\" {opened}");
    shell.args(["-c", &line, "sh", SNAPHOOK, "run", "--", "sh", "-c", "--", text]);
    Ran::from(shell.output().unwrap())
}

#[test]
fn only_the_standard_streams_are_inherited() {
    if !has_namespaces() {
        return;
    }
    each(|launcher| {
        let place = Place::new();
        place.file("home/project/.env", "SECRET\n");
        place.policy(launcher, "hide = [\"/.env\", \"~/.ssh\"]");
        let ran = with(
            &place,
            "3<../other 4<../other/kept 5<. 6<../.ssh",
            "echo bad >> /proc/self/fd/4; echo bad > /proc/self/fd/3/new; cat /proc/self/fd/5/.env /proc/self/fd/6/id_test
             ls /proc/self/fd; echo fine",
        );
        assert!(!ran.out.contains("SECRET") && ran.out.ends_with("fine\n"), "{launcher} {ran:?}");
        assert_eq!(ran.out, "0\n1\n2\n3\nfine\n", "{launcher} {ran:?}: the third is of `ls` itself");
        assert_eq!(place.text("home/other/kept").as_deref(), Some("KEPT\n"), "{launcher} {ran:?}");
        assert!(!place.path("home/other/new").exists(), "{launcher} {ran:?}");
    });
}

#[test]
fn stdin_from_a_file_outside_is_read_only() {
    each(|launcher| {
        let place = Place::new();
        place.policy(launcher, "");
        let ran = with(&place, "<../other/kept", "cat; echo bad >> /proc/self/fd/0; echo bad > /dev/stdin");
        assert_eq!(ran.out, "KEPT\n", "{launcher} {ran:?}");
        assert_eq!(place.text("home/other/kept").as_deref(), Some("KEPT\n"), "{launcher} {ran:?}");
        place.file("home/project/in", "one\ntwo\n");
        let ran = with(&place, "<in", "read line; echo $line; echo more >> /dev/stdin; cat");
        assert_eq!(ran.out, "one\ntwo\nmore\n", "{launcher} {ran:?}");
        place.file("home/other/long", &"x".repeat(1 << 20));
        assert_eq!(with(&place, "<../other/long", "wc -c").out.trim(), "1048576", "{launcher}");
        assert_eq!(with(&place, "<../other/long", "head -c 3; exit 5").code, Some(5), "{launcher}");
    });
}

#[test]
fn a_folder_as_stdin_is_refused() {
    each(|launcher| {
        let place = Place::new();
        place.policy(launcher, "");
        let ran = with(&place, "<../other", "echo bad > /proc/self/fd/0/new; touch ran");
        assert_eq!(ran.code, Some(126), "{launcher} {ran:?}");
        assert!(ran.err.contains("its input is a folder"), "{launcher} {ran:?}");
        assert!(!place.path("home/other/new").exists() && !place.path("home/project/ran").exists(), "{launcher}");
    });
}
