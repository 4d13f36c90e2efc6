import { homedir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** The tools of OpenClaw that take a path, in a notation that only OpenClaw uses. */
const WITH_PATH = ["read", "write", "edit", "ls"]
/** A path that OpenClaw repairs before it uses it. */
const REPAIRED = /<\/arg_value>|\.(doc|ppt|xls)x?c?odex$/i
/** A header of a patch with a path in that notation. */
const ODD_HEADER = /^\s*\*\*\* (Add File|Update File|Delete File|Move to): \s*(@|~|file:)/im
/** The longest question that OpenClaw shows. */
const LONGEST = 512
/** OpenClaw waits longer than this file, so that the model reads the reason of a failure. */
const WAIT = { timeoutMs: SETTINGS.timeout + 5000 }
/** Runs before the other plug-ins: once one of them has asked the person, the arguments can no longer be changed. */
const FIRST = { ...WAIT, priority: 1_000_000 }
/** Runs after the other plug-ins, of which the last one to change a call counts. */
const LAST = { ...WAIT, priority: -1_000_000 }

/** One process per folder, for all agents that work there. @type {Map<string, Client>} */
const clients = new Map()

/** @typedef {{ agentId?: string, sessionKey?: string, sessionId?: string, workspaceDir?: string }} Context */

/** @type {import("openclaw/plugin-sdk/plugin-entry").OpenClawPluginDefinition} */
export default {
  id: "snaphook",
  name: "snaphook",
  description: "Asks snaphook about each tool call and prompt.",
  register(api) {
    /** The folder of each session, where OpenClaw names it. @type {Map<string, string>} */
    const folders = new Map()
    /** The text that the model gets with each prompt of a session. @type {Map<string, Promise<string | undefined>>} */
    const started = new Map()

    /** @type {(context: Context) => string} */
    const sessionOf = ({ sessionKey, sessionId }) => sessionKey ?? sessionId ?? ""
    /** Calls without an id are told apart by their text. @type {(event: { toolCallId?: string }, context: Context) => string} */
    const callOf = (event, context) => JSON.stringify([sessionOf(context), event.toolCallId ?? event])
    /** @type {(context: Context) => Client} */
    const snaphook = (context) => {
      if (context.workspaceDir) folders.set(sessionOf(context), context.workspaceDir)
      const { resolveAgentWorkspaceDir } = api.runtime.agent
      const folder = folders.get(sessionOf(context)) ?? resolveAgentWorkspaceDir(api.config, context.agentId ?? "main")
      const client = clients.get(folder) ?? new Client(folder)
      clients.set(folder, client)
      return client
    }

    /** The arguments that snaphook changed, until all plug-ins have seen the call. @type {Map<string, Record<string, unknown>>} */
    const changes = new Map()

    api.on(
      "before_tool_call",
      async (event, context) => {
        // A call id may be reused.
        changes.delete(callOf(event, context))
        try {
          const input = plain(event)
          const params = { session: sessionOf(context), call: event.toolCallId, tool: event.toolKind ?? event.toolName }
          const accepted = ["pass", "allow", "ask"]
          const answer = await snaphook(context).gate("before_tool_call", { ...params, input }, accepted)
          const changed = answer.input ?? (input === event.params ? undefined : input)
          if (changed) changes.set(callOf(event, context), changed)
          return {
            ...(changed && { params: changed }),
            ...(answer.verdict === "ask" && { requireApproval: question(answer.reason ?? "", api.logger) }),
          }
        } catch (error) {
          return { block: true, blockReason: messageOf(error) }
        }
      },
      FIRST,
    )

    api.on(
      "before_tool_call",
      (event, context) => {
        const call = callOf(event, context)
        const params = changes.get(call)
        changes.delete(call)
        return params && { params }
      },
      LAST,
    )

    api.registerAgentToolResultMiddleware(
      async (event, context) => {
        const { toolCallId: call, toolName: tool, args: input, isError } = event
        const text = event.result.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")
        const result = { text, is_error: isError === true }
        const params = { session: sessionOf(context), call, tool, input, result }
        const answer = await snaphook(context).report("agentToolResultMiddleware", params)
        if (!answer?.result && !answer?.context) return undefined
        /** @type {typeof event.result.content} */
        const content = answer.result ? [{ type: "text", text: answer.result.text }] : [...event.result.content]
        if (answer.context) content.push({ type: "text", text: answer.context })
        return { result: { ...event.result, content } }
      },
      { runtimes: ["openclaw"] },
    )

    api.on(
      "before_agent_run",
      async (event, context) => {
        try {
          await snaphook(context).gate("before_agent_run", { session: sessionOf(context), prompt: event.prompt })
          return { outcome: "pass" }
        } catch (error) {
          return { outcome: "block", reason: messageOf(error), message: messageOf(error) }
        }
      },
      WAIT,
    )

    api.on(
      "before_prompt_build",
      async (_, context) => {
        const session = sessionOf(context)
        const ask = async () => (await snaphook(context).report("before_prompt_build", { session }))?.context
        if (!started.has(session)) started.set(session, ask())
        const text = await started.get(session)
        return text ? { appendSystemContext: text } : undefined
      },
      WAIT,
    )

    api.on("gateway_stop", () => {
      for (const client of clients.values()) client.close()
      clients.clear()
    })
  },
}

/**
 * The question to the person, whose answer is about this call only. Without a person OpenClaw refuses in its own words.
 * @param {string} reason
 * @param {{ warn(message: string): void }} logger
 */
function question(reason, logger) {
  const description = reason.length > LONGEST ? `${reason.slice(0, LONGEST - 1)}…` : reason
  const allowedDecisions = /** @type {("allow-once" | "deny")[]} */ (["allow-once", "deny"])
  const onResolution = (/** @type {string} */ decision) => {
    if (decision !== "allow-once") logger.warn(`${decision}: ${reason}`)
  }
  return { title: "snaphook", description, severity: /** @type {const} */ ("warning"), allowedDecisions, onResolution }
}

/** @param {unknown} error */
function messageOf(error) {
  return error instanceof Error ? error.message : String(error)
}

/**
 * The arguments of a call, with its path in a form that has no other reading.
 * @param {{ toolName: string, params: Record<string, unknown> }} event
 * @returns {Record<string, unknown>}
 */
function plain({ toolName, params }) {
  if (toolName === "apply_patch" && ODD_HEADER.test(String(params.input))) {
    throw new Error("snaphook: OpenClaw reads a path of this patch in another way: denied")
  }
  if (!WITH_PATH.includes(toolName) || typeof params.path !== "string") return params
  const path = plainPath(params.path)
  return path === params.path ? params : { ...params, path }
}

/**
 * @param {string} path
 * @returns {string}
 */
function plainPath(path) {
  let plain = path.startsWith("@") ? path.slice(1) : path
  if (plain === "~" || plain.startsWith("~/")) plain = join(homedir(), plain.slice(1))
  if (plain.startsWith("file://")) plain = fileURLToPath(plain)
  if (REPAIRED.test(plain)) throw new Error("snaphook: OpenClaw reads this path in two ways: denied")
  return plain.startsWith("@") ? `./${plain}` : plain
}
