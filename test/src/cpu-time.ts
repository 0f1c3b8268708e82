/** Records the CPU time of each test file, including ended child processes, in the metadata of the file. */
import { readFileSync } from 'node:fs'
import { afterAll } from 'vitest'

/** Unit of CPU times in Linux's `/proc`. */
const TICKS_PER_SECOND = 100

function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000 + childrenMs()
}

/** Returns the CPU time of ended children in milliseconds; 0 if there is no `/proc`. */
function childrenMs(): number {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8')
    // Fields after the command's name, which may contain spaces. cutime and cstime are the 16th and 17th fields of the
    // line.
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
