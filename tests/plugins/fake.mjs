// A program that plays snaphook in one of several ways. The answers are read from the file named by the second word.
import { readFileSync, appendFileSync } from "node:fs"
import { createInterface } from "node:readline"

const [, , mode, folder] = process.argv
appendFileSync(`${folder}/starts`, "start\n")
const answer = (id, result) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`)
if (mode === "ends") process.exit(3)
if (mode === "explains") {
  process.stderr.write("the policy is gone\n")
  process.exit(2)
}
const held = []
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  if (mode === "silent") continue
  if (method === "hello") {
    answer(id, { protocol: mode === "other version" ? "2" : "1" })
    continue
  }
  appendFileSync(`${folder}/events`, `${JSON.stringify({ method, params })}\n`)
  const { answers = {} } = JSON.parse(readFileSync(`${folder}/answers.json`, "utf8"))
  const text = answers[method]
  if (mode === "garbage") process.stdout.write("snaphook: hello\n")
  else if (mode === "error") process.stdout.write(`${JSON.stringify({ id, error: { code: 1, message: "no" } })}\n`)
  else if (mode === "dies on rm" && params.input?.command === "rm") process.kill(process.pid, "SIGKILL")
  else if (mode === "reversed") {
    held.push({ id, command: params.input.command })
    if (held.length === 3) {
      for (const { id, command } of held.reverse()) answer(id, { verdict: "pass", input: { command: `${command}!` } })
    }
  } else answer(id, text ?? { verdict: "pass" })
}
