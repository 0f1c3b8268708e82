import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'

/** Longer than any work under a lock takes: process numbers come round again. */
const STALE_MS = 300_000

/** Runs `work` while no other process of this machine does. A lock whose holder is gone is taken over. */
export async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  while (!acquire(path)) await new Promise((resolve) => setTimeout(resolve, 200))
  try {
    return await work()
  } finally {
    rmSync(path, { force: true })
  }
}

function acquire(path: string): boolean {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    if (!holderLives(path)) rmSync(path, { force: true })
    return false
  }
}

function holderLives(path: string): boolean {
  try {
    if (Date.now() - statSync(path).mtimeMs > STALE_MS) return false
    const pid = Number(readFileSync(path, 'utf8'))
    // An empty file is a holder between creating and writing.
    if (pid === 0) return true
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: it lives but belongs to someone else. ENOENT or ESRCH: it is gone.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
