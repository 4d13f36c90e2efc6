//! The cost per byte of calls of many shapes, which must not grow with their length.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::messages::claude;
use crate::run::{Bench, instructions};
use crate::table::Table;

/// Two lengths of texts that are analysed, and two of texts over the limit. If the cost grew with the square of the
/// length, it would grow to 3.75 and 10 times per byte.
const LENGTHS: [[usize; 2]; 2] = [[4_000, 15_000], [100_000, 1_000_000]];
const AT_MOST: f64 = 2.0;

/// Commands: what comes first, what is repeated, and what comes last. In a repeated part `#` is its number.
#[rustfmt::skip]
const COMMANDS: &[(&str, &str, &str)] = &[
    ("echo ", "word ", ""), ("echo ", "w# ", ""), ("", "ls a; ", "ls"), ("", "ls a && ", "ls"), ("", "ls a || ", "ls"),
    ("", "ls -la src\n", ""), ("", "cat f#.txt\n", ""), ("", "cat a | ", "wc"), ("ls ", "a", ""), ("cat ", "a/", ""),
    ("cat ", "../", ""), ("cat ", "/", ""), ("echo '", "a b ", "'"), ("echo \"", "a b ", "\""), ("echo ", "'a'", ""),
    ("echo ", "\\a", ""), ("echo ", "a \\\n", "b"), ("echo ", "$(ls) ", ""), ("echo ", "`ls` ", ""), ("echo ", "$(", ""),
    ("echo ", "$HOME ", ""), ("echo ", "\"$X\" ", ""), ("echo ", "$X", ""), ("", "A=b ", "ls"), ("", "A=b\n", "ls"),
    ("ls ", ">f ", ""), ("ls ", ">f# ", ""), ("", "cd a && ", "ls"), ("", "cd a\ncat b\n", "ls"), ("", "pushd a; ", "ls"),
    ("cat <<'E'\n", "some text here\n", "E\n"), ("cat <<E\n", "some $X here\n", "E\n"), ("", "cat <<'E'\ntext\nE\n", ""),
    ("python3 - <<'E'\n", "print(1)\n", "E\n"), ("python3 -c '", "print(1); ", "'"), ("sh -c '", "ls a; ", "'"),
    ("", "for i in a b; do ls $i; done; ", "ls"), ("for i in ", "a ", "; do ls $i; done"), ("", "if a; then b; fi; ", "ls"),
    ("case x in ", "a) ls;; ", "esac"), ("", "# a comment\n", "ls"), ("ls ", "--opt ", ""), ("frob ", "--out=a ", ""),
    ("frob ", "-a ", ""), ("rm ", "f ", ""), ("rm -r ", "f# ", ""), ("cp ", "f# ", "d"), ("ls ", "*.c ", ""),
    ("ls ", "{a,b} ", ""), ("git add ", "f# ", ""), ("git commit -m '", "fix it\n", "'"), ("zip -m z ", "f# ", ""),
    ("", "find . -exec rm {} \\; ; ", "ls"), ("", "cat f | xargs rm; ", "ls"), ("sed '", "s/a/b/;", "' f"),
    ("awk '", "{ print $1 } ", "' f"), ("curl -d '", "a=b&", "' https://example.org"), ("", "sudo ", "ls"),
    ("env ", "A=b ", "ls"), ("frob ", "a:b,", ""), ("echo '", "a b ", ""), ("", "ls ( a; ", ""), ("eval ", "ls ", ""),
    ("rm ", "'' ", ""), ("rm ", "*.o ", ""), ("echo ", "{", ""), ("echo ", "{,", ""), ("rm ", "$HOME/", "x"), ("rm ", "$X/", ""),
];

/// Commands inside each other: what opens one, the innermost, and what closes one.
const NESTED: &[(&str, &str, &str)] = &[("$(", "ls", ")"), ("(", "ls", ")"), ("{ ", "ls", "; }")];

