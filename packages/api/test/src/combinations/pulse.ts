/** Measures how much a busy machine contributes to response times. */
import { readdirSync, readFileSync } from 'node:fs'

const PULSE_MS = 100
/** Maximum response time of `/health`; if it is slower, the machine is busy. */
const QUICK_MS = 200

type Beat = { readonly at: number; readonly ms: number; readonly waitedMs: number }

/** Samples `/health` and the service's wait for CPU cores, to attribute slow requests to the service or the machine. */
export class Pulse {
  private readonly url: string
  private readonly pid: number
  private readonly timer: NodeJS.Timeout
  private readonly beats: Beat[] = []

  /** @param pid - process id of the service */
  constructor(url: string, pid: number) {
    this.url = url
    this.pid = pid
    this.timer = setInterval(() => void this.beat(), PULSE_MS)
  }

  /** Returns true if the median sample since a time was quick, or if there was none: a hanging service must not be excused. */
  wasQuick(since: number): boolean {
    const beats = this.beats.filter(({ at }) => at >= since).map(({ ms }) => ms)
    beats.sort((a, b) => a - b)
    return (beats[Math.floor(beats.length / 2)] ?? 0) < QUICK_MS
  }

  /** Returns the milliseconds since a time that runnable threads of the service waited for a core. */
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

/** Returns the run-queue wait of all threads of a process in milliseconds; 0 if the system does not report it (schedstat). */
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
