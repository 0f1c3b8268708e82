/** Records the CPU time of each test file, with that of the processes it started and waited for, in the metadata of the file. */
import { readFileSync } from 'node:fs'
import { afterAll } from 'vitest'

/** Clock ticks of Linux in a second, as `/proc` counts them. */
const TICKS = 100

function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000 + childrenMs()
}

/** CPU time of children that have ended; 0 where there is no `/proc`. */
function childrenMs(): number {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8')
    // Fields after the name of the command, which may hold spaces: cutime and cstime are the 16th and 17th of all.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return ((Number(fields[13]) + Number(fields[14])) * 1_000) / TICKS
  } catch {
    return 0
  }
}

const before = cpuMs()
// biome-ignore lint/correctness/noEmptyPattern: vitest wants a pattern in front of the suite
afterAll(({}, suite) => {
  Object.assign(suite.file.meta, { cpuMs: Math.round(cpuMs() - before) })
})
