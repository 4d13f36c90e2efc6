// OpenCode's side of the plug-in, played as the real program does it.
import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { test } from "node:test"
import { Place, installed } from "./host.mjs"

/** A client of OpenCode that notes what it is asked to do. */
const client = (done) => ({
  tui: { showToast: async ({ body }) => void done.push(["toast", body.message]) },
  session: { promptAsync: async ({ path, body }) => void done.push(["prompt", path.id, body.parts[0].text]) },
  postSessionIdPermissionsPermissionId: async ({ path, body }) =>
    void done.push(["permission", path.permissionID, body.response]),
})

const open = async (place, done = [], command = undefined, timeout = undefined) => {
  const module = await place.load(command, timeout)
  const plugins = Object.values(module)
  assert.equal(plugins.length, 1, "OpenCode calls every export")
  return plugins[0]({ client: client(done), directory: place.folder })
}

const before = (hooks, args, callID = "c1", tool = "bash") =>
  hooks["tool.execute.before"]({ tool, sessionID: "s1", callID }, { args })
const after = (hooks, output, tool = "bash") =>
  hooks["tool.execute.after"]({ tool, sessionID: "s1", callID: "c1", args: { command: "ls" } }, output)
const prompt = (hooks, parts) =>
  hooks["chat.message"]({ sessionID: "s1" }, { message: { agent: "build", model: { providerID: "p" } }, parts })

test("a call that passes keeps its arguments, and the program is told everything about it", async () => {
  const place = new Place("answers")
  const hooks = await open(place)
  const args = { command: "ls", description: "list" }
  await before(hooks, args)
  assert.deepEqual(args, { command: "ls", description: "list" })
  const params = { directory: place.folder, session: "s1", call: "c1", tool: "bash", input: args }
  assert.deepEqual(place.events(), [{ method: "tool.execute.before", params }])
  await hooks.dispose()
})

test("a denial throws its reason", async () => {
  const hooks = await open(new Place("answers", { "tool.execute.before": { verdict: "deny", reason: "not here" } }))
  await assert.rejects(before(hooks, { command: "ls" }), { message: "not here" })
  await hooks.dispose()
})

test("a change is made in the object that OpenCode holds", async () => {
  const input = { command: "ls -l", __proto__: null, extra: 1 }
  const hooks = await open(new Place("answers", { "tool.execute.before": { verdict: "pass", input } }))
  const args = { command: "ls", description: "list" }
  await before(hooks, args)
  assert.deepEqual(args, { command: "ls -l", extra: 1 })
  const frozen = Object.freeze({ command: "ls" })
  await assert.rejects(before(hooks, frozen))
  await hooks.dispose()
})

test("every answer that is not a pass blocks, and so does every failure", async () => {
  for (const answer of [{}, null, { verdict: "ask" }, { verdict: "Pass" }, { verdict: true }, { verdict: "abort" }]) {
    const place = new Place("answers", { "tool.execute.before": answer, "chat.message": answer })
    const hooks = await open(place)
    if (answer) await assert.rejects(before(hooks, {}), /snaphook|denied/, JSON.stringify(answer))
    await hooks.dispose()
  }
  for (const mode of ["ends", "explains", "silent", "other version", "garbage", "error"]) {
    const hooks = await open(new Place(mode), [], undefined, 300)
    await assert.rejects(before(hooks, {}), /^Error: snaphook: .*: denied$/s, mode)
    await assert.rejects(prompt(hooks, [{ type: "text", text: "hi" }]), /denied/, mode)
    await after(hooks, { output: "text" })
    await hooks["experimental.chat.system.transform"]({ sessionID: "s1" }, { system: [] })
    await hooks.event({ event: { type: "session.idle", properties: { sessionID: "s1" } } })
    await hooks.dispose()
  }
  for (const command of [["/no/such/program"], [import.meta.filename], [""]]) {
    const hooks = await open(new Place("answers"), [], command)
    await assert.rejects(before(hooks, {}), /^Error: snaphook: .*: denied$/s, command)
    await after(hooks, { output: "text" })
  }
})

test("a reason says why the program ended", async () => {
  const hooks = await open(new Place("explains"))
  await assert.rejects(before(hooks, {}), /the program ended the policy is gone: denied/)
})

test("a value that has no JSON form blocks", async () => {
  const hooks = await open(new Place("answers"))
  const circle = {}
  circle.self = circle
  await assert.rejects(before(hooks, circle), /denied/)
  await assert.rejects(before(hooks, { big: 1n }), /denied/)
  await before(hooks, { command: "ls" })
  await hooks.dispose()
})

test("overlapping calls get their own answers from one process", async () => {
  const place = new Place("reversed")
  const hooks = await open(place)
  const calls = ["a", "b", "c"].map((command) => ({ command }))
  await Promise.all(calls.map((args, number) => before(hooks, args, `c${number}`)))
  assert.deepEqual(calls, [{ command: "a!" }, { command: "b!" }, { command: "c!" }])
  assert.equal(place.starts(), 1)
  await hooks.dispose()
})

test("after the program was killed, waiting calls are blocked and the next one is judged", async () => {
  const place = new Place("dies on rm")
  const hooks = await open(place)
  await before(hooks, { command: "ls" })
  await assert.rejects(before(hooks, { command: "rm" }), /the program ended: denied/)
  await before(hooks, { command: "ls" })
  assert.equal(place.starts(), 2)
  for (let n = 0; n < 8; n++) await assert.rejects(before(hooks, { command: "rm" }))
  assert.equal(place.starts(), 5)
  await assert.rejects(before(hooks, { command: "ls" }), /the program ended 5 times within 30 s: denied/)
})

