// pi's side of the plug-in, played as the real program does it.
import assert from "node:assert/strict"
import { homedir } from "node:os"
import { test } from "node:test"
import { Place, installed } from "./host.mjs"

/** A session of pi: what its handlers return, and what a person is shown and answers. */
const open = async (place, { person = undefined, directory = place?.folder, timeout = undefined } = {}) => {
  const module = await (place ? place.load(undefined, timeout) : installed())
  const handlers = new Map()
  module.default({ on: (event, handler) => handlers.set(event, handler) })
  const shown = []
  const context = {
    cwd: directory,
    hasUI: person !== undefined,
    sessionManager: { getSessionId: () => "s1" },
    ui: { confirm: async (_, message) => (shown.push(message), person), notify: (message) => shown.push(message) },
  }
  const send = async (event, members = {}) => handlers.get(event)({ type: event, ...members }, context)
  const call = (input, toolName = "bash") => send("tool_call", { toolName, toolCallId: "c1", input })
  return { send, call, shown, close: () => send("session_shutdown") }
}

test("a call that passes keeps its arguments, and the program is told everything about it", async () => {
  const place = new Place("answers")
  const pi = await open(place)
  const input = { command: "ls" }
  assert.equal(await pi.call(input), undefined)
  assert.deepEqual(input, { command: "ls" })
  const params = { directory: place.folder, session: "s1", call: "c1", tool: "bash", input }
  assert.deepEqual(place.events(), [{ method: "tool_call", params }])
  await pi.close()
})

test("a denial blocks with its reason, an end of the turn also ends it, and a change is made in place", async () => {
  const place = new Place("answers", { tool_call: { verdict: "deny", reason: "no" } })
  const pi = await open(place)
  assert.deepEqual(await pi.call({}), { block: true, reason: "no" })
  place.answers({ tool_call: { verdict: "abort", reason: "no" } })
  assert.deepEqual(await pi.call({}), { block: true, reason: "no", terminate: true })
  place.answers({ tool_call: { verdict: "pass", input: { command: "ls -l" } } })
  const input = { command: "ls", timeout: 5 }
  assert.equal(await pi.call(input), undefined)
  assert.deepEqual(input, { command: "ls -l" })
  await pi.close()
})

test("a question is put to the person, and nobody is no answer", async () => {
  const ask = { verdict: "ask", reason: "sure?", input: { command: "ls -l" } }
  for (const [person, passes] of [
    [true, true],
    [false, false],
    [undefined, false],
    ["yes", false],
  ]) {
    const pi = await open(new Place("answers", { tool_call: ask, input: { verdict: "ask", reason: "sure?" } }), {
      person,
    })
    const input = { command: "ls" }
    assert.deepEqual(await pi.call(input), passes ? undefined : { block: true, reason: "sure?" })
    assert.equal(input.command, passes ? "ls -l" : "ls")
    assert.deepEqual(await pi.send("input", { text: "hi" }), { action: passes ? "continue" : "handled" })
    if (person !== undefined) assert.deepEqual(pi.shown, ["sure?", "sure?"])
    await pi.close()
  }
})

test("every failure blocks a call and drops a prompt, and nothing else", async () => {
  for (const mode of ["ends", "explains", "silent", "other version", "garbage", "error"]) {
    const pi = await open(new Place(mode), { timeout: 300, person: true })
    await assert.rejects(pi.call({}), /denied$/, mode)
    assert.deepEqual(await pi.send("input", { text: "hi" }), { action: "handled" }, mode)
    assert.match(pi.shown.at(-1), /denied/)
    const result = { toolName: "bash", toolCallId: "c1", input: {}, content: [], isError: false }
    assert.equal(await pi.send("tool_result", result), undefined)
    await pi.send("session_start")
    assert.equal(await pi.send("agent_before_settle"), undefined)
    await pi.close()
  }
  const pi = await open(new Place("answers", { tool_call: { verdict: "later" } }))
  await assert.rejects(pi.call({}))
  await pi.close()
})

