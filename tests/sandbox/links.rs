//! A command that can replace a link in a path of the policy could change what the policy means. Nothing is run
//! in that case.

use std::os::unix::fs::symlink;

use crate::place::{Place, Ran, each};

fn is_refused(ran: &Ran, link: &str) -> bool {
    ran.code == Some(126) && ran.err.contains(&format!("/{link} in a writable folder")) && !ran.out.contains("SECRET")
}

#[test]
fn a_hidden_path_through_a_replaceable_link_is_refused() {
    each(|launcher| {
        let place = Place::new();
        place.file("home/vault/x", "SECRET\n");
        symlink("../vault", place.path("home/project/secrets")).unwrap();
        symlink("secrets", place.path("home/project/again")).unwrap();
        for (hide, link) in [("/secrets", "secrets"), ("/again/x", "again")] {
            place.policy(launcher, &format!("hide = [\"{hide}\"]"));
            let ran = place.run("rm secrets again; cat ../vault/x");
            assert!(is_refused(&ran, link), "{launcher} {hide} {ran:?}");
        }
        symlink("vault", place.path("home/way")).unwrap();
        for hide in ["~/vault", "~/way"] {
            place.policy(launcher, &format!("hide = [\"{hide}\"]"));
            let ran = place.run("rm -f secrets; ln -s ../vault/x y; cat ../vault/x ../way/x y; rm y; true");
            assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""), "{launcher} {hide} {ran:?}");
        }
    });
}

#[test]
fn a_link_cannot_redirect_a_root() {
    each(|launcher| {
        let place = Place::new();
        place.file("home/private/kept", "KEPT\n");
        std::fs::create_dir(place.path("home/project/cachedir")).unwrap();
        symlink("project/cachedir", place.path("home/cache")).unwrap();
        place.policy(launcher, "hide = []\nwrite = [\"/\", \"~/cache\"]");
        let ran = place.run("echo x > ~/cache/in && rm -r cachedir && ln -s ~/private cachedir");
        assert_eq!(ran.code, Some(0), "{launcher} {ran:?}");
        let ran = place.run("echo bad > ~/private/kept");
        assert!(is_refused(&ran, "cachedir"), "{launcher} {ran:?}");
        assert_eq!(place.text("home/private/kept").as_deref(), Some("KEPT\n"), "{launcher}");
    });
}

#[test]
fn s10_a_policy_file_that_is_a_replaceable_link_is_refused() {
    each(|launcher| {
        let place = Place::new();
        place.file("home/dot/p.toml", &format!("[sandbox]\nlauncher = \"{launcher}\"\nwrite = [\"~\"]\nhide = []\n"));
        symlink("../../dot/p.toml", place.path("home/.config/snaphook/snaphook.toml")).unwrap();
        let ran = place.run("echo bad > new; cp new ~/dot/p.toml; mv new ~/.config/snaphook/snaphook.toml");
        assert!(is_refused(&ran, "snaphook.toml"), "{launcher} {ran:?}");

        let place = Place::new();
        place.policy(launcher, "");
        place.file("home/project/team.toml", "[permissions]\n");
        symlink("team.toml", place.path("home/project/.snaphook.toml")).unwrap();
        assert!(is_refused(&place.run("rm .snaphook.toml"), ".snaphook.toml"), "{launcher}");
        place.policy(launcher, "[protect]\nsnaphook = \"off\"");
        assert_eq!(place.run("rm .snaphook.toml").code, Some(0), "{launcher}: who says so");
    });
}

#[test]
fn a_link_cannot_redirect_the_folder_that_contains_a_root() {
    each(|launcher| {
        let place = Place::new();
        std::fs::create_dir(place.path("shared")).unwrap();
        symlink("../home/other", place.path("shared/work")).unwrap();
        place.policy(launcher, &format!("write = [\"/\", \"/{}\"]", place.path("shared").display()));
        let mut command = place.command(crate::place::SNAPHOOK);
        command.args(["run", "--project"]).arg(place.path("shared/work"));
        let ran = Ran::from(command.args(["--", "sh", "-c", "echo bad > ../other/kept"]).output().unwrap());
        assert!(is_refused(&ran, "work"), "{launcher} {ran:?}");
        assert_eq!(place.text("home/other/kept").as_deref(), Some("KEPT\n"), "{launcher}");
    });
}
