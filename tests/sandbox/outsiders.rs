//! A sandboxed command cannot affect programs outside. A hook that is stopped or starved would approve.

use std::process::{Child, Command, Stdio};

use landlock::{CompatLevel, Compatible, Ruleset, RulesetAttr, Scope};

use crate::place::{Place, SNAPHOOK, each, has_program};
use crate::skipped::skipped;

/// An outside program, which ends with the test.
struct Outside(Child);

impl Outside {
    fn new(command: &mut Command) -> Self {
        Self(command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap())
    }

    fn status(&self, name: &str) -> String {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.0.id())).unwrap();
        status.lines().find(|line| line.starts_with(name)).unwrap().to_owned()
    }

    fn reads(&self, name: &str) -> String {
        std::fs::read_to_string(format!("/proc/{}/{name}", self.0.id())).unwrap()
    }
}

impl Drop for Outside {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_command_cannot_signal_other_programs() {
    if Ruleset::default().set_compatibility(CompatLevel::HardRequirement).scope(Scope::Signal).is_err() {
        skipped("signals: this kernel cannot keep them inside");
        return;
    }
    each(|launcher| {
        let place = Place::new();
        place.policy(launcher, "");
        let outside = Outside::new(Command::new("sleep").arg("600"));
        let pid = outside.0.id();
        let ran = place.run(&format!(
            "kill -STOP {pid}; kill -KILL {pid}; kill -CONT {pid}
             sleep 600 & kill $! && wait $!; echo $?; sh -c 'kill -TERM $$'; echo $?"
        ));
        assert_eq!(ran.out, "143\n143\n", "{launcher} {ran:?}: inside they arrive");
        assert!(outside.status("State").contains("sleeping"), "{launcher} {ran:?}");
    });
}

#[test]
fn a_command_cannot_change_the_limits_of_other_programs() {
    if !has_program("prlimit") {
        return;
    }
    each(|launcher| {
        let place = Place::new();
        place.policy(launcher, "");
        let outside = Outside::new(Command::new("sleep").arg("600"));
        let before = outside.reads("limits");
        let pid = outside.0.id();
        let ran = place.run(&format!(
            "prlimit --pid {pid} --nofile=0:0; prlimit --pid {pid} --cpu=1; ulimit -n 77; ulimit -n; prlimit --nofile=70 sh -c 'ulimit -n'"
        ));
        assert_eq!(ran.out, "77\n70\n", "{launcher} {ran:?}");
        assert_eq!(outside.reads("limits"), before, "{launcher} {ran:?}");
    });
}

#[test]
fn a_command_cannot_raise_the_oom_score_of_a_hook() {
    if rustix::process::geteuid().is_root() {
        skipped("what a hook shows: it is root's in either case");
        return;
    }
    each(|launcher| {
        let place = Place::new();
        place.policy(launcher, "");
        let hook = Outside::new(place.command(SNAPHOOK).args(["hook", "picoclaw", "--no-audit"]));
        // Its /proc entries belong to the user for a moment.
        std::thread::sleep(std::time::Duration::from_millis(300));
        let before = hook.reads("oom_score_adj");
        let ran = place.run(&format!("echo 900 > /proc/{}/oom_score_adj", hook.0.id()));
        assert_ne!(ran.code, Some(0), "{launcher} {ran:?}");
        assert_eq!(hook.reads("oom_score_adj"), before, "{launcher} {ran:?}");
    });
}

#[test]
fn a_command_cannot_take_a_lease_that_blocks_other_programs() {
    if !has_program("python3") {
        return;
    }
    let leases = "import fcntl, os, sys
for name in sys.argv[1:]:
    for lease in (fcntl.F_RDLCK, fcntl.F_WRLCK):
        try: fcntl.fcntl(os.open(name, os.O_RDONLY), fcntl.F_SETLEASE, lease); print('LEASED', name)
        except PermissionError: print('refused')
";
    each(|launcher| {
        let place = Place::new();
        place.policy(launcher, "");
        place.file("home/project/leases.py", leases);
        let ran = place.run("python3 leases.py leases.py ~/.config/snaphook/snaphook.toml");
        assert_eq!(ran.out, "refused\n".repeat(4), "{launcher} {ran:?}");
    });
}
