/** Records benchmark results, and reads recorded ones. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import { join } from 'node:path'

/** Returns the commit that is checked out in a folder. */
export const shortCommit = (cwd = import.meta.dirname) =>
  execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd, encoding: 'utf8' }).trim()

const fileOf = (name: string) => join(import.meta.dirname, 'results', `${name}.json`)

/**
 * Writes `results/<name>.json`: the figures, with the machine, the commit, and the date of the measurement.
 *
 * @param options - `isPrinted` is false to write without printing the result
 */
export function record(name: string, figures: object, { isPrinted = true } = {}): void {
  const result = {
    date: new Date().toISOString().slice(0, 10),
    commit: shortCommit(),
    machine: {
      cpu: cpus()[0]?.model,
      cores: cpus().length,
      memoryGB: Math.round(totalmem() / 2 ** 30),
      node: process.version,
      // Load average of the last minute. If it is well above the number of cores, other processes were running.
      loadAverage: Number(loadavg()[0]!.toFixed(1)),
    },
    ...figures,
  }
  const text = `${JSON.stringify(result, null, 2)}\n`
  writeFileSync(fileOf(name), text)
  if (isPrinted) console.log(text)
}

/** Returns the last recorded result; undefined if nothing was recorded. */
export function lastRecord<T>(name: string): T | undefined {
  return existsSync(fileOf(name)) ? (JSON.parse(readFileSync(fileOf(name), 'utf8')) as T) : undefined
}

export const rounded = (value: number, digits = 1) => Number(value.toFixed(digits))
