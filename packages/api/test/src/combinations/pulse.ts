/** Part of the machine in how long an answer takes. */
import { readdirSync, readFileSync } from 'node:fs'

const PULSE_MS = 100
/** Time of `/health`, asked beside: slower, and it is the machine that is slow. */
const QUICK_MS = 200

type Beat = { readonly at: number; readonly ms: number; readonly waitedMs: number }

/** Asks for `/health` all the while, and how long the service waited for a core: what is slow beside it is slow by itself. */
export class Pulse {
  private readonly url: string
  private readonly pid: number
  private readonly timer: NodeJS.Timeout
  private readonly beats: Beat[] = []

  /** @param pid - of the service */
  constructor(url: string, pid: number) {
    this.url = url
    this.pid = pid
    this.timer = setInterval(() => void this.beat(), PULSE_MS)
  }

  /** True of most beats since then; a service that does not answer at all is not excused. */
  wasQuick(since: number): boolean {
    const beats = this.beats.filter(({ at }) => at >= since).map(({ ms }) => ms)
    beats.sort((a, b) => a - b)
    return (beats[Math.floor(beats.length / 2)] ?? 0) < QUICK_MS
  }

  /** Milliseconds since then for which threads of the service had work to do, and other processes had the cores. */
  waited(since: number): number {
    const before = this.beats.findLast(({ at }) => at <= since) ?? this.beats[0]
    return before ? Math.max(0, waitedMs(this.pid) - before.waitedMs) : 0
  }

  stop(): void {
    clearInterval(this.timer)
  }

  private async beat(): Promise<void> {
    const at = performance.now()
    const waited = waitedMs(this.pid)
    await fetch(`${this.url}/health`).then(
      (answer) => answer.arrayBuffer(),
      () => {},
    )
    this.beats.push({ at, ms: performance.now() - at, waitedMs: waited })
    if (this.beats.length > 1_000) this.beats.shift()
  }
}

/** Waiting time of all threads of a process that can run and may not; 0 where the system does not tell. @see proc-schedstat of Linux */
function waitedMs(pid: number): number {
  try {
    const threads = readdirSync(`/proc/${pid}/task`)
    const waits = threads.map((thread) =>
      Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[1]),
    )
    return waits.reduce((sum, ns) => sum + ns, 0) / 1e6
  } catch {
    return 0
  }
}
