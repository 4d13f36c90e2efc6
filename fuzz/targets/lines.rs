//! For any input, the line server exits without an error at the end of the input, and every line of its output is one
//! JSON document.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    for line in snaphook::fuzzing::lines(input).lines() {
        serde_json::from_str::<serde_json::Value>(line).expect("the answer is one JSON document");
    }
});
