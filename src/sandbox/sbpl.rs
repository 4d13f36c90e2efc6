//! The text of a profile for `sandbox-exec` of macOS.
//!
//! A profile is a list of rules, of which the last one that matches decides. Its paths are parameters, so that no
//! character of a path can end a text of the profile.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use snaphook_policy::Network;

use super::profile::Profile;

/// What every command may do. What no rule allows is denied; this includes hard links, copy-on-write clones, control
/// of terminals, jobs of launchd, Apple events and drivers.
const ALWAYS: &str = r#"(version 1)
(deny default)
(allow process-exec process-fork)
(allow process-info* signal (target same-sandbox))
(allow sysctl-read
    (sysctl-name "kern.argmax") (sysctl-name "kern.hostname") (sysctl-name "kern.maxfilesperproc")
    (sysctl-name "kern.maxproc") (sysctl-name "kern.ngroups") (sysctl-name "kern.osproductversion")
    (sysctl-name "kern.osrelease") (sysctl-name "kern.ostype") (sysctl-name "kern.osversion")
    (sysctl-name "kern.usrstack64") (sysctl-name "kern.version") (sysctl-name "sysctl.proc_cputype")
    (sysctl-name-prefix "hw.") (sysctl-name-prefix "machdep.cpu.") (sysctl-name-prefix "vm."))
(allow mach-lookup
    (global-name "com.apple.bsd.dirhelper") (global-name "com.apple.system.notification_center")
    (global-name "com.apple.system.opendirectoryd.libinfo") (global-name "com.apple.system.opendirectoryd.membership"))
(allow ipc-posix-shm-read-data (ipc-posix-name "apple.shm.notification_center"))
(allow file-read* file-map-executable)
(deny file-read-data (subpath "/dev"))
(allow file-read-data
    (literal "/dev") (literal "/dev/null") (literal "/dev/zero") (literal "/dev/random") (literal "/dev/urandom")
    (literal "/dev/tty") (subpath "/dev/fd"))
