/**
 * Setup file of vitest. Adds the CPU time of each test file, including ended child processes, to the file's metadata.
 */
import { readFileSync } from 'node:fs'
import { afterAll } from 'vitest'

/** Linux's unit of CPU times in `/proc`: a hundredth of a second. */
const TICKS_PER_SECOND = 100

function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000 + childrenMs()
}

/** Returns the CPU time of ended children in milliseconds; 0 if there is no `/proc`. */
function childrenMs(): number {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8')
    // Skips the command's name, which may contain spaces. Then cutime and cstime, the 16th and 17th fields of the line,
    // have the indices 13 and 14.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return ((Number(fields[13]) + Number(fields[14])) * 1_000) / TICKS_PER_SECOND
  } catch {
    return 0
  }
}

const cpuMsBefore = cpuMs()
// biome-ignore lint/correctness/noEmptyPattern: vitest requires a destructured first parameter.
afterAll(({}, suite) => {
  Object.assign(suite.file.meta, { cpuMs: Math.round(cpuMs() - cpuMsBefore) })
})
