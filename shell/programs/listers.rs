//! Programs that list files or describe them or the system. Their words are text, or name files that are only tested.

use super::code::option;
use super::program::Program;
use super::readers::listed;
use crate::effects::Touch;
use crate::options::OptionSpec;

pub(super) const PROGRAMS: &[Program] = &[
    Program { operands: |_| Touch::Read, ..Program::text(&["ls", "stat"]) },
    Program {
        options: OptionSpec::new("oLPIHT", &["output"], &[]),
        operands: |_| Touch::Read,
        writes: &[('o', "output")],
        ..Program::text(&["tree"])
    },
    Program { touches: listed, ..Program::text(&["du"]) },
    Program { code: |call| call.says(option(call.given(), "PH", &["pager", "html"])), ..Program::text(&["man"]) },
    Program::text(&[
        "dir", "vdir", "exa", "eza", "lsd", "df", "locate", "which", "whereis", "type", "whatis", "realpath",
        "readlink", "pathchk", "dirname", "basename", "lsattr", "getfacl", "getfattr", "namei", "lsof", "fuser", "ps",
        "top", "printenv", "id", "whoami", "groups", "uname", "uptime", "sleep", "seq", "expr", "tr", "echo", "true",
        "false", ":", "pwd", "umask",
    ]),
];
