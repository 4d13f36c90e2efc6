//! Files with several paths, because a folder is mounted twice.

use std::path::Path;
use std::process::Command;

use crate::place::{Place, Ran, SNAPHOOK, each, has, has_namespaces};

/// Runs a command in the sandbox after mounts were made.
fn mounted(place: &Place, mounts: &str, text: &str) -> Ran {
    let mut command: Command = place.command("unshare");
    let line = format!("{{ {mounts}; }} && exec \"$@\"");
    command.args(["--user", "--map-root-user", "--mount", "sh", "-c", &line, "sh"]);
    Ran::from(command.args([SNAPHOOK, "run", "--", "sh", "-c", "--", text]).output().unwrap())
}

fn folder(place: &Place, name: &str) -> String {
    let path = place.path(name);
    std::fs::create_dir_all(&path).unwrap();
    path.display().to_string()
}

#[test]
fn a_hidden_file_is_hidden_at_every_mount() {
    if !has_namespaces() {
        return;
    }
    each(|launcher| {
        let place = Place::new();
        place.file("home/vault/deep/x", "SECRET\n");
        place.policy(launcher, "hide = [\"<keys>\", \"~/vault\"]");
        let (home, again, part) = (folder(&place, "home"), folder(&place, "again"), folder(&place, "part"));
        let single = place.file("single", "").display().to_string();
        let ran = mounted(
            &place,
            &format!(
                "mount --bind {home} {again}; mount --bind {home}/vault/deep {part}
                 mount --bind {home}/.ssh/id_test {single}"
            ),
            &format!(
                "cat ~/.ssh/id_test {again}/.ssh/id_test {again}/vault/deep/x {part}/x {single}
                 cp {again}/.ssh/id_test . && cat id_test; cat {again}/other/kept {again}/.ssh/id_test.pub"
            ),
        );
        assert_eq!(ran.out, "KEPT\nPUBLIC\n", "{launcher} {ran:?}");
    });
}

#[test]
fn a_mount_below_a_hidden_folder_is_hidden_at_its_other_paths() {
    if !has_namespaces() {
        return;
    }
    each(|launcher| {
        let place = Place::new();
        place.file("disk/x", "SECRET\n");
        place.policy(launcher, "hide = [\"~/vault\"]");
        let (disk, inner) = (folder(&place, "disk"), folder(&place, "home/vault/inner"));
        let ran =
            mounted(&place, &format!("mount --bind {disk} {inner}"), &format!("cat {inner}/x {disk}/x; echo ran"));
        assert_eq!(ran.out, "ran\n", "{launcher} {ran:?}");
    });
}

#[test]
fn a_hidden_file_that_is_writable_by_another_path_is_covered() {
    if !has_namespaces() {
        return;
    }
    each(|launcher| {
        let place = Place::new();
        place.file("home/code/.env", "SECRET\n");
        let (work, again) = (folder(&place, "home/code"), folder(&place, "again"));
        for (write, hide) in [("~/code", format!("/{again}/.env")), (&format!("/{again}"), "~/code/.env".to_owned())] {
            place.policy(launcher, &format!("write = [\"{write}\"]\nhide = [\"{hide}\"]"));
            let ran = mounted(
                &place,
                &format!("mount --bind {work} {again}"),
                &format!(
                    "cat {work}/.env {again}/.env; mv {again}/.env {again}/e; mv {work}/.env {work}/e; cat {work}/e; echo ran"
                ),
            );
            assert_eq!(ran.out, "ran\n", "{launcher} {write} {ran:?}");
            assert_eq!(place.text("home/code/.env").as_deref(), Some("SECRET\n"), "{launcher} {write}");
        }
    });
}

#[test]
fn s10_read_only_paths_are_read_only_at_every_mount() {
    if !has_namespaces() {
        return;
    }
    let files = ["home/project/.claude/settings.json", "home/project/.snaphook.toml"];
    each(|launcher| {
        let place = Place::new();
        for file in files {
            place.file(file, "[permissions]\n");
        }
        place.policy(launcher, "");
        let (project, again) = (folder(&place, "home/project"), folder(&place, "again"));
        let before = mode(&place.path("home/project/.claude"));
        let ran = mounted(
            &place,
            &format!("mount --bind {project} {again}"),
            &format!(
                "for f in .claude/settings.json .snaphook.toml; do
                   echo bad > {again}/$f; rm -f {again}/$f; mv {again}/$f {again}/x; chmod 000 {again}/$f
                 done
                 mv {again}/.claude {again}/c; echo bad > {again}/.claude/settings.local.json; chmod 000 {again}/.claude
                 echo fine > new && cat new"
            ),
        );
        assert_eq!(ran.out, "fine\n", "{launcher} {ran:?}");
        for file in files {
            assert_eq!(place.text(file).as_deref(), Some("[permissions]\n"), "{launcher} {file} {ran:?}");
        }
        assert!(!place.path("home/project/.claude/settings.local.json").exists(), "{launcher} {ran:?}");
        assert_eq!(mode(&place.path("home/project/.claude")), before, "{launcher} {ran:?}");
    });
}

#[test]
fn a_covered_mount_does_not_prevent_isolation() {
    if !has_namespaces() {
        return;
    }
    each(|launcher| {
        let place = Place::new();
        place.policy(launcher, "");
        let (home, again) = (folder(&place, "home"), folder(&place, "a folder\\again"));
        let ran = mounted(
            &place,
            &format!("mount --bind '{home}' '{again}'; mount -t tmpfs tmpfs '{again}'; echo x > '{again}/other'"),
            &format!("cat '{again}/other' ~/.ssh/id_test"),
        );
        assert_eq!(ran.out, "x\n", "{launcher} {ran:?}");
    });
}

#[test]
fn a_command_is_refused_if_a_hidden_or_read_only_file_has_a_hard_link() {
    each(|launcher| {
        let place = Place::new();
        let key = place.path("home/.ssh/id_test");
        std::fs::hard_link(&key, place.path("home/other/key")).unwrap();
        place.policy(launcher, "");
        let ran = place.run("cat ~/other/key");
        assert!(ran.code == Some(126) && ran.err.contains("id_test has a hard link"), "{launcher} {ran:?}");
        assert!(!ran.out.contains("SECRET"), "{launcher} {ran:?}");
        std::fs::remove_file(&key).unwrap();
        let settings = place.file("home/project/.claude/settings.json", "{}");
        std::fs::hard_link(settings, place.path("home/project/x")).unwrap();
        let ran = place.run("echo bad > x");
        assert!(ran.code == Some(126) && ran.err.contains("settings.json has a hard link"), "{launcher} {ran:?}");
        assert_eq!(place.text("home/project/x").as_deref(), Some("{}"), "{launcher}");
    });
}

#[test]
fn a_command_is_refused_if_a_hidden_file_stays_readable() {
    if !has("landlock") {
        return;
    }
    let place = Place::new();
    let secret = place.file("home/vault/x", "SECRET\n");
    place.policy("landlock", "hide = [\"~/vault\"]");
    assert_eq!(place.run("cat ~/vault/x; echo ran").out, "ran\n");
    // Landlock grants access to files and not to names, so this file is granted with the others in its folder.
    std::fs::hard_link(secret, place.path("home/neighbour")).unwrap();
    let ran = place.run("cat ~/vault/x");
    assert!(ran.code == Some(126) && ran.out.is_empty(), "{ran:?}");
    assert!(ran.err.contains("vault/x is hidden by the policy and could still be read"), "{ran:?}");
}

fn mode(path: &Path) -> u32 {
    std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(path).unwrap().permissions()) & 0o777
}
