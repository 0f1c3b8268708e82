/**
 * Closes what runs when this process is told to end, or when its parent is gone: one that was killed outright sends no signal,
 * but being handed to another parent tells of it.
 *
 * @returns ends at once what a signal would end
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
