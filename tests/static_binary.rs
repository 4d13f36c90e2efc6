//! The program is statically linked: it needs no loader and no libraries.
#![cfg(all(target_os = "linux", target_pointer_width = "64", target_endian = "little"))]
#![allow(clippy::unwrap_used, reason = "tests")]

const PT_INTERP: u32 = 3;

#[test]
fn the_program_names_no_loader() {
    // CI also checks the release build, which has another target.
    let program = std::env::var_os("SNAPHOOK_PROGRAM").unwrap_or_else(|| env!("CARGO_BIN_EXE_snaphook").into());
    let elf = std::fs::read(program).unwrap();
    assert!(elf.starts_with(b"\x7fELF\x02\x01"), "a 64-bit little-endian ELF file");
    let u16_at = |at: usize| u16::from_le_bytes(elf.get(at..at + 2).unwrap().try_into().unwrap());
    let u32_at = |at: usize| u32::from_le_bytes(elf.get(at..at + 4).unwrap().try_into().unwrap());
    let headers = usize::try_from(u64::from_le_bytes(elf.get(32..40).unwrap().try_into().unwrap())).unwrap();
    let (size, count) = (usize::from(u16_at(54)), usize::from(u16_at(56)));
    let types: Vec<u32> = (0..count).map(|n| u32_at(headers + n * size)).collect();
    assert!(types.contains(&1), "it has something to load");
    assert!(!types.contains(&PT_INTERP), "dynamic: were the flags of .cargo/config.toml overridden by RUSTFLAGS?");
}
