import { homedir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** The characters that pi reads as a blank in a path. */
const SPACES = /[\u00A0\u2000-\u200A\u202F\u205F\u3000]/
/** The tools of pi that take a path, in a notation that only pi uses. */
const WITH_PATH = ["read", "write", "edit", "grep", "find", "ls"]

/** @param {import("@earendil-works/pi-coding-agent").ExtensionAPI} pi */
export default function (pi) {
  /** @typedef {import("@earendil-works/pi-coding-agent").ExtensionContext} Context */
  /** @type {Client | undefined} */
  let client
  /** Text for the model that goes with the next prompt. @type {string[]} */
  let contexts = []
  /** True if the last turn was begun by an answer. */
  let continued = false

  /** @type {(context: Context) => Client} */
  const snaphook = (context) => (client ??= new Client(context.cwd))
  /** @type {(context: Context) => { session: string }} */
  const about = (context) => ({ session: context.sessionManager.getSessionId() })

  pi.on("session_start", async (_, context) => {
    const answer = await snaphook(context).report("session_start", about(context))
    contexts = answer?.context ? [answer.context] : []
  })

  pi.on("session_shutdown", () => {
    client?.close()
    client = undefined
  })

  pi.on("input", async (event, context) => {
    try {
      const params = { ...about(context), prompt: event.text }
      const answer = await snaphook(context).gate("input", params, ["pass", "allow", "ask"])
      if (answer.verdict === "ask" && !(await confirmed(context, answer))) return { action: "handled" }
      if (answer.context) contexts.push(answer.context)
      if (answer.prompt === undefined) return { action: "continue" }
      return { action: "transform", text: answer.prompt, ...(event.images && { images: event.images }) }
    } catch (error) {
      // An error would let the prompt pass.
      tell(context, error instanceof Error ? error.message : String(error))
      return { action: "handled" }
    }
  })

  pi.on("before_agent_start", () => {
    if (contexts.length === 0) return undefined
    const content = contexts.join("\n\n")
    contexts = []
    return { message: { customType: "snaphook", content, display: false } }
  })

  pi.on("tool_call", async (event, context) => {
    const input = /** @type {Record<string, unknown>} */ (event.input)
    if (WITH_PATH.includes(event.toolName) && typeof input.path === "string") input.path = plainPath(input.path)
    const params = { ...about(context), call: event.toolCallId, tool: event.toolName, input }
    const answer = await snaphook(context).gate("tool_call", params, ["pass", "allow", "ask", "deny", "abort"])
    const reason = answer.reason ?? "denied by snaphook"
    if (answer.verdict === "deny") return { block: true, reason }
    if (answer.verdict === "abort") return { block: true, reason, terminate: true }
    if (answer.verdict === "ask" && !(await confirmed(context, answer))) return { block: true, reason }
    if (answer.input) become(input, answer.input)
    return undefined
  })

  pi.on("tool_result", async (event, context) => {
    const text = event.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")
    const result = { text, is_error: event.isError }
    const call = { call: event.toolCallId, tool: event.toolName, input: event.input }
    const answer = await snaphook(context).report("tool_result", { ...about(context), ...call, result })
    /** @type {typeof event.content} */
    const content = answer?.result ? [{ type: "text", text: answer.result.text }] : [...event.content]
    if (answer?.context) content.push({ type: "text", text: answer.context })
    return answer?.result || answer?.context ? { content } : undefined
  })

  pi.on("agent_before_settle", async (_, context) => {
    const params = { ...about(context), again: continued }
    const answer = await snaphook(context).report("agent_before_settle", params)
    continued = answer?.verdict === "continue"
    if (!continued) return undefined
    const content = answer?.reason ?? ""
    return { continue: true, entries: [{ type: "custom_message", customType: "snaphook", content, display: true }] }
  })
}

/**
 * Asks the person; nobody answers without a terminal.
 * @param {import("@earendil-works/pi-coding-agent").ExtensionContext} context
 * @param {Answer} answer
 * @returns {Promise<boolean>}
 */
async function confirmed(context, answer) {
  if (!context.hasUI) {
    tell(context, answer.reason ?? "")
    return false
  }
  return (await context.ui.confirm("snaphook", answer.reason ?? "")) === true
}

/**
 * @param {import("@earendil-works/pi-coding-agent").ExtensionContext} context
 * @param {string} message
 */
function tell(context, message) {
  if (context.hasUI) context.ui.notify(message, "error")
  else console.error(message)
}

/**
 * A path as the tools of pi read it, in a form that has no other reading.
 * @param {string} path
 * @returns {string}
 */
function plainPath(path) {
  let plain = path.split(SPACES).join(" ")
  if (plain.startsWith("@")) plain = plain.slice(1)
  if (plain === "~" || plain.startsWith("~/")) plain = join(homedir(), plain.slice(1))
  if (plain.startsWith("file://")) plain = fileURLToPath(plain)
  if (SPACES.test(plain)) throw new Error("snaphook: pi reads this path in two ways: denied")
  return plain.startsWith("@") ? `./${plain}` : plain
}
