//! In any settings file of each format, inserting an entry and removing it again restores the values of the file.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u8, &str)| snaphook::fuzzing::settings(input.0, input.1));
