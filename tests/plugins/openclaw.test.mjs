// OpenClaw's side of the plug-in, played as the real program does it.
import assert from "node:assert/strict"
import { homedir } from "node:os"
import { test } from "node:test"
import { Place, installed } from "./host.mjs"

/** A process of OpenClaw with the workspace of one agent. */
const open = async (place, { folder = place?.folder, command = undefined, timeout = undefined } = {}) => {
  const module = await (place ? place.load(command, timeout) : installed())
  const handlers = new Map()
  const options = new Map()
  let middleware
  const logged = []
  module.default.register({
    config: {},
    logger: { warn: (message) => logged.push(message) },
    runtime: { agent: { resolveAgentWorkspaceDir: () => folder } },
    on: (event, handler, given) => {
      handlers.set(event, [...(handlers.get(event) ?? []), handler])
      options.set(event, [...(options.get(event) ?? []), given])
    },
    registerAgentToolResultMiddleware: (handler) => (middleware = handler),
  })
  const context = { agentId: "main", sessionKey: "agent:main:main" }
  const send = async (event, members = {}, more = {}) => handlers.get(event)[0](members, { ...context, ...more })
  const repeat = async (params, members = {}) =>
    handlers.get("before_tool_call")[1]({ toolName: "exec", toolCallId: "c1", params, ...members }, context)
  const call = (params, toolName = "exec", more = {}) =>
    send("before_tool_call", { toolName, toolCallId: "c1", params, ...more })
  const result = (members) =>
    middleware({ toolCallId: "c1", toolName: "exec", args: { command: "ls" }, ...members }, context)
  return { send, call, repeat, result, options, logged, close: () => handlers.get("gateway_stop")[0]() }
}

test("a call that passes is left alone, and the program is told everything about it", async () => {
  const place = new Place("answers")
  const openclaw = await open(place)
  const input = { command: "ls" }
  assert.deepEqual(await openclaw.call(input), {})
  const params = { directory: place.folder, session: "agent:main:main", call: "c1", tool: "exec", input }
  assert.deepEqual(place.events(), [{ method: "before_tool_call", params }])
  const [first, last] = openclaw.options.get("before_tool_call")
  assert.ok(first.timeoutMs > 1000 && first.priority > 0 && last.priority < 0)
  openclaw.close()
})

test("a denial blocks, a change is returned, and a question is for this call only", async () => {
  const place = new Place("answers", { before_tool_call: { verdict: "deny", reason: "no" } })
  const openclaw = await open(place)
  assert.deepEqual(await openclaw.call({}), { block: true, blockReason: "no" })
  const input = { command: "ls -l" }
  place.answers({ before_tool_call: { verdict: "pass", input } })
  assert.deepEqual(await openclaw.call({ command: "ls" }), { params: input })
  place.answers({ before_tool_call: { verdict: "ask", reason: "x".repeat(600), input } })
  const { params, requireApproval } = await openclaw.call({ command: "ls" })
  assert.deepEqual(params, input)
  assert.deepEqual(requireApproval.allowedDecisions, ["allow-once", "deny"])
  assert.equal(requireApproval.description.length, 512)
  requireApproval.onResolution("allow-once")
  assert.deepEqual(openclaw.logged, [])
  requireApproval.onResolution("cancelled")
  assert.match(openclaw.logged[0], /^cancelled: x{600}$/)
  openclaw.close()
})

test("a change is repeated once after the other plug-ins, for the same call only", async () => {
  const input = { command: "ls -l" }
  const openclaw = await open(new Place("answers", { before_tool_call: { verdict: "pass", input } }))
  await openclaw.call({ command: "ls" })
  assert.equal(await openclaw.repeat({ command: "ls" }, { toolCallId: "c2" }), undefined)
  assert.deepEqual(await openclaw.repeat({ command: "ls; id" }), { params: input })
  assert.equal(await openclaw.repeat({ command: "ls" }), undefined)
  await openclaw.call({ command: "ls" }, "exec", { toolCallId: undefined })
  assert.equal(await openclaw.repeat({ command: "id" }, { toolCallId: undefined }), undefined)
  assert.deepEqual(await openclaw.repeat({ command: "ls" }, { toolCallId: undefined }), { params: input })
  openclaw.close()
})

test("every failure blocks a call and a prompt, and nothing else", async () => {
  for (const mode of ["ends", "explains", "silent", "other version", "garbage", "error"]) {
    const openclaw = await open(new Place(mode), { timeout: 300 })
    const blocked = await openclaw.call({})
    assert.equal(blocked.block, true, mode)
    assert.match(blocked.blockReason, /denied$/, mode)
    assert.equal((await openclaw.send("before_agent_run", { prompt: "hi" })).outcome, "block", mode)
    assert.equal(await openclaw.result({ result: { content: [] } }), undefined)
    assert.equal(await openclaw.send("before_prompt_build"), undefined)
    openclaw.close()
  }
  const missing = await open(new Place("answers"), { command: ["/nowhere/snaphook"] })
  assert.equal((await missing.call({})).block, true)
  const odd = await open(new Place("answers", { before_tool_call: { verdict: "later" } }))
  assert.equal((await odd.call({})).block, true)
  odd.close()
  const nowhere = await open(new Place("answers"), { folder: 7 })
  assert.equal((await nowhere.call({})).block, true)
})

