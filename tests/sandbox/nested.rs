//! A sandbox inside a sandbox is complete or refused (R12).

use crate::place::{Place, SNAPHOOK, has};

#[test]
fn a_nested_sandbox_isolates_or_refuses() {
    if !(has("landlock") && has("bwrap")) {
        return;
    }
    for (outer, inner, works) in [
        ("landlock", "landlock", true),
        ("landlock", "bwrap", false),
        ("bwrap", "landlock", true),
        ("bwrap", "bwrap", true),
    ] {
        let place = Place::new();
        // Root keeps no capabilities inside bwrap, and cannot create a second sandbox without them.
        let is_root = rustix::process::geteuid().is_root();
        let works = works && !(is_root && (outer, inner) == ("bwrap", "bwrap"));
        let policy = |launcher: &str, write: &str| {
            let text = format!("[sandbox]\nlauncher = \"{launcher}\"\nwrite = [\"{write}\"]\n");
            place.file(&format!("home/{launcher}-{}.toml", write.len()), &text)
        };
        let (out, within) = (policy(outer, "/"), policy(inner, "/sub"));
        std::fs::create_dir(place.path("home/project/sub")).unwrap();
        let output = place
            .command(SNAPHOOK)
            .args(["run", "--policy", out.to_str().unwrap(), "--", SNAPHOOK, "run", "--policy"])
            .args([within.to_str().unwrap(), "--", "sh", "-c", "touch sub/in; touch here ../other/new; exit 7"])
            .output()
            .unwrap();
        let what = format!("{inner} in {outer}: {output:?}");
        assert_eq!(output.status.code(), Some(if works { 7 } else { 126 }), "{what}");
        assert_eq!(place.path("home/project/sub/in").exists(), works, "{what}");
        assert!(!place.path("home/project/here").exists() && !place.path("home/other/new").exists(), "{what}");
    }
}

#[test]
fn an_exception_below_a_writable_folder_holds_inside_landlock() {
    if !has("landlock") {
        return;
    }
    let place = Place::new();
    place.file("home/project/.env", "SECRET\n");
    let outer = place.file("home/outer.toml", "[sandbox]\nlauncher = \"landlock\"\nwrite = [\"/\"]\n");
    let inner = "[sandbox]\nlauncher = \"landlock\"\nwrite = [\"/\"]\nhide = [\"/.env\"]\n";
    let inner = place.file("home/inner.toml", inner);
    let output = place
        .command(SNAPHOOK)
        .args(["run", "--policy", outer.to_str().unwrap(), "--", SNAPHOOK, "run", "--policy"])
        .args([inner.to_str().unwrap(), "--", "cat", ".env"])
        .output()
        .unwrap();
    assert!(output.status.code() == Some(126) && output.stdout.is_empty(), "{output:?}");
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(err.contains(".env") && err.contains("mount namespace"), "{err}");
}
