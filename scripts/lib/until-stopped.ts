/** Closes resources when a script ends. */

/**
 * Closes the resources on a signal, or if the parent process is gone. A parent that was killed sends no signal, but the
 * parent's process id changes.
 *
 * @returns a function that closes them at once
 */
export function untilStopped(close: () => readonly Promise<unknown>[]): () => Promise<void> {
  let closing = false
  async function shutDown() {
    if (closing) return
    closing = true
    console.log('\nStopping…')
    await Promise.allSettled(close())
    process.exit(0)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, shutDown)
  const parent = process.ppid
  setInterval(() => process.ppid !== parent && shutDown(), 1000).unref()
  return shutDown
}
