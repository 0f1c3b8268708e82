/** Closes resources when a script ends. */

/**
 * Closes the resources and exits on a signal, or after the parent process has ended. A parent that was killed sends no
 * signal, but the system then gives this process another parent.
 *
 * @returns a function that closes the resources immediately and exits with a code, 0 by default
 */
export function untilStopped(close: () => readonly Promise<unknown>[]): (exitCode?: number) => Promise<void> {
  let isClosing = false
  async function shutDown(exitCode = 0) {
    if (isClosing) return
    isClosing = true
    console.log('\nStopping…')
    await Promise.allSettled(close())
    process.exit(exitCode)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => shutDown())
  const parent = process.ppid
  setInterval(() => process.ppid !== parent && shutDown(), 1000).unref()
  return shutDown
}
