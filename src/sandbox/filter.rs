//! System calls that a command may not make: what neither landlock nor namespaces stop.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule, TargetArch,
};

/// Which sockets are left without the network. `socketpair` is not one of them: it reaches nobody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sockets {
    /// Any: the network is on.
    All,
    /// Those that end in the command's own, empty network.
    OwnNetwork,
    /// None: there is no other network than the machine's.
    None,
}

const AF_INET: u64 = 2;
const AF_INET6: u64 = 10;
const AF_NETLINK: u64 = 16;
const EPERM: u32 = 1;
const TIOCSTI: u64 = 0x5412;
const TIOCLINUX: u64 = 0x541C;
/// The same calls by the table of x32, which the kernel may have too.
const X32: i64 = 0x4000_0000;

/// The numbers of `socket`, `io_uring_setup` (whose rings open sockets by themselves) and `ioctl`.
#[cfg(target_arch = "x86_64")]
const CALLS: Option<(i64, i64, i64)> = Some((41, 425, 16));
#[cfg(any(target_arch = "aarch64", target_arch = "riscv64"))]
const CALLS: Option<(i64, i64, i64)> = Some((198, 425, 29));
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")))]
const CALLS: Option<(i64, i64, i64)> = None;

/// Builds the filter; `None`: nothing has to be filtered.
pub(super) fn filter(sockets: Sockets) -> Result<Option<BpfProgram>, String> {
    let typing = types_into_terminal();
    if sockets == Sockets::All && !typing {
        return Ok(None);
    }
    let (socket, io_uring, ioctl) = CALLS.ok_or("this processor has no filter of system calls here")?;
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
    let mut add = |call: i64, of: Vec<SeccompRule>| {
        if cfg!(target_arch = "x86_64") {
            rules.insert(call | X32, of.clone());
        }
        rules.insert(call, of);
    };
    let says = |error: seccompiler::BackendError| format!("a filter of system calls cannot be built: {error}");
    if sockets != Sockets::All {
        let other = |family| SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, family);
        let denied = match sockets {
            Sockets::OwnNetwork => {
                let own = [AF_INET, AF_INET6, AF_NETLINK].into_iter().map(other).collect::<Result<Vec<_>, _>>();
                vec![SeccompRule::new(own.map_err(says)?).map_err(says)?]
            }
            _ => Vec::new(),
        };
        add(socket, denied);
        add(io_uring, Vec::new());
    }
    if typing {
        let one = |request| {
            let condition = SeccompCondition::new(1, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, request)?;
            SeccompRule::new(vec![condition])
        };
        add(ioctl, vec![one(TIOCSTI).map_err(says)?, one(TIOCLINUX).map_err(says)?]);
    }
    let arch = TargetArch::try_from(std::env::consts::ARCH).map_err(says)?;
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, SeccompAction::Errno(EPERM), arch).map_err(says)?;
    BpfProgram::try_from(filter).map(Some).map_err(says)
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

/// Whether a command could type into the terminal it shares with the person: an escape that newer
/// kernels can switch off.
fn types_into_terminal() -> bool {
    let has_terminal = || std::fs::File::open("/dev/tty").is_ok();
    let off = || std::fs::read_to_string("/proc/sys/dev/tty/legacy_tiocsti").is_ok_and(|set| set.trim() == "0");
    has_terminal() && !off()
}
