/** Locks between the processes of one machine, as files with the process id of the holder. */
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'

/**
 * Age after which a lock counts as abandoned. No work under a lock takes that long. The check of the holder's process
 * id is not enough, because the system can give the id of an ended process to another one.
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
    if (!isHolderAlive(path)) rmSync(path, { force: true })
    return false
  }
}

function isHolderAlive(path: string): boolean {
  try {
    if (Date.now() - statSync(path).mtimeMs > STALE_MS) return false
    const pid = Number(readFileSync(path, 'utf8'))
    // An empty file: the holder has created the file, but not yet written its id.
    if (pid === 0) return true
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: the holder is alive but belongs to another user. ESRCH: it has ended. ENOENT: it has removed its lock.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
