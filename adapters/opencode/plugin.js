/** The tools whose own permission the agent asks for, by the name of the permission. */
const ASKED = ["bash", "edit", "glob", "grep", "list", "read", "skill", "task", "todowrite", "webfetch", "websearch"]
/** The number of calls that are remembered until they end. */
const MOST_CALLS = 1000

/** @type {import("@opencode-ai/plugin").Plugin} */
export const Snaphook = async ({ client, directory }) => {
  const snaphook = new Client(directory)
  /** The calls that were let pass and have not ended, by id. @type {Map<string, { tool: string, input: any }>} */
  const calls = new Map()
  /** The text that the model gets in each session: since its start, and since the last prompt. */
  const started = /** @type {Map<string, Promise<string | undefined>>} */ (new Map())
  const prompted = /** @type {Map<string, string>} */ (new Map())
  /** The agent and model of the last prompt. @type {Map<string, { agent: string, model: any }>} */
  const last = new Map()
  /** The sessions that an answer made continue, and those of sub-agents. @type {Set<string>} */
  const continued = new Set()
  /** @type {Set<string>} */
  const children = new Set()

  /** @type {(title: string, message: string) => void} */
  const show = (title, message) => {
    const body = { title, message, variant: /** @type {const} */ ("error") }
    client.tui.showToast({ body, query: { directory } }).catch(() => {})
  }

  /** @type {(session: string) => Promise<void>} */
  const ended = async (session) => {
    if (children.has(session)) return
    const answer = await snaphook.report("session.idle", {
      session,
      again: continued.delete(session),
    })
    if (answer?.verdict !== "continue") return
    continued.add(session)
    const body = {
      ...last.get(session),
      parts: [{ type: /** @type {const} */ ("text"), text: answer.reason ?? "" }],
    }
    await client.session.promptAsync({
      path: { id: session },
      body,
      query: { directory },
    })
  }

  /** @type {(asked: any) => Promise<void>} */
  const permission = async (asked) => {
    const call = calls.get(asked.tool?.callID)
    if (!call || !ASKED.includes(asked.permission)) return
    const params = {
      session: asked.sessionID,
      call: asked.tool.callID,
      ...call,
    }
    const answer = await snaphook.report("permission.asked", params)
    const response = { allow: "once", deny: "reject" }[answer?.verdict ?? ""]
    if (!response) return
    const body = { response: /** @type {"once" | "reject"} */ (response) }
    const path = { id: asked.sessionID, permissionID: asked.id }
    await client.postSessionIdPermissionsPermissionId({
      path,
      body,
      query: { directory },
    })
  }

  return {
    dispose: async () => snaphook.close(),

    "tool.execute.before": async ({ tool, sessionID, callID }, { args }) => {
      const params = { session: sessionID, call: callID, tool, input: args }
      const answer = await snaphook.gate("tool.execute.before", params)
      if (answer.input) become(args, answer.input)
      calls.set(callID, { tool, input: args })
      for (const id of calls.keys()) if (calls.size > MOST_CALLS) calls.delete(id)
    },

    "tool.execute.after": async ({ tool, sessionID, callID, args }, output) => {
      calls.delete(callID)
      const result = { text: textOf(output), is_error: false }
      const params = {
        session: sessionID,
        call: callID,
        tool,
        input: args,
        result,
      }
      const answer = await snaphook.report("tool.execute.after", params)
      if (answer?.result) setText(output, answer.result.text)
      if (answer?.context) setText(output, `${textOf(output)}\n\n${answer.context}`)
    },

    "chat.message": async ({ sessionID }, { message, parts }) => {
      prompted.delete(sessionID)
      last.set(sessionID, { agent: message.agent, model: message.model })
      const written = parts.filter((part) => part.type === "text").filter((part) => !part.synthetic)
      const prompt = written.map((part) => part.text).join("\n")
      const answer = await snaphook.gate("chat.message", { session: sessionID, prompt }).catch((error) => {
        show("The prompt was denied", error.message)
        throw error
      })
      if (answer.context) prompted.set(sessionID, answer.context)
      if (answer.prompt === undefined) return
      const [first, ...others] = written
      if (!first) throw new Error("snaphook: the prompt has no text that could be changed: denied")
      first.text = answer.prompt
      for (const part of others) part.text = ""
    },

    "experimental.chat.system.transform": async ({ sessionID }, { system }) => {
      if (!sessionID) return
      const start = async () =>
        (
          await snaphook.report("experimental.chat.system.transform", {
            session: sessionID,
          })
        )?.context
      if (!started.has(sessionID)) started.set(sessionID, start())
      for (const text of [await started.get(sessionID), prompted.get(sessionID)]) if (text) system.push(text)
    },

    event: async ({ event }) => {
      const { type, properties } = /** @type {{ type: string, properties: any }} */ (event)
      try {
        if (type === "session.created" && properties.info?.parentID) children.add(properties.info.id)
        if (type === "permission.asked") await permission(properties)
        if (type === "session.idle") await ended(properties.sessionID)
      } catch {
        // The person answers the question, or the turn ends.
      }
    },
  }
}

/**
 * The text of a result, which is an MCP result for tools of MCP servers.
 * @param {any} output
 * @returns {string}
 */
function textOf(output) {
  if (typeof output.output === "string") return output.output
  const content = Array.isArray(output.content) ? output.content : []
  return content.flatMap((/** @type {any} */ part) => (part.type === "text" ? [part.text] : [])).join("\n")
}

/**
 * @param {any} output
 * @param {string} text
 */
function setText(output, text) {
  if (typeof output.output === "string") output.output = text
  else become(output, { content: [{ type: "text", text }] })
}
