//! The basic blocks of the functions of a program, as `llvm-readobj --bb-addr-map --elf-output-style=JSON` prints them.

use serde::Deserialize;

#[derive(Deserialize)]
struct File {
    #[serde(rename = "BBAddrMap")]
    functions: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    #[serde(rename = "Function")]
    function: Parts,
}

#[derive(Deserialize)]
struct Parts {
    #[serde(rename = "BB Ranges")]
    parts: Vec<Function>,
}

/// A function that the compiler has not divided.
#[derive(Deserialize)]
pub(crate) struct Function {
    #[serde(rename = "Base Address")]
    pub(crate) start: u64,
    #[serde(rename = "BB Entries")]
    pub(crate) blocks: Vec<Block>,
}

#[derive(Deserialize)]
pub(crate) struct Block {
    #[serde(rename = "ID")]
    pub(crate) id: u32,
    /// The offset in the function, in bytes.
    #[serde(rename = "Offset")]
    pub(crate) offset: u64,
    #[serde(rename = "Size")]
    pub(crate) size: u64,
}

/// Reads the functions of a program.
pub(crate) fn read(text: &str) -> Vec<Function> {
    let files: Vec<File> = serde_json::from_str(text).expect("what llvm-readobj prints");
    files.into_iter().flat_map(|file| file.functions).flat_map(|entry| entry.function.parts).collect()
}