test("a path is judged in the form in which pi reads it", async () => {
  const place = new Place("answers")
  const pi = await open(place)
  for (const [path, plain] of [
    ["a.txt", "a.txt"],
    ["@.env", ".env"],
    ["@@.env", "./@.env"],
    ["@~/.ssh/id", `${homedir()}/.ssh/id`],
    ["~", homedir()],
    ["file:///etc/passwd", "/etc/passwd"],
    ["@file:///etc/a%20b", "/etc/a b"],
    ["a\u00A0b", "a b"],
    ["./@x", "./@x"],
  ]) {
    const input = { path }
    await pi.call(input, "read")
    assert.equal(input.path, plain, path)
    assert.equal(place.events().at(-1).params.input.path, plain, path)
  }
  await assert.rejects(pi.call({ path: "file:///a%C2%A0b" }, "read"), /two ways/)
  const command = { path: "@x" }
  await pi.call(command, "another")
  assert.equal(command.path, "@x")
  await pi.close()
})

test("a result is replaced and gets context, and a failed tool is reported as failed", async () => {
  const place = new Place("answers", { tool_result: { verdict: "pass", result: { text: "new" }, context: "more" } })
  const pi = await open(place)
  const content = [
    { type: "text", text: "a" },
    { type: "image", data: "x" },
    { type: "text", text: "b" },
  ]
  const result = { toolName: "bash", toolCallId: "c1", input: { command: "ls" }, content, isError: true }
  const text = (...texts) => texts.map((text) => ({ type: "text", text }))
  assert.deepEqual(await pi.send("tool_result", result), { content: text("new", "more") })
  assert.deepEqual(place.events()[0].params.result, { text: "a\nb", is_error: true })
  place.answers({ tool_result: { verdict: "pass", context: "more" } })
  assert.deepEqual(await pi.send("tool_result", result), { content: [...content, ...text("more")] })
  assert.equal(content.length, 3)
  await pi.close()
})

test("a prompt is dropped, changed, and gets context with that of the session", async () => {
  const place = new Place("answers", { session_start: { verdict: "pass", context: "of the session" } })
  const pi = await open(place, { person: true })
  await pi.send("session_start")
  place.answers({ input: { verdict: "deny", reason: "no secrets" } })
  assert.deepEqual(await pi.send("input", { text: "hi" }), { action: "handled" })
  assert.deepEqual(pi.shown, ["no secrets"])
  place.answers({ input: { verdict: "pass", prompt: "bye", context: "of the prompt" } })
  const images = [{ type: "image" }]
  assert.deepEqual(await pi.send("input", { text: "hi", images }), { action: "transform", text: "bye", images })
  const message = { customType: "snaphook", content: "of the session\n\nof the prompt", display: false }
  assert.deepEqual(await pi.send("before_agent_start"), { message })
  assert.equal(await pi.send("before_agent_start"), undefined)
  await pi.close()
})

test("the agent continues, and the next end of a turn says so", async () => {
  const place = new Place("answers", { agent_before_settle: { verdict: "continue", reason: "run the tests" } })
  const pi = await open(place)
  const entry = { type: "custom_message", customType: "snaphook", content: "run the tests", display: true }
  assert.deepEqual(await pi.send("agent_before_settle"), { continue: true, entries: [entry] })
  place.answers({})
  assert.equal(await pi.send("agent_before_settle"), undefined)
  await pi.send("agent_before_settle")
  assert.deepEqual(
    place.events().map(({ params }) => params.again),
    [false, true, false],
  )
  await pi.close()
})

test("the installed program judges calls in the folder of the session", async () => {
  const pi = await open(undefined, { directory: process.env.SNAPHOOK_PROJECT })
  assert.equal(await pi.call({ command: "ls" }), undefined)
  assert.match((await pi.call({ command: "touch denied" })).reason, /denied by Bash\(touch denied\)/)
  assert.match((await pi.call({ path: "@kept.txt", content: "x" }, "write")).reason, /denied by Edit\(kept.txt\)/)
  await pi.close()
})
