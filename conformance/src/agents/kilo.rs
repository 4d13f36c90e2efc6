//! Kilo, one turn from the command line.

use super::{Driver, Package, opencode};

pub(super) const DRIVER: Driver = Driver {
    id: "kilo",
    program: "kilo",
    package: Some(Package::Npm("@kilocode/cli", "7.7.7", &[])),
    registered: &[".config/kilo/plugin/snaphook.js"],
    // Otherwise it waits for its telemetry and its services at the end.
    setup: |options| {
        let setup = opencode::setup(options, "kilo").env("KILO_TELEMETRY_LEVEL", "off");
        setup
            .env("KILO_DISABLE_SESSION_INGEST", "1")
            .env("KILO_DISABLE_PRESENCE", "1")
            .env("KILO_DISABLE_CODEBASE_INDEXING", "1")
            .env("KILO_DISABLE_FFF", "1")
    },
    ..opencode::DRIVER
};
