/** Closes resources when a script ends. */

/**
 * Closes the resources on a signal, or if the parent process is gone. A parent that was killed sends no signal, but
 * then the process gets another parent.
 *
 * @returns a function that closes them immediately and exits with the given code
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