test("parallel calls get their own answers, and a killed program is started again", async () => {
  const reversed = await open(new Place("reversed"))
  const asked = ["a", "b", "c"].map((command) => reversed.call({ command }))
  const commands = (await Promise.all(asked)).map(({ params }) => params.command)
  assert.deepEqual(commands, ["a!", "b!", "c!"])
  reversed.close()
  const place = new Place("dies on rm")
  const openclaw = await open(place)
  assert.equal((await openclaw.call({ command: "rm" })).block, true)
  assert.deepEqual(await openclaw.call({ command: "ls" }), {})
  assert.equal(place.starts(), 2)
  openclaw.close()
})

test("the folder of a session is the workspace that a prompt names", async () => {
  const place = new Place("answers")
  const other = new Place("answers")
  const openclaw = await open(place, { folder: other.folder })
  await openclaw.call({ command: "ls" })
  await openclaw.send("before_agent_run", { prompt: "hi" }, { workspaceDir: place.folder })
  await openclaw.call({ command: "ls" })
  const folders = place.events().map(({ params }) => params.directory)
  assert.deepEqual(folders, [other.folder, place.folder, place.folder])
  openclaw.close()
})

test("a path is judged in the form in which OpenClaw reads it, and a script is no command", async () => {
  const place = new Place("answers")
  const openclaw = await open(place)
  for (const [path, plain] of [
    ["@.env", ".env"],
    ["@@.env", "./@.env"],
    ["~", homedir()],
    ["@~/.ssh/id", `${homedir()}/.ssh/id`],
    ["file:///etc/a%20b", "/etc/a b"],
  ]) {
    assert.deepEqual(await openclaw.call({ path, limit: 1 }, "read"), { params: { path: plain, limit: 1 } }, path)
    assert.equal(place.events().at(-1).params.input.path, plain, path)
  }
  assert.deepEqual(await openclaw.call({ path: "a.txt" }, "read"), {})
  for (const path of [".env</arg_value>>", "a.docodex", "file://%"]) {
    assert.equal((await openclaw.call({ path }, "read")).block, true, path)
  }
  for (const header of ["*** Add File: @.env", "*** Update File: ~/.ssh/id", "  *** Delete File:  file:///a"]) {
    const patch = { input: `*** Begin Patch\n*** Add File: a\n+x\n${header}\n*** End Patch` }
    assert.equal((await openclaw.call(patch, "apply_patch")).block, true, header)
  }
  assert.deepEqual(await openclaw.call({ input: "*** Begin Patch\n*** Add File: a\n+@b\n" }, "apply_patch"), {})
  await openclaw.call({ code: "1", command: "1" }, "exec", { toolKind: "code_mode_exec" })
  assert.equal(place.events().at(-1).params.tool, "code_mode_exec")
  openclaw.close()
})

test("a result is replaced and gets context, and a failed tool is reported as failed", async () => {
  const answers = { agentToolResultMiddleware: { verdict: "pass", result: { text: "new" }, context: "more" } }
  const place = new Place("answers", answers)
  const openclaw = await open(place)
  const content = [
    { type: "text", text: "a" },
    { type: "image", data: "x" },
  ]
  const text = (...texts) => texts.map((text) => ({ type: "text", text }))
  const done = { isError: true, result: { content, details: { code: 1 } } }
  assert.deepEqual(await openclaw.result(done), { result: { content: text("new", "more"), details: { code: 1 } } })
  assert.deepEqual(place.events()[0].params.result, { text: "a", is_error: true })
  place.answers({ agentToolResultMiddleware: { verdict: "pass", context: "more" } })
  assert.deepEqual((await openclaw.result(done)).result.content, [...content, ...text("more")])
  place.answers({})
  assert.equal(await openclaw.result(done), undefined)
  openclaw.close()
})

test("a prompt is denied, and a session gets its context with every prompt", async () => {
  const place = new Place("answers", {
    before_agent_run: { verdict: "deny", reason: "no secrets" },
    before_prompt_build: { verdict: "pass", context: "of the session" },
  })
  const openclaw = await open(place)
  const outcome = { outcome: "block", reason: "no secrets", message: "no secrets" }
  assert.deepEqual(await openclaw.send("before_agent_run", { prompt: "hi" }), outcome)
  for (const _ of [1, 2]) {
    assert.deepEqual(await openclaw.send("before_prompt_build"), { appendSystemContext: "of the session" })
  }
  assert.equal(place.events().filter(({ method }) => method === "before_prompt_build").length, 1)
  place.answers({})
  assert.deepEqual(await openclaw.send("before_agent_run", { prompt: "hi" }), { outcome: "pass" })
  openclaw.close()
})

test("the installed program judges calls in the folder of the session", async () => {
  const openclaw = await open(undefined, { folder: process.env.SNAPHOOK_PROJECT })
  assert.deepEqual(await openclaw.call({ command: "ls" }), {})
  assert.match((await openclaw.call({ command: "touch denied" })).blockReason, /Bash\(touch denied\)/)
  assert.match((await openclaw.call({ path: "@kept.txt", content: "x" }, "write")).blockReason, /Edit\(kept.txt\)/)
  openclaw.close()
})
