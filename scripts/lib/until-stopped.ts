/** Closes resources when a script ends. */

/**
 * Closes the resources on a signal, or if the parent process is gone. A parent that was killed sends no signal, but
 * then the process gets another parent.
 *
 * @returns a function that closes them immediately
 */
export function untilStopped(close: () => readonly Promise<unknown>[]): () => Promise<void> {
  let isClosing = false
  async function shutDown() {
    if (isClosing) return
    isClosing = true
    console.log('\nStopping…')
    await Promise.allSettled(close())
    process.exit(0)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, shutDown)
  const parent = process.ppid
  setInterval(() => process.ppid !== parent && shutDown(), 1000).unref()
  return shutDown
}
