/** Locks between processes of one machine. */
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'

/**
 * Age after which a lock is stale: more than any work under a lock takes. An age limit is needed because the system can
 * give the id of an ended holder to another process.
 */
const STALE_MS = 300_000

/**
 * Runs `work` while no other process of this machine holds the lock. Takes over the lock of a process that has ended.
 */
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
    // An empty file means that the holder has created but not yet written it.
    if (pid === 0) return true
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: the process lives but belongs to another user. ENOENT or ESRCH: it has ended.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
