//! Any text is a valid policy file, or every error names the file.

#![no_main]

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use snaphook::policy::{Places, UserPolicy};
use snaphook_adapters::registry::Registry;
use tempfile::TempDir;

static FOLDER: LazyLock<TempDir> = LazyLock::new(|| {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.expect("a temporary folder")
});
static REGISTRY: LazyLock<Registry> = LazyLock::new(Registry::standard);

fuzz_target!(|text: &str| {
    let file = FOLDER.path().join("policy.toml");
    fs::write(&file, text).expect("the policy is written");
    let mut places = Places::default();
    places.home = Some("/home/user".into());
    places.policy = Some(file);
    if let Err(fault) = UserPolicy::load(&places, &REGISTRY) {
        assert!(!fault.errors.is_empty(), "a policy is refused without an error");
        for error in &fault.errors {
            assert!(error.contains("policy.toml"), "an error does not name the file: {error}");
        }
    }
});
