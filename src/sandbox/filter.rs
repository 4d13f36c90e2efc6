//! System calls that a command may not make: what neither landlock nor namespaces stop.

use libc::c_long;
use seccompiler::{BpfProgram, sock_filter};

use crate::policy::sandbox::Network;

/// What one argument has to be for a call to be refused.
#[derive(Debug, Clone, Copy)]
enum When {
    Is(u8, u32),
    IsNot(u8, u32),
    /// In the bits of a mask, which comes first.
    Masked(u8, u32, u32),
    /// A pointer that is not null.
    Given(u8),
}

/// A call, and what its arguments have to be, in one of several ways, for it to be refused; none: always.
#[derive(Debug, Clone, Copy)]
struct Refused(c_long, &'static [&'static [When]]);

use When::{Given, Is, IsNot, Masked};

/// What is refused whatever the policy says.
const ALWAYS: &[Refused] = &[
    // Types into the terminal that a command shares with the person.
    Refused(libc::SYS_ioctl, TYPING),
    // Takes from programs outside what they need to work: landlock scopes signals, not limits.
    Refused(libc::SYS_prlimit64, &[&[IsNot(0, 0), Given(2)]]),
    // With a lease on a file, whoever starts or opens that waits for its holder: 45 seconds.
    Refused(libc::SYS_fcntl, &[&[Is(1, libc::F_SETLEASE as u32)]]),
];
const TYPING: &[&[When]] = &[&[Is(1, 0x5412)], &[Is(1, 0x541C)]];

/// What leads root around covers, and landlock does not stop; with a view of its own root has no powers.
const COVERS: &[Refused] = &[
    Refused(libc::SYS_open_tree, &[&[Masked(2, 1, 1)]]),
    Refused(OPEN_TREE_ATTR, &[&[Masked(2, 1, 1)]]),
    Refused(libc::SYS_fsopen, &[]),
    Refused(libc::SYS_fspick, &[]),
    Refused(libc::SYS_fsmount, &[]),
    Refused(libc::SYS_move_mount, &[]),
    Refused(libc::SYS_mount_setattr, &[]),
    Refused(libc::SYS_open_by_handle_at, &[]),
];
const OPEN_TREE_ATTR: c_long = 467;

/// Rings open sockets by themselves.
const RINGS: Refused = Refused(libc::SYS_io_uring_setup, &[]);
/// Each end of such a pair sends to any socket file; the ends of other pairs only to each other.
const LOOSE_PAIRS: Refused = Refused(
    libc::SYS_socketpair,
    &[&[Masked(1, 0xF, libc::SOCK_DGRAM as u32)], &[Masked(1, 0xF, libc::SOCK_RAW as u32)]],
);
const OWN_NETWORK: &[Refused] = &[
    RINGS,
    LOOSE_PAIRS,
    Refused(
        libc::SYS_socket,
        &[&[IsNot(0, libc::AF_INET as u32), IsNot(0, libc::AF_INET6 as u32), IsNot(0, libc::AF_NETLINK as u32)]],
    ),
];
const NO_SOCKETS: &[Refused] = &[RINGS, LOOSE_PAIRS, Refused(libc::SYS_socket, &[])];

/// From here on calls have numbers of their own, where the kernel has x32; hardly a program is built for it.
#[cfg(target_arch = "x86_64")]
const OTHERS: Option<u32> = Some(0x4000_0000);
#[cfg(not(target_arch = "x86_64"))]
const OTHERS: Option<u32> = None;

/// How the kernel names this processor.
#[cfg(target_arch = "x86_64")]
const PROCESSOR: Option<u32> = Some(0xC000_003E);
#[cfg(target_arch = "aarch64")]
const PROCESSOR: Option<u32> = Some(0xC000_00B7);
#[cfg(target_arch = "riscv64")]
const PROCESSOR: Option<u32> = Some(0xC000_00F3);
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")))]
const PROCESSOR: Option<u32> = None;