(allow file-write-data (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (subpath "/dev/fd"))
"#;

/// What a command with network access may do as well: sockets, the services that find addresses and check
/// certificates, and objects that programs share.
const WITH_NETWORK: &str = r#"(allow network* system-socket)
(allow sysctl-read (sysctl-name-prefix "net.routetable."))
(allow mach-lookup
    (global-name "com.apple.SystemConfiguration.DNSConfiguration") (global-name "com.apple.SystemConfiguration.configd")
    (global-name "com.apple.networkd") (global-name "com.apple.trustd") (global-name "com.apple.trustd.agent"))
(allow ipc-posix* ipc-sysv*)
"#;

/// The volume of the files of users. Its folders are shown in the root directory, so each file in them has two paths.
const DATA_VOLUME: &str = "/System/Volumes/Data";

/// The arguments of `sandbox-exec` before the command.
pub(super) fn arguments(profile: &Profile) -> Vec<OsString> {
    let mut rules = Rules { text: ALWAYS.to_owned(), parameters: Vec::new() };
    if profile.network == Network::On {
        rules.text.push_str(WITH_NETWORK);
    }
    let write = rules.filters("subpath", "WRITE", profile.write.clone());
    rules.add("allow file-write*", &write);
    // Root could create a device node for a disk.
    rules.add("deny file-write-create", " (vnode-type BLOCK-DEVICE) (vnode-type CHARACTER-DEVICE)");
    let read_only = rules.filters("subpath", "READ_ONLY", on_both_volumes(&profile.read_only));
    rules.add("deny file-write*", &read_only);
    // The rules name paths: a folder that is moved would take the files below it out of the rules.
    let pinned = on_both_volumes(&[profile.write.as_slice(), &profile.pinned].concat());
    let pinned = rules.filters("literal", "PINNED", pinned);
    rules.add("deny file-write-unlink", &pinned);
    let hidden = on_both_volumes(&[profile.hide_inside.as_slice(), &profile.hide_outside, &profile.absent].concat());
    let hidden = rules.filters("subpath", "HIDDEN", hidden);
    rules.add("deny file-read* file-write* file-map-executable process-exec", &hidden);
    // A hidden path may be a socket.
    rules.add("deny network-outbound", &hidden);
    let parameters = rules.parameters.into_iter().flat_map(|parameter| ["-D".into(), parameter]);
    ["-p".into(), rules.text.into()].into_iter().chain(parameters).collect()
}

/// The text of a profile, and the values of its parameters.
struct Rules {
    text: String,
    parameters: Vec<OsString>,
}

impl Rules {
    /// The filters for some paths, each of which becomes a parameter.
    fn filters(&mut self, filter: &str, name: &str, paths: Vec<PathBuf>) -> String {
        let mut text = String::new();
        for (at, path) in paths.into_iter().enumerate() {
            let _ = write!(text, "\n    ({filter} (param \"{name}_{at}\"))");
            let mut parameter = OsString::from(format!("{name}_{at}="));
            parameter.push(path);
            self.parameters.push(parameter);
        }
        text
    }

    /// Adds a rule. Without filters there is none: it would apply to all paths.
    fn add(&mut self, rule: &str, filters: &str) {
        if !filters.is_empty() {
            let _ = writeln!(self.text, "({rule}{filters})");
        }
    }
}

/// Each path, also below the other of the two folders in which the volume of users' files is shown.
fn on_both_volumes(paths: &[PathBuf]) -> Vec<PathBuf> {
    let other = |path: &PathBuf| match path.strip_prefix(DATA_VOLUME) {
        Ok(below) => Path::new("/").join(below),
        Err(_) => Path::new(DATA_VOLUME).join(path.strip_prefix("/").unwrap_or(path)),
    };
    paths.iter().flat_map(|path| [path.clone(), other(path)]).collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStrExt;

    use super::*;

    fn paths(paths: &[&str]) -> Vec<PathBuf> {
        paths.iter().map(PathBuf::from).collect()
    }

    fn profile() -> Profile {
        Profile {
            cwd: "/Users/me/app".into(),
            home: Some("/Users/me".into()),
            write: paths(&["/Users/me/app", "/private/tmp"]),
            hide_inside: paths(&["/Users/me/app/secrets"]),
            hide_outside: paths(&["/Users/me/.ssh"]),
            absent: paths(&["/Users/me/.netrc"]),
            read_only: paths(&["/Users/me/app/sub/.claude"]),
            pinned: paths(&["/Users/me/app/sub"]),
            network: Network::Off,
            mounts: crate::sandbox::mountinfo::Mounts::default(),
        }
    }

    /// The profile as a page: its text, then its parameters.
    fn page(profile: &Profile) -> String {
        let arguments: Vec<_> = arguments(profile).into_iter().map(|word| word.into_string().unwrap()).collect();
        let [option, text, parameters @ ..] = arguments.as_slice() else { panic!("{arguments:?}") };
        assert_eq!(option, "-p");
        let parameters = parameters.chunks(2).map(|pair| pair.join(" ") + "\n");
        parameters.fold(format!("{text}\n"), |page, parameter| page + &parameter)
    }

    #[test]
    fn a_profile_denies_what_the_table_denies() {
        insta::assert_snapshot!("network_off", page(&profile()));
    }

    #[test]
    fn a_profile_with_network_allows_sockets_but_not_hidden_ones() {
        insta::assert_snapshot!("network_on", page(&Profile { network: Network::On, ..profile() }));
    }

    #[test]
    fn without_paths_there_is_no_rule_about_all_paths() {
        let none = Profile {
            write: Vec::new(),
            hide_inside: Vec::new(),
            hide_outside: Vec::new(),
            absent: Vec::new(),
            read_only: Vec::new(),
            pinned: Vec::new(),
            ..profile()
        };
        let page = page(&none);
        assert!(!page.contains("\n-D ") && !page.contains("file-write*"), "{page}");
    }

    #[test]
    fn no_path_becomes_part_of_the_text_of_a_profile() {
        let text = |arguments: &[OsString]| arguments[1].clone();
        let plain = arguments(&profile());
        for odd in ["/a\") (allow default) (\"", "/a\\", "/a\nb", "/a b;c", "/a=b", "/#\"a", "/\u{e9}\u{1}"] {
            let with = |path: &str| Profile { write: paths(&[path, "/private/tmp"]), ..profile() };
            let arguments = arguments(&with(odd));
            assert_eq!(text(&arguments), text(&plain), "{odd}");
            assert!(arguments.contains(&format!("WRITE_0={odd}").into()), "{odd}");
        }
        let bytes = Path::new(std::ffi::OsStr::from_bytes(b"/\xff"));
        let arguments = arguments(&Profile { write: vec![bytes.to_owned()], ..profile() });
        assert!(arguments.iter().any(|word| word.as_bytes() == b"WRITE_0=/\xff"));
    }

    #[test]
    fn a_denied_path_is_denied_in_both_folders_of_its_volume() {
        let both = on_both_volumes(&paths(&["/Users/me/.ssh", "/System/Volumes/Data/Users/me/.aws"]));
        let expected = [
            "/Users/me/.ssh",
            "/System/Volumes/Data/Users/me/.ssh",
            "/System/Volumes/Data/Users/me/.aws",
            "/Users/me/.aws",
        ];
        assert_eq!(both, paths(&expected));
    }
}
