// Loads a plug-in as its agent does, with a program that plays snaphook.
import { mkdtempSync, readFileSync, writeFileSync, existsSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"

const written = process.env.SNAPHOOK_PLUGIN ?? ""

export class Place {
  /** @param {string} mode @param {Record<string, unknown>} answers */
  constructor(mode, answers = {}) {
    this.folder = mkdtempSync(join(tmpdir(), "plugin-"))
    this.mode = mode
    this.answers(answers)
  }

  answers(answers) {
    writeFileSync(join(this.folder, "answers.json"), JSON.stringify({ answers }))
  }

  /** The events that the program got. */
  events() {
    return this.lines("events").map((line) => JSON.parse(line))
  }

  starts() {
    return this.lines("starts").length
  }

  lines(name) {
    const path = join(this.folder, name)
    return existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : []
  }

  /** Imports the installed file with other settings. Any program but a silent one gets the time that a busy machine needs. */
  async load(command, timeout = this.mode === "silent" ? 1000 : 20_000) {
    const fake = [process.execPath, join(import.meta.dirname, "fake.mjs"), this.mode, this.folder]
    const settings = `const SETTINGS = ${JSON.stringify({ command: command ?? fake, timeout })}`
    const text = readFileSync(written, "utf8").replace(/^const SETTINGS = .*$/m, () => settings)
    const path = join(this.folder, `plugin${written.slice(written.lastIndexOf("."))}`)
    writeFileSync(path, text)
    return import(pathToFileURL(path).href)
  }
}

/** The installed file as it is. */
export const installed = () => import(pathToFileURL(written).href)