/// Builds the filter; `own`: for a command with a view and, where it is off, a network of its own. A
/// command without these may make no socket then: there is no other network than the machine's.
pub(super) fn filter(network: Network, own: bool) -> Result<BpfProgram, String> {
    let of_network = match (network, own) {
        (Network::On, _) => &[],
        (Network::Off, true) => OWN_NETWORK,
        (Network::Off, false) => NO_SOCKETS,
    };
    let of_view = if own || !rustix::process::geteuid().is_root() { &[] } else { COVERS };
    let mut refused: Vec<&Refused> = [ALWAYS, of_view, of_network].into_iter().flatten().collect();
    refused.sort_by_key(|Refused(call, _)| *call);
    let processor = PROCESSOR.ok_or("this processor has no filter of system calls here")?;
    let mut program = vec![load(4), step(JEQ, processor, 1, 0), step(RET, KILL, 0, 0), load(0)];
    program.extend(OTHERS.into_iter().flat_map(|first| [step(JGE, first, 0, 1), step(RET, DENY, 0, 0)]));
    program.extend(search(&refused).ok_or("the filter of system calls is too long")?);
    Ok(program)
}

const LD: u16 = 0x20;
const AND: u16 = 0x54;
const JEQ: u16 = 0x15;
const JGE: u16 = 0x35;
const RET: u16 = 0x06;
const ALLOW: u32 = 0x7FFF_0000;
const KILL: u32 = 0x8000_0000;
/// With `EPERM`.
const DENY: u32 = 0x0005_0001;

fn step(code: u16, k: u32, jt: u8, jf: u8) -> sock_filter {
    sock_filter { code, jt, jf, k }
}

fn load(at: u32) -> sock_filter {
    step(LD, at, 0, 0)
}

/// Halves, since the kernel goes through this for every number there is before it takes a filter.
fn search(refused: &[&Refused]) -> Option<BpfProgram> {
    if let [_, _, _, ..] = refused {
        let (low, high) = refused.split_at_checked(refused.len() / 2)?;
        let (below, Refused(first, _)) = (search(low)?, high.first()?);
        let mut program = vec![step(JGE, u32::try_from(*first).ok()?, u8::try_from(below.len()).ok()?, 0)];
        program.extend(below);
        program.extend(search(high)?);
        return Some(program);
    }
    let mut program = BpfProgram::new();
    for Refused(call, ways) in refused {
        let mut body = BpfProgram::new();
        for way in *ways {
            let mut rest = vec![step(RET, DENY, 0, 0)];
            for when in way.iter().rev() {
                rest = [when.steps(u8::try_from(rest.len()).ok()?), rest].concat();
            }
            body.extend(rest);
        }
        body.push(step(RET, if ways.is_empty() { DENY } else { ALLOW }, 0, 0));
        program.push(step(JEQ, u32::try_from(*call).ok()?, 0, u8::try_from(body.len()).ok()?));
        program.extend(body);
    }
    program.push(step(RET, ALLOW, 0, 0));
    Some(program)
}

impl When {
    /// Goes on where it is so, else leaps over the rest of this way.
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

/// Applies a filter to this process and everything it starts.
pub(super) fn apply(program: &BpfProgram) -> Result<(), String> {
    rustix::thread::set_no_new_privs(true).map_err(|error| format!("no_new_privs cannot be set: {error}"))?;
    seccompiler::apply_filter(program).map_err(|error| format!("the kernel takes no filter of system calls: {error}"))
}

/// The filter as `bwrap --seccomp` reads it.
pub(super) fn bytes(program: &BpfProgram) -> Vec<u8> {
    let mut out = Vec::with_capacity(program.len() * 8);
    for step in program {
        out.extend(step.code.to_ne_bytes());
        out.extend([step.jt, step.jf]);
        out.extend(step.k.to_ne_bytes());
    }
    out
}
