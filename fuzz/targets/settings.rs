//! Any text as an agent's settings file, in each format: an entry that is put in and taken out again leaves
//! what the file said before.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u8, &str)| snaphook::fuzzing::settings(input.0, input.1));
