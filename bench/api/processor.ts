/** Processor time of processes, as the kernel counts it (Linux). */
import { readdirSync, readFileSync } from 'node:fs'

/** A tick of /proc/<pid>/stat. */
const TICK_MS = 10

/** Processor time of a process so far, all its threads together, those that have ended too. */
export function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}

/** Process of a local node, which is told its port on its command line. */
export function nodeOfPort(port: number): number {
  const told = `\0--port\0${port}\0`
  const found = readdirSync('/proc').find((name) => /^\d+$/.test(name) && commandLineOf(name).includes(told))
  if (!found) throw new Error(`no process was started with --port ${port}`)
  return Number(found)
}

function commandLineOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    // It ended meanwhile.
    return ''
  }
}
