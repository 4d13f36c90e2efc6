//! The system call filter. It refuses calls that neither landlock nor a namespace restricts.
//!
//! `docs/design/system-calls.md` gives the reason for every refused or allowed call; a test compares the two.

use libc::c_long;
use seccompiler::{BpfProgram, sock_filter};
use snaphook_policy::Network;

/// A condition on one argument.
#[derive(Debug, Clone, Copy)]
enum Condition {
    Is(u8, u32),
    IsNot(u8, u32),
    /// The argument, a mask, and the value of the masked bits.
    Masked(u8, u32, u32),
    /// A pointer that is not null.
    Given(u8),
}

/// A call by name and number, and the lists of conditions under which it is refused. Without a list it is
/// always refused.
#[derive(Debug, Clone, Copy)]
struct RefusedCall(&'static str, c_long, &'static [&'static [Condition]]);

use Condition::{Given, Is, IsNot, Masked};

/// Refused under every policy and launcher.
const ALWAYS: &[RefusedCall] = &[
    RefusedCall("ioctl", libc::SYS_ioctl, REQUESTS),
    // The limits of another process: landlock scopes signals, not limits.
    RefusedCall("prlimit64", libc::SYS_prlimit64, &[&[IsNot(0, 0), Given(2)]]),
    // Another program that opens a leased file waits up to 45 seconds for the holder of the lease.
    RefusedCall("fcntl", libc::SYS_fcntl, &[&[Is(1, libc::F_SETLEASE as u32)]]),
    // The kernel resolves keys by starting programs outside, which look up names over the network.
    RefusedCall("add_key", libc::SYS_add_key, &[]),
    RefusedCall("request_key", libc::SYS_request_key, &[]),
    RefusedCall("keyctl", libc::SYS_keyctl, &[]),
    // A ring makes other calls without passing this filter.
    RefusedCall("io_uring_setup", libc::SYS_io_uring_setup, &[]),
    RefusedCall("io_uring_enter", libc::SYS_io_uring_enter, &[]),
    RefusedCall("io_uring_register", libc::SYS_io_uring_register, &[]),
    // Permission events make every program that opens a file wait for an answer.
    RefusedCall("fanotify_init", libc::SYS_fanotify_init, &[]),
    RefusedCall("bpf", libc::SYS_bpf, &[]),
    RefusedCall("perf_event_open", libc::SYS_perf_event_open, &[]),
    RefusedCall("userfaultfd", libc::SYS_userfaultfd, &[]),
    // Opens a file without a path, past what is hidden.
    RefusedCall("open_by_handle_at", libc::SYS_open_by_handle_at, &[]),
    // Calls for the administrator of the machine.
    RefusedCall("acct", libc::SYS_acct, &[]),
    RefusedCall("clock_settime", libc::SYS_clock_settime, &[]),
    RefusedCall("delete_module", libc::SYS_delete_module, &[]),
    RefusedCall("finit_module", libc::SYS_finit_module, &[]),
    RefusedCall("init_module", libc::SYS_init_module, &[]),
    #[cfg(target_arch = "x86_64")]
    RefusedCall("ioperm", libc::SYS_ioperm, &[]),
    #[cfg(target_arch = "x86_64")]
    RefusedCall("iopl", libc::SYS_iopl, &[]),
    RefusedCall("kexec_file_load", KEXEC_FILE_LOAD, &[]),
    RefusedCall("kexec_load", libc::SYS_kexec_load, &[]),
    RefusedCall("quotactl", libc::SYS_quotactl, &[]),
    RefusedCall("quotactl_fd", QUOTACTL_FD, &[]),
    RefusedCall("reboot", libc::SYS_reboot, &[]),
    RefusedCall("settimeofday", libc::SYS_settimeofday, &[]),
    RefusedCall("swapoff", libc::SYS_swapoff, &[]),
    RefusedCall("swapon", libc::SYS_swapon, &[]),
    RefusedCall("vhangup", libc::SYS_vhangup, &[]),
];

/// Refused requests to a device or file system.
const REQUESTS: &[&[Condition]] = &[
    // TIOCSTI and TIOCLINUX type into the terminal that the command shares with the user.
    &[Is(1, 0x5412)],
    &[Is(1, 0x541C)],
    // TIOCSETD puts a line discipline, a rarely used kernel driver, on a terminal.
    &[Is(1, 0x5423)],
    // FS_IOC_ENABLE_VERITY makes a file that can only be read unchangeable for good.
    &[Is(1, 0x4080_6685)],
    // FS_IOC_REMOVE_ENCRYPTION_KEY, for one user and for all, locks encrypted folders.
    &[Is(1, 0xC040_6618)],
    &[Is(1, 0xC040_6619)],
    // FIFREEZE stops all writing to a file system.
    &[Is(1, 0xC004_5877)],
];

/// Refused if the command shares the mounts of the machine: root could look below a covered folder.
const SHARED_MOUNTS: &[RefusedCall] = &[
    RefusedCall("open_tree", libc::SYS_open_tree, &[&[Masked(2, 1, 1)]]),
    RefusedCall("open_tree_attr", OPEN_TREE_ATTR, &[]),
    RefusedCall("fsopen", libc::SYS_fsopen, &[]),
    RefusedCall("fspick", libc::SYS_fspick, &[]),
    RefusedCall("fsmount", libc::SYS_fsmount, &[]),
    RefusedCall("move_mount", libc::SYS_move_mount, &[]),
    RefusedCall("mount_setattr", libc::SYS_mount_setattr, &[]),
];

// The library does not define this number for every processor.
const OPEN_TREE_ATTR: c_long = 467;
const QUOTACTL_FD: c_long = 443;
#[cfg(target_arch = "x86_64")]
const KEXEC_FILE_LOAD: c_long = 320;
#[cfg(not(target_arch = "x86_64"))]
const KEXEC_FILE_LOAD: c_long = 294;

/// Each end of a datagram or raw socket pair can send to any socket file; the ends of a stream pair only to
/// each other.
const UNCONNECTED_PAIRS: RefusedCall = RefusedCall(
    "socketpair",
    libc::SYS_socketpair,
    &[&[Masked(1, 0xF, libc::SOCK_DGRAM as u32)], &[Masked(1, 0xF, libc::SOCK_RAW as u32)]],
);

/// Refused if the network is off and the command has an empty network namespace.
const EMPTY_NETWORK: &[RefusedCall] = &[
    UNCONNECTED_PAIRS,
    RefusedCall(
        "socket",
        libc::SYS_socket,
        &[&[IsNot(0, libc::AF_INET as u32), IsNot(0, libc::AF_INET6 as u32), IsNot(0, libc::AF_NETLINK as u32)]],
    ),
];

/// Refused if the network is off and the command shares the network and the IPC objects of the machine.
const SHARED_NETWORK: &[RefusedCall] = &[
    UNCONNECTED_PAIRS,
    RefusedCall("socket", libc::SYS_socket, &[]),
    RefusedCall("mq_open", libc::SYS_mq_open, &[]),
    RefusedCall("mq_unlink", libc::SYS_mq_unlink, &[]),
    RefusedCall("msgctl", libc::SYS_msgctl, &[]),
    RefusedCall("msgget", libc::SYS_msgget, &[]),
    RefusedCall("msgrcv", libc::SYS_msgrcv, &[]),
    RefusedCall("msgsnd", libc::SYS_msgsnd, &[]),
    RefusedCall("semctl", libc::SYS_semctl, &[]),
    RefusedCall("semget", libc::SYS_semget, &[]),
    RefusedCall("semop", libc::SYS_semop, &[]),
    RefusedCall("semtimedop", libc::SYS_semtimedop, &[]),
    RefusedCall("shmat", libc::SYS_shmat, &[]),
    RefusedCall("shmctl", libc::SYS_shmctl, &[]),
    RefusedCall("shmget", libc::SYS_shmget, &[]),
];

/// The newest system call that `docs/design/system-calls.md` covers, on every processor. Later calls fail as on
/// a kernel that lacks them, and so do x32 calls, which use a separate range of numbers.
const NEWEST: u32 = 469;

/// The kernel's identifier of this processor architecture.
#[cfg(target_arch = "x86_64")]
const PROCESSOR: Option<u32> = Some(0xC000_003E);
#[cfg(target_arch = "aarch64")]
const PROCESSOR: Option<u32> = Some(0xC000_00B7);
#[cfg(target_arch = "riscv64")]
const PROCESSOR: Option<u32> = Some(0xC000_00F3);
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")))]
const PROCESSOR: Option<u32> = None;

/// Builds the filter. `own` is true if the command has its own mounts and IPC objects and, when the network is
/// off, its own network namespace.
pub(super) fn filter(network: Network, own: bool) -> Result<BpfProgram, String> {
    let processor = PROCESSOR.ok_or("this processor has no filter of system calls here")?;
    let mut program = vec![load(4), step(JEQ, processor, 1, 0), step(RET, KILL, 0, 0), load(0)];
    program.extend([step(JGT, NEWEST, 0, 1), step(RET, MISSING, 0, 0)]);
    program.extend(search(&call_ranges(&rows(network, own))?).ok_or("the filter of system calls is too long")?);
    Ok(program)
}

/// The refused calls, sorted by number.
fn rows(network: Network, own: bool) -> Vec<RefusedCall> {
    let of_network = match (network, own) {
        (Network::On, _) => &[],
        (Network::Off, true) => EMPTY_NETWORK,
        (Network::Off, false) => SHARED_NETWORK,
    };
    let mut rows = [ALWAYS, if own { &[] } else { SHARED_MOUNTS }, of_network].concat();
    rows.sort_by_key(|RefusedCall(_, call, _)| *call);
    rows
}

/// Consecutive call numbers that are refused under the same conditions.
struct CallRange {
    first: u32,
    last: u32,
    ways: &'static [&'static [Condition]],
}

fn call_ranges(rows: &[RefusedCall]) -> Result<Vec<CallRange>, String> {
    let mut call_ranges: Vec<CallRange> = Vec::with_capacity(rows.len());
    for RefusedCall(name, call, ways) in rows {
        let call = u32::try_from(*call).map_err(|_| format!("the system call {name} has no number here"))?;
        match call_ranges.last_mut() {
            Some(span) if span.ways.is_empty() && ways.is_empty() && span.last + 1 == call => span.last = call,
            _ => call_ranges.push(CallRange { first: call, last: call, ways }),
        }
    }
    Ok(call_ranges)
}

const LD: u16 = 0x20;
const AND: u16 = 0x54;
const JEQ: u16 = 0x15;
const JGT: u16 = 0x25;
const JGE: u16 = 0x35;
const RET: u16 = 0x06;
const ALLOW: u32 = 0x7FFF_0000;
const KILL: u32 = 0x8000_0000;
/// Fails with `EPERM`.
const DENY: u32 = 0x0005_0001;
/// Fails with `ENOSYS`.
const MISSING: u32 = 0x0005_0026;

fn step(code: u16, k: u32, jt: u8, jf: u8) -> sock_filter {
    sock_filter { code, jt, jf, k }
}

fn load(at: u32) -> sock_filter {
    step(LD, at, 0, 0)
}

/// Builds a binary search. The kernel runs the filter for every call number before it accepts it, so its length
/// matters.
fn search(call_ranges: &[CallRange]) -> Option<BpfProgram> {
    if let [_, _, _, ..] = call_ranges {
        let (low, high) = call_ranges.split_at_checked(call_ranges.len() / 2)?;
        let (below, first) = (search(low)?, high.first()?.first);
        let mut program = vec![step(JGE, first, u8::try_from(below.len()).ok()?, 0)];
        program.extend(below);
        program.extend(search(high)?);
        return Some(program);
    }
    let mut program = BpfProgram::new();
    for CallRange { first, last, ways } in call_ranges {
        let mut body = BpfProgram::new();
        for way in *ways {
            let mut rest = vec![step(RET, DENY, 0, 0)];
            for when in way.iter().rev() {
                rest = [when.steps(u8::try_from(rest.len()).ok()?), rest].concat();
            }
            body.extend(rest);
        }
        body.push(step(RET, if ways.is_empty() { DENY } else { ALLOW }, 0, 0));
        let length = u8::try_from(body.len()).ok()?;
        if first == last {
            program.push(step(JEQ, *first, 0, length));
        } else {
            program.extend([step(JGE, *first, 0, length.checked_add(1)?), step(JGT, *last, length, 0)]);
        }
        program.extend(body);
    }
    program.push(step(RET, ALLOW, 0, 0));
    Some(program)
}

impl Condition {
    /// Falls through if the condition holds, else jumps over the rest of this list of conditions.
    fn steps(self, rest: u8) -> BpfProgram {
        let (low, high) = (|at: u8| load(16 + 8 * u32::from(at)), |at: u8| load(20 + 8 * u32::from(at)));
        match self {
            Is(at, value) => vec![low(at), step(JEQ, value, 0, rest)],
            IsNot(at, value) => vec![low(at), step(JEQ, value, rest, 0)],
            Masked(at, mask, value) => vec![low(at), step(AND, mask, 0, 0), step(JEQ, value, 0, rest)],
            Given(at) => vec![low(at), step(JEQ, 0, 0, 2), high(at), step(JEQ, 0, rest, 0)],
        }
    }
}

/// Applies a filter to this process and its descendants.
pub(super) fn apply(program: &BpfProgram) -> Result<(), String> {
    rustix::thread::set_no_new_privs(true).map_err(|error| format!("no_new_privs cannot be set: {error}"))?;
    seccompiler::apply_filter(program)
        .map_err(|error| format!("the kernel does not accept the system call filter: {error}"))
}

/// The filter in the format of `bwrap --seccomp`.
pub(super) fn bytes(program: &BpfProgram) -> Vec<u8> {
    let mut out = Vec::with_capacity(program.len() * 8);
    for step in program {
        out.extend(step.code.to_ne_bytes());
        out.extend([step.jt, step.jf]);
        out.extend(step.k.to_ne_bytes());
    }
    out
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Interprets a filter as the kernel does.
    fn answer(program: &BpfProgram, call: u32, arguments: [u64; 6]) -> u32 {
        let words = |at: u32| match at {
            0 => call,
            4 => PROCESSOR.unwrap(),
            at => {
                let argument = arguments[(at as usize - 16) / 8];
                u32::try_from(if at % 8 == 0 { argument & 0xFFFF_FFFF } else { argument >> 32 }).unwrap()
            }
        };
        let (mut at, mut held) = (0, 0);
        loop {
            let sock_filter { code, jt, jf, k } = program[at];
            let jump = |is: bool| usize::from(if is { jt } else { jf });
            at += 1;
            match code {
                LD => held = words(k),
                AND => held &= k,
                JEQ => at += jump(held == k),
                JGT => at += jump(held > k),
                JGE => at += jump(held >= k),
                RET => return k,
                _ => panic!("{code}"),
            }
        }
    }

    fn holds(when: Condition, arguments: [u64; 6]) -> bool {
        let low = |at: u8| u32::try_from(arguments[usize::from(at)] & 0xFFFF_FFFF).unwrap();
        match when {
            Is(at, value) => low(at) == value,
            IsNot(at, value) => low(at) != value,
            Masked(at, mask, value) => low(at) & mask == value,
            Given(at) => arguments[usize::from(at)] != 0,
        }
    }

    const FILTERS: [(Network, bool); 4] =
        [(Network::On, true), (Network::On, false), (Network::Off, true), (Network::Off, false)];

    #[test]
    fn a_filter_refuses_exactly_the_calls_in_its_rows() {
        let values = [0, 1, 2, 3, 10, 16, 17, 1024, 0x5412, 0x541C, 0x5401, 0x4080_6685, 1 << 40, 0x1_0000_5412];
        for (network, own) in FILTERS {
            let (program, rows) = (filter(network, own).unwrap(), rows(network, own));
            for call in 0..=NEWEST {
                let row = rows.iter().find(|row| row.1 == c_long::from(call));
                for (first, second, third) in values.iter().flat_map(|a| values.iter().map(move |b| (*a, *b, *b))) {
                    let arguments = [first, second, third, 0, 0, 0];
                    let refused = row.is_some_and(|RefusedCall(_, _, ways)| {
                        ways.is_empty() || ways.iter().any(|way| way.iter().all(|when| holds(*when, arguments)))
                    });
                    let wanted = if refused { DENY } else { ALLOW };
                    assert_eq!(answer(&program, call, arguments), wanted, "{call} {arguments:?}");
                }
            }
            for call in [NEWEST + 1, 512, 1000, 0x4000_0000, 0x4000_0001, u32::MAX] {
                assert_eq!(answer(&program, call, [0; 6]), MISSING, "{call}");
            }
            assert!(program.len() < 256, "{}", program.len());
        }
    }

    /// The calls that the documentation names, with their state.
    fn documented() -> BTreeMap<&'static str, &'static str> {
        let page = include_str!("../../docs/design/system-calls.md");
        let mut calls = BTreeMap::new();
        for line in page.lines().filter(|line| line.starts_with("| `")) {
            let mut columns = line.trim_matches('|').split(" | ").map(str::trim);
            // Tables with two columns have another subject.
            let (Some(names), Some(state), Some(_), None) =
                (columns.next(), columns.next(), columns.next(), columns.next())
            else {
                continue;
            };
            for name in names.split('`').skip(1).step_by(2) {
                assert!(calls.insert(name, state).is_none(), "{name} is named twice");
            }
        }
        calls
    }

    #[test]
    fn the_documentation_names_each_refused_call_and_no_other() {
        let states = [("refused", ALWAYS), ("refused by landlock", SHARED_MOUNTS)];
        let network = [EMPTY_NETWORK, SHARED_NETWORK].concat();
        let states = states.into_iter().chain([("refused with the network off", network.as_slice())]);
        let mut wanted = BTreeMap::new();
        for (state, rows) in states {
            wanted.extend(rows.iter().map(|RefusedCall(name, _, ways)| (*name, (state, ways.is_empty()))));
        }
        // Not on every processor.
        wanted.extend(["ioperm", "iopl"].map(|name| (name, ("refused", true))));
        for (name, state) in documented() {
            let expected = wanted.remove(name).map_or("allowed".to_owned(), |(state, whole)| {
                if whole || state == "refused with the network off" {
                    state.to_owned()
                } else {
                    format!("{state} in part")
                }
            });
            assert_eq!(state, expected, "{name}");
        }
        assert!(wanted.is_empty(), "not in the documentation: {wanted:?}");
    }

    #[test]
    fn the_documentation_names_every_call_of_the_kernel() {
        let page = include_str!("../../docs/design/system-calls.md");
        assert!(page.contains(&format!("above {NEWEST}")), "the page names another newest call");
        let headers = ["/usr/include/x86_64-linux-gnu/asm/unistd_64.h", "/usr/include/asm/unistd_64.h"];
        let header = headers.iter().find_map(|header| std::fs::read_to_string(header).ok());
        let Some(header) = header.filter(|_| cfg!(target_arch = "x86_64")) else {
            crate::skipped::skipped("numbers of system calls: the headers of the kernel are not installed");
            return;
        };
        let named = documented();
        let calls: BTreeMap<_, c_long> = header
            .lines()
            .filter_map(|line| line.strip_prefix("#define __NR_")?.split_once([' ', '\t']))
            .filter_map(|(name, number)| Some((name, number.trim().parse().ok()?)))
            .filter(|(_, number)| *number <= c_long::from(NEWEST))
            .collect();
        let missing: Vec<_> = calls.keys().filter(|name| !named.contains_key(*name)).collect();
        assert!(calls.len() > 250 && missing.is_empty(), "{missing:?}");
        for RefusedCall(name, call, _) in [ALWAYS, SHARED_MOUNTS, EMPTY_NETWORK, SHARED_NETWORK].concat() {
            assert!(calls.get(name).is_none_or(|number| *number == call), "{name} is not {call}");
        }
    }
}