test("a result is changed whatever its form, and context is added to it", async () => {
  const place = new Place("answers", {
    "tool.execute.after": { verdict: "pass", result: { text: "new" }, context: "more" },
  })
  const hooks = await open(place)
  const output = { title: "t", output: "old", metadata: {} }
  await after(hooks, output)
  assert.equal(output.output, "new\n\nmore")
  const mcp = {
    content: [
      { type: "text", text: "a" },
      { type: "image", data: "x" },
      { type: "text", text: "b" },
    ],
    structuredContent: { secret: 1 },
  }
  await after(hooks, mcp, "srv_tool")
  assert.deepEqual(mcp, { content: [{ type: "text", text: "new\n\nmore" }] })
  assert.deepEqual(
    place.events().map(({ params }) => params.result.text),
    ["old", "a\nb"],
  )
  await hooks.dispose()
})

test("a prompt is denied with a message to the person, changed, and given context", async () => {
  const done = []
  const place = new Place("answers", { "chat.message": { verdict: "deny", reason: "no secrets" } })
  const hooks = await open(place, done)
  await assert.rejects(prompt(hooks, [{ type: "text", text: "hi" }]), { message: "no secrets" })
  assert.deepEqual(done, [["toast", "no secrets"]])
  place.answers({
    "chat.message": { verdict: "pass", prompt: "bye", context: "for the prompt" },
    "experimental.chat.system.transform": { verdict: "pass", context: "for the session" },
  })
  const parts = [
    { type: "text", text: "hi" },
    { type: "text", text: "content of a file", synthetic: true },
    { type: "text", text: "there" },
  ]
  await prompt(hooks, parts)
  assert.deepEqual(
    parts.map((part) => part.text),
    ["bye", "content of a file", ""],
  )
  for (let n = 0; n < 2; n++) {
    const system = ["base"]
    await hooks["experimental.chat.system.transform"]({ sessionID: "s1" }, { system })
    assert.deepEqual(system, ["base", "for the session", "for the prompt"])
  }
  const methods = place.events().map(({ method }) => method)
  assert.equal(methods.filter((method) => method.includes("system")).length, 1)
  assert.equal(place.events()[1].params.prompt, "hi\nthere")
  await assert.rejects(prompt(hooks, [{ type: "file" }]), /no text/)
  await hooks.dispose()
})

test("the agent continues once more, and not for a sub-agent", async () => {
  const done = []
  const place = new Place("answers", { "session.idle": { verdict: "continue", reason: "run the tests" } })
  const hooks = await open(place, done)
  const event = (type, properties) => hooks.event({ event: { type, properties } })
  await event("session.created", { info: { id: "child", parentID: "s1" } })
  await event("session.idle", { sessionID: "child" })
  await event("session.idle", { sessionID: "s1" })
  place.answers({})
  await event("session.idle", { sessionID: "s1" })
  assert.deepEqual(done, [["prompt", "s1", "run the tests"]])
  assert.deepEqual(
    place.events().map(({ params }) => params.again),
    [false, true],
  )
  await hooks.dispose()
})

test("a question about a call is answered for the permission of its tool only", async () => {
  const done = []
  const place = new Place("answers", { "permission.asked": { verdict: "allow" } })
  const hooks = await open(place, done)
  const args = { command: "ls" }
  await before(hooks, args)
  const asked = (id, permission, callID = "c1") =>
    hooks.event({
      event: { type: "permission.asked", properties: { id, sessionID: "s1", permission, tool: { callID } } },
    })
  await asked("p1", "bash")
  await asked("p2", "external_directory")
  await asked("p3", "bash", "another")
  place.answers({ "permission.asked": { verdict: "deny" } })
  await asked("p4", "bash")
  place.answers({})
  await asked("p5", "bash")
  assert.deepEqual(done, [
    ["permission", "p1", "once"],
    ["permission", "p4", "reject"],
  ])
  assert.deepEqual(place.events()[1].params.input, args)
  await hooks.dispose()
})

test("an idle program does not keep OpenCode running", async () => {
  const place = new Place("answers")
  await place.load()
  const script = `
    const [plugin] = Object.values(await import(${JSON.stringify(join(place.folder, `plugin.js`))}))
    const hooks = await plugin({ client: {}, directory: ${JSON.stringify(place.folder)} })
    await hooks["tool.execute.before"]({ tool: "bash", sessionID: "s", callID: "c" }, { args: {} })`
  const said = spawnSync(process.execPath, ["--input-type=module", "-e", script], { timeout: 20_000, encoding: "utf8" })
  assert.equal(said.status, 0, said.stderr)
})

test("the installed program judges calls in the folder of the session", async () => {
  const [plugin] = Object.values(await installed())
  const directory = process.env.SNAPHOOK_PROJECT ?? ""
  const hooks = await plugin({ client: client([]), directory })
  const args = { command: "ls" }
  await before(hooks, args)
  await assert.rejects(before(hooks, { command: "touch denied" }), /denied by Bash\(touch denied\)/)
  const write = { filePath: "kept.txt", content: "x" }
  await assert.rejects(before(hooks, write, "c2", "write"), /denied by Edit\(kept.txt\)/)
  await Promise.all(Array.from({ length: 50 }, (_, n) => before(hooks, { command: `echo ${n}` }, `n${n}`)))
  await hooks.dispose()
})
