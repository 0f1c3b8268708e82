/** Ends the process in good order when it is told to, and in any case soon. */

/** Milliseconds from the first signal to the end, beside the time that running requests get. */
const REST_MS = 1_000
/** Terminal, npm and a supervisor may each pass on the same key press. */
const SAME_PRESS_MS = 300
const WATCH_MS = 500

/**
 * On SIGINT, SIGTERM, SIGHUP, and when the parent is gone, which sends no signal when it is killed outright. A second signal
 * ends the process at once.
 *
 * @param graceMs - that running requests get
 */
export function stopWhenTold(close: () => Promise<unknown>, graceMs: number): void {
  let toldAt: number | undefined
  const stop = () => {
    const now = performance.now()
    if (toldAt !== undefined) {
      if (now - toldAt > SAME_PRESS_MS) process.exit(1)
      return
    }
    toldAt = now
    setTimeout(() => process.exit(1), graceMs + REST_MS)
    close().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(error)
        process.exit(1)
      },
    )
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
  const parent = process.ppid
  setInterval(() => process.ppid !== parent && toldAt === undefined && stop(), WATCH_MS).unref()
}
