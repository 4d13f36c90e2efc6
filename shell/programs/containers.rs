//! Clients of containers and clusters, and of hosts of repositories.

use super::program::{Call, Naming, OptionNames, Program, TextWords};
use super::spellings::renamed;
use super::uploads::copied;
use crate::effects::{Extent, walked};
use crate::words::Word;

pub(super) const PROGRAMS: &[Program] = &[
    Program {
        has_subcommands: true,
        namings: &[Naming {
            subcommands: &["logs", "stop", "start", "restart", "inspect", "pull", "images", "ps", "stats", "top"],
            flags: &["-f", "--follow", "-a", "-q", "--no-stream"],
            valued: &["-n", "--tail"],
        }],
        touches: |call| copied(call, &["cp"]),
        ..Program::of(&["docker", "podman"])
    },
    Program { spellings: |call| renamed(call, &["docker", "compose"]), ..Program::of(&["docker-compose"]) },
    Program {
        texts: kubernetes,
        has_subcommands: true,
        namings: &[Naming {
            subcommands: &["get", "describe", "logs", "rollout", "scale", "explain", "top"],
            flags: &["-A", "-w", "-f"],
            valued: &["-n", "--namespace", "-l", "-o", "-c"],
        }],
        touches: |call| {
            let made = walked(Extent::Walked, call.given().values(' ', "from-file"));
            copied(call, &["cp"]).into_iter().chain(made).collect()
        },
        ..Program::of(&["kubectl", "oc"])
    },
    Program { texts: |_| &CONFIG, has_subcommands: true, ..Program::of(&["helm"]) },
    Program { texts: |_| &MESSAGES, has_subcommands: true, ..Program::of(&["gh", "glab"]) },
    Program { texts: |_| &MESSAGES, ..Program::of(&["hub"]) },
];

const MESSAGES: TextWords = TextWords { options: MESSAGE, ..TextWords::NONE };
const MESSAGE: &[OptionNames] = &[('t', "title"), ('b', "body"), ('m', "message")];

/// A configuration that is only used.
const CONFIG: TextWords = TextWords { options: KUBECONFIG, ..TextWords::NONE };
const KUBECONFIG: &[OptionNames] = &[(' ', "kubeconfig")];

/// `kubectl config` prints and changes the file.
fn kubernetes(call: &Call<'_>) -> &'static TextWords {
    if call.arguments.iter().any(may_be_config) { &TextWords::NONE } else { &CONFIG }
}

fn may_be_config(word: &Word) -> bool {
    word.value == "config" || word.may_be_option() || (word.is_dynamic() && !word.value.starts_with('-'))
}
