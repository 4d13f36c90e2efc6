import { spawn } from "node:child_process"

/**
 * @typedef {{ verdict: string, reason?: string, input?: Record<string, unknown>, result?: { text: string },
 *   prompt?: string, context?: string, notice?: string }} Answer
 * @typedef {{ id?: number, result?: any, error?: { message?: string } }} Line
 * @typedef {{ resolve(result: any): void, reject(error: Error): void, timer: NodeJS.Timeout }} Waiting
 * @typedef {{ process: import("node:child_process").ChildProcessWithoutNullStreams, waiting: Map<number, Waiting>,
 *   last: number, said: string, ready: Promise<void> }} Connection
 */

/** The version of the protocol between this file and the program. */
const PROTOCOL = "1"
/** The program is started at most this often within this time. */
const MOST_STARTS = 5
const WITHIN_MS = 30_000

/** Sends events to one process of snaphook, which is started with the first event and again after it ended. */
class Client {
  /** @param {string} folder the folder of the session */
  constructor(folder) {
    this.folder = folder
    /** @type {Connection | undefined} */
    this.connection = undefined
    /** @type {number[]} */
    this.starts = []
  }

  /**
   * Asks about an event that an answer can block. Everything but an answer with an accepted verdict is an error.
   * @param {string} event
   * @param {Record<string, unknown>} params
   * @param {string[]} accepted
   * @returns {Promise<Answer>}
   */
  async gate(event, params, accepted = ["pass", "allow"]) {
    let answer
    try {
      answer = await this.call(event, params)
    } catch (error) {
      throw new Error(`snaphook: ${error instanceof Error ? error.message : error}: denied`)
    }
    if (accepted.includes(answer?.verdict)) return answer
    throw new Error(answer?.reason ?? "snaphook: the answer has no verdict: denied")
  }

  /**
   * Reports an event that no answer can block. A failure is no answer.
   * @param {string} event
   * @param {Record<string, unknown>} params
   * @returns {Promise<Answer | undefined>}
   */
  async report(event, params) {
    try {
      return await this.call(event, params)
    } catch {
      return undefined
    }
  }

  /** Ends the process. */
  close() {
    this.connection?.process.stdin.end()
    this.connection = undefined
  }

  /**
   * @param {string} event
   * @param {Record<string, unknown>} params
   */
  async call(event, params) {
    const connection = this.connection ?? this.start()
    await connection.ready
    return this.send(connection, event, { directory: this.folder, ...params })
  }

  /** @returns {Connection} */
  start() {
    const now = Date.now()
    this.starts = this.starts.filter((start) => now - start < WITHIN_MS)
    if (this.starts.length >= MOST_STARTS) {
      throw new Error(`the program ended ${MOST_STARTS} times within ${WITHIN_MS / 1000} s`)
    }
    this.starts.push(now)
    const [program, ...words] = SETTINGS.command
    const process = spawn(program ?? "", words, {
      cwd: this.folder,
      stdio: "pipe",
    })
    /** @type {Connection} */
    const connection = {
      process,
      waiting: new Map(),
      last: 0,
      said: "",
      ready: Promise.resolve(),
    }
    this.connection = connection
    const fail = (/** @type {string} */ why) => this.fail(connection, why)
    let rest = ""
    process.stdout.setEncoding("utf8").on("data", (text) => {
      const lines = (rest + text).split("\n")
      rest = lines.pop() ?? ""
      for (const line of lines) this.read(connection, line)
    })
    process.stderr.setEncoding("utf8").on("data", (text) => (connection.said = (connection.said + text).slice(-500)))
    process.stdin.on("error", (error) => fail(error.message))
    process.on("error", (error) => fail(error.message))
    process.on("close", () => fail(`the program ended ${connection.said.trim()}`.trim()))
    connection.ready = this.send(connection, "hello", {
      protocol: PROTOCOL,
    }).then((hello) => {
      if (hello?.protocol === PROTOCOL) return
      const why = "the program and this file belong to different versions; run snaphook install"
      fail(why)
      throw new Error(why)
    })
    connection.ready.catch(() => {})
    return connection
  }

  /**
   * @param {Connection} connection
   * @param {string} method
   * @param {Record<string, unknown>} params
   * @returns {Promise<any>}
   */
  send(connection, method, params) {
    return new Promise((resolve, reject) => {
      const id = ++connection.last
      const line = `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`
      const late = () => this.fail(connection, `no answer within ${SETTINGS.timeout} ms`)
      connection.waiting.set(id, {
        resolve,
        reject,
        timer: setTimeout(late, SETTINGS.timeout),
      })
      hold(connection)
      connection.process.stdin.write(line)
    })
  }

  /**
   * @param {Connection} connection
   * @param {string} line
   */
  read(connection, line) {
    /** @type {Line} */
    let message
    try {
      message = JSON.parse(line)
    } catch {
      return this.fail(connection, "the program wrote an unreadable answer")
    }
    const id = message?.id ?? 0
    const waiting = connection.waiting.get(id)
    if (!waiting) return
    connection.waiting.delete(id)
    clearTimeout(waiting.timer)
    hold(connection)
    if (message.error) waiting.reject(new Error(message.error.message ?? "the program refused the event"))
    else waiting.resolve(message.result)
  }

  /**
   * Ends a connection and every call that waits on it.
   * @param {Connection} connection
   * @param {string} why
   */
  fail(connection, why) {
    if (this.connection === connection) this.connection = undefined
    for (const waiting of connection.waiting.values()) {
      clearTimeout(waiting.timer)
      waiting.reject(new Error(why))
    }
    connection.waiting.clear()
    connection.process.kill("SIGKILL")
    hold(connection)
  }
}

/**
 * Keeps the host's process alive while a call waits, and no longer.
 * @param {Connection} connection
 */
function hold({ process, waiting }) {
  for (const handle of [process, process.stdin, process.stdout, process.stderr]) {
    const held = /** @type {{ ref?(): void, unref?(): void }} */ (/** @type {unknown} */ (handle))
    if (waiting.size > 0) held.ref?.()
    else held.unref?.()
  }
}

/**
 * Gives an object the members of another one, so that everyone who holds it sees them.
 * @param {Record<string, unknown>} object
 * @param {Record<string, unknown>} members
 */
function become(object, members) {
  for (const name of Object.keys(object)) if (!Object.hasOwn(members, name)) delete object[name]
  for (const [name, value] of Object.entries(members)) {
    Object.defineProperty(object, name, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    })
  }
}
