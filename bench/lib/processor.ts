/** Reads the processor time and memory of processes from `/proc` (Linux). */
import { readdirSync, readFileSync } from 'node:fs'
import { rounded } from '../record.ts'

/** Milliseconds per tick. Times in `/proc/<pid>/stat` are in ticks. */
const TICK_MS = 10

/** Returns the processor time of a process in milliseconds, including all running and ended threads. */
export function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}

/** Bytes per page. Sizes in `/proc/<pid>/statm` are in pages. */
const PAGE_BYTES = 4_096

/** Returns the resident memory of a process in MB. */
export function memoryMB(pid: number): number {
  return rounded((Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * PAGE_BYTES) / 1e6)
}

/** Returns the process id of a local node, found by the port on its command line. */
export function nodeProcessIdOf(port: number): number {
  const portArgument = `\0--port\0${port}\0`
  const processId = readdirSync('/proc').find(
    (name) => /^\d+$/.test(name) && commandLineOf(name).includes(portArgument),
  )
  if (!processId) throw new Error(`no process was started with --port ${port}`)
  return Number(processId)
}

function commandLineOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    // The process ended after the folder was listed.
    return ''
  }
}
