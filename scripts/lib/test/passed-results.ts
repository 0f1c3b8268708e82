/** Stores the results of groups of tests that passed, by the key of the group (see `groups.ts`). */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Skip } from '../../../test/src/summary.ts'

/** Counts of a group without failed tests, and the reasons for its skipped tests. */
export type PassedResult = { readonly passed: number; readonly skipped: number; readonly skips: readonly Skip[] }

/**
 * Maximum number of stored results: enough for about twenty states of the repository. The least recently used results
 * are deleted.
 */
const MAX_RESULTS = 500

export class PassedResults {
  readonly #folder: string
  readonly #max: number

  /** @param folder - folder of the stored results, which is created if it does not exist */
  constructor(folder: string, max = MAX_RESULTS) {
    this.#folder = folder
    this.#max = max
    mkdirSync(folder, { recursive: true })
  }

  /** Returns the result of a key, and marks it as used; undefined if there is none, or if its file cannot be read. */
  get(key: string): PassedResult | undefined {
    const path = this.#pathOf(key)
    try {
      const result = JSON.parse(readFileSync(path, 'utf8')) as PassedResult
      const now = new Date()
      utimesSync(path, now, now)
      return result
    } catch {
      return undefined
    }
  }

  set(key: string, result: PassedResult): void {
    const path = this.#pathOf(key)
    const draft = `${path}.${process.pid}`
    writeFileSync(draft, JSON.stringify(result))
    renameSync(draft, path)
    this.#dropUnused()
  }

  #dropUnused(): void {
    const paths = readdirSync(this.#folder).map((name) => join(this.#folder, name))
    const byUse = paths
      .map((path) => ({ path, used: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
      .sort((a, b) => b.used - a.used)
    for (const { path } of byUse.slice(this.#max)) rmSync(path, { force: true })
  }

  #pathOf(key: string): string {
    return join(this.#folder, `${key}.json`)
  }
}