/// Arguments of other tools, of about this length.
type Arguments = fn(usize) -> Value;
const TOOLS: &[(&str, Arguments)] = &[
    ("Write", |length| json!({"file_path": "/tmp/x", "content": "a line\n".repeat(length / 7)})),
    ("Edit", |length| json!({"file_path": "/tmp/x", "old_string": "a".repeat(length), "new_string": "b"})),
    ("Read", |length| json!({"file_path": format!("/tmp/{}", "a/".repeat(length / 2))})),
    ("WebFetch", |length| json!({"url": format!("https://example.org/{}", "a".repeat(length)), "prompt": "p"})),
    ("mcp__a__b", |length| json!({"text": "word ".repeat(length / 5)})),
    ("Frob", |length| json!({"list": vec![1; length / 2]})),
    ("Frob", |length| {
        (0..length / 10).map(|at| (format!("k{at}"), json!(1))).collect::<serde_json::Map<_, _>>().into()
    }),
];

/// Compares the cost per byte at two lengths, below and above the limit for commands.
pub(crate) fn lengths(bench: &Bench, table: &mut Table) {
    let shapes = COMMANDS.len() + NESTED.len() + TOOLS.len();
    println!("{shapes} shapes");
    for lengths in LENGTHS {
        let what = format!("{shapes} shapes, {} to {} bytes: the cost per byte grows at most", lengths[0], lengths[1]);
        match grown(bench, shapes, lengths) {
            Ok(mut grown) => {
                grown.sort_by(|(a, _), (b, _)| b.total_cmp(a));
                for (times, name) in grown.iter().take(5) {
                    println!("{times:>8.2} x {name}");
                }
                table.most(&what, grown.first().map_or(0.0, |(times, _)| *times), AT_MOST, "x");
            }
            Err(why) => table.skipped(&what, &why),
        }
    }
}

/// The growth of the cost per byte, and the name of each shape, counted on every processor at once.
fn grown(bench: &Bench, shapes: usize, lengths: [usize; 2]) -> Result<Vec<(f64, String)>, String> {
    let cwd = bench.cwd();
    let mut hook = bench.claude_code(&bench.rules());
    hook.arg("--no-audit");
    let cost = |message: &str| instructions(bench, &hook, message.as_bytes());
    let one = |at: usize| {
        let (name, least) = shape(at, 0, &cwd);
        let base = cost(&least)?;
        let mut per_byte = [0.0; 2];
        for (length, found) in lengths.iter().zip(&mut per_byte) {
            let (_, message) = shape(at, *length, &cwd);
            let bytes = u32::try_from(message.len() - least.len()).map_err(|error| error.to_string())?;
            *found = (cost(&message)? - base) / f64::from(bytes);
        }
        Ok((per_byte[1] / per_byte[0], name))
    };
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    if at >= shapes {
                        break;
                    }
                    done.lock().expect("no panic").push(one(at));
                }
            });
        }
    });
    done.into_inner().expect("no panic").into_iter().collect()
}

/// The name of a shape, and its message with about this many bytes.
fn shape(at: usize, length: usize, cwd: &str) -> (String, String) {
    if let Some((first, unit, last)) = COMMANDS.get(at) {
        let count = length / unit.len();
        let parts: String = (0..count).map(|number| unit.replace('#', &number.to_string())).collect();
        return (
            format!("{first}{unit}{last}"),
            claude(cwd, "Bash", &json!({"command": first.to_string() + &parts + last}).to_string()),
        );
    }
    let at = at - COMMANDS.len();
    if let Some((open, inner, close)) = NESTED.get(at) {
        let count = length / (open.len() + close.len());
        let command = open.repeat(count) + inner + &close.repeat(count);
        return (format!("{open}{inner}{close}"), claude(cwd, "Bash", &json!({"command": command}).to_string()));
    }
    let (tool, arguments) = TOOLS[at - NESTED.len()];
    (tool.to_owned(), claude(cwd, tool, &arguments(length).to_string()))
}
