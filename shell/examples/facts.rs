//! Prints what a command runs and touches: `cargo run -p snaphook-shell --example facts -- 'cd src && make > ../log'`.

#![expect(clippy::print_stdout, clippy::disallowed_methods, reason = "a program reads its arguments and prints")]

use snaphook_shell::{ScriptLimits, read};

fn main() {
    let text = std::env::args().skip(1).collect::<Vec<_>>().join(" ");
    let script = read(&text, &ScriptLimits::default());
    for part in &script.parts {
        println!("runs     {}", part.text);
    }
    for file in &script.touched {
        println!("{:<8} {}", format!("{:?}", file.touch).to_lowercase(), file.shown);
    }
    if let Some(word) = script.not_understood {
        println!("not understood: {word}");
    }
}
