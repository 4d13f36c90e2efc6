//! Properties of the file system that a file is on.

use std::fs::File;

/// Returns true if the file is on a local file system: there, appends are atomic and timestamps come from this
/// machine's clock.
pub(crate) fn is_local(file: &File) -> bool {
    #[cfg(target_os = "linux")]
    {
        const NETWORK: [i64; 5] = [0x6969, 0xFF53_4D42, 0xFE53_4D42, 0x517B, 0x6573_5546];
        rustix::fs::fstatfs(file).is_ok_and(|fs| !NETWORK.contains(&fs.f_type))
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = file;
        false
    }
}
