#!/usr/bin/env node
// Starts the program that install.js downloaded.
const { spawnSync } = require("node:child_process");
const path = require("node:path");

const program = path.join(__dirname, process.platform === "win32" ? "snaphook.exe" : "snaphook");
const ended = spawnSync(program, process.argv.slice(2), { stdio: "inherit" });
if (ended.error) {
  console.error(`snaphook: ${ended.error.message}; install the package again`);
  process.exit(2);
}
process.exit(ended.status ?? 2);
