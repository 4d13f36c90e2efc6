//! System calls that a command may not make: what neither landlock nor namespaces stop.

use std::collections::BTreeMap;

use libc::c_long;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule, TargetArch,
};

use crate::policy::sandbox::Network;

/// What one argument has to be for a call to be refused.
#[derive(Debug, Clone, Copy)]
enum When {
    Is(u8, u64),
    IsNot(u8, u64),
    /// In the bits of a mask, which comes first.
    Masked(u8, u64, u64),
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
    #[cfg(target_arch = "x86_64")]
    Refused(X32_IOCTL, TYPING),
    // Takes from programs outside what they need to work: landlock scopes signals, not limits.
    Refused(libc::SYS_prlimit64, &[&[IsNot(0, 0), Given(2)]]),
    // With a lease on a file, whoever starts or opens that waits for its holder: 45 seconds.
    Refused(libc::SYS_fcntl, &[&[Is(1, libc::F_SETLEASE as u64)]]),
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
    &[&[Masked(1, 0xF, libc::SOCK_DGRAM as u64)], &[Masked(1, 0xF, libc::SOCK_RAW as u64)]],
);
const OWN_NETWORK: &[Refused] = &[
    RINGS,
    LOOSE_PAIRS,
    Refused(
        libc::SYS_socket,
        &[&[IsNot(0, libc::AF_INET as u64), IsNot(0, libc::AF_INET6 as u64), IsNot(0, libc::AF_NETLINK as u64)]],
    ),
];
const NO_SOCKETS: &[Refused] = &[RINGS, LOOSE_PAIRS, Refused(libc::SYS_socket, &[])];

/// The same calls by the table of x32, which the kernel may have too; there `ioctl` has a number of its own.
#[cfg(target_arch = "x86_64")]
const X32: c_long = 0x4000_0000;
#[cfg(target_arch = "x86_64")]
const X32_IOCTL: c_long = 514;

/// Builds the filter; `own`: for a command with a view and, where it is off, a network of its own. A
/// command without these may make no socket then: there is no other network than the machine's.
pub(super) fn filter(network: Network, own: bool) -> Result<BpfProgram, String> {
    let of_network = match (network, own) {
        (Network::On, _) => &[],
        (Network::Off, true) => OWN_NETWORK,
        (Network::Off, false) => NO_SOCKETS,
    };
    let of_view = if own { &[] } else { COVERS };
    let says = |error: seccompiler::BackendError| format!("a filter of system calls cannot be built: {error}");
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
    for Refused(call, ways) in [ALWAYS, of_view, of_network].into_iter().flatten() {
        let of = ways.iter().map(|way| SeccompRule::new(way.iter().map(When::condition).collect::<Result<_, _>>()?));
        let of = of.collect::<Result<Vec<_>, _>>().map_err(says)?;
        #[cfg(target_arch = "x86_64")]
        rules.insert(*call | X32, of.clone());
        rules.insert(*call, of);
    }
    let arch = TargetArch::try_from(std::env::consts::ARCH).map_err(says)?;
    let denied = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, denied, arch).map_err(says)?;
    BpfProgram::try_from(filter).map_err(says)
}

impl When {
    fn condition(&self) -> Result<SeccompCondition, seccompiler::BackendError> {
        use SeccompCmpArgLen::{Dword, Qword};
        match *self {
            Is(at, value) => SeccompCondition::new(at, Dword, SeccompCmpOp::Eq, value),
            IsNot(at, value) => SeccompCondition::new(at, Dword, SeccompCmpOp::Ne, value),
            Masked(at, mask, value) => SeccompCondition::new(at, Dword, SeccompCmpOp::MaskedEq(mask), value),
            Given(at) => SeccompCondition::new(at, Qword, SeccompCmpOp::Ne, 0),
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
