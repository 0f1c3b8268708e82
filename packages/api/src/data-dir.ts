/** Selects and locks the data directory, which keeps known pools between runs. */
import { randomUUID } from 'node:crypto'
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, platform } from 'node:os'
import { join } from 'node:path'
import { makeDirectory } from '@sluice/chains'
import type { Config } from './config.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Returns the default data directory, by the convention of the operating system (Linux: XDG, macOS, Windows). */
export function defaultDataDir(env: Environment, system: string = platform(), home: string = homedir()): string {
  if (system === 'darwin') return join(home, 'Library', 'Application Support', 'sluice')
  if (system === 'win32') return join(env.LOCALAPPDATA || join(home, 'AppData', 'Local'), 'sluice')
  return join(env.XDG_DATA_HOME || join(home, '.local', 'share'), 'sluice')
}

/** Result of `lockDataDir`. */
export type DataDirectory = {
  /** Configuration for the service. Its `dataDir` is locked by this process, or absent. */
  readonly config: Config
  /** Reason why the directory cannot be used. Absent if it is used, or if no directory is wanted. */
  readonly reason?: string
  /** Releases the lock. */
  readonly release: () => void
}

const releaseNothing = () => {}

/**
 * Locks the data directory (`DATA_DIR` or the default) and returns the configuration with it. The returned
 * configuration has no directory if `DATA_DIR` is empty, if `REDIS_URL` is set without `DATA_DIR`, or if the directory
 * cannot be used.
 */
export function lockDataDir(config: Config, env: Environment = process.env): DataDirectory {
  const isNamed = config.dataDir !== undefined
  if (!isNamed && (env.DATA_DIR !== undefined || config.redisUrl !== undefined))
    return { config, release: releaseNothing }
  const dataDir = config.dataDir ?? defaultDataDir(env)
  try {
    const release = lock(dataDir)
    // The quote log is large. So the default directory gets one only if `QUOTE_LOG_MB` is set.
    const quoteLogMb = isNamed || env.QUOTE_LOG_MB ? config.quoteLogMb : 0
    return { config: { ...config, dataDir, quoteLogMb }, release }
  } catch (error) {
    const { dataDir: _, ...configWithoutDataDir } = config
    return {
      config: configWithoutDataDir as Config,
      reason: `${dataDir}: ${(error as Error).message}`,
      release: releaseNothing,
    }
  }
}

/**
 * Locks a directory.
 *
 * @returns a function that releases it
 * @throws Error if another process holds the lock, or on I/O errors
 */
function lock(dir: string): () => void {
  makeDirectory(dir)
  const path = join(dir, 'lock')
  const uniquePath = `${path}.${process.pid}.${randomUUID()}`
  for (let attempt = 0; ; attempt++) {
    try {
      createLock(path, uniquePath)
      return () => rmSync(path, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      const ownerPid = ownerOf(path) ?? removeStaleLock(path, uniquePath)
      if (ownerPid !== null || attempt > 0) throw new Error(`in use by process ${ownerPid}`)
    }
  }
}

/**
 * Creates a lock file at `path` with the process id in it. Writes `uniquePath` and links it to `path`, so that no other
 * process sees an empty lock file. @throws Error `EEXIST`
 */
function createLock(path: string, uniquePath: string): void {
  try {
    writeFileSync(uniquePath, String(process.pid))
    linkSync(uniquePath, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error
    // Some file systems have no hard links.
    writeFileSync(path, String(process.pid), { flag: 'wx' })
  } finally {
    rmSync(uniquePath, { force: true })
  }
}

/**
 * Removes a stale lock. Renames it first: if several processes try, only one rename succeeds. Then reads its owner again,
 * because another process may have replaced the stale lock in the meantime.
 *
 * @returns the process that holds the lock now; null if the lock is removed
 */
function removeStaleLock(path: string, uniquePath: string): number | null {
  try {
    renameSync(path, uniquePath)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  const ownerPid = ownerOf(uniquePath)
  if (ownerPid === null) rmSync(uniquePath, { force: true })
  else renameSync(uniquePath, path)
  return ownerPid
}

/** Returns the id of the process that holds a lock; null if that process has ended or the lock is gone. */
function ownerOf(path: string): number | null {
  const pid = Number(readOrEmpty(path))
  // In a container each run may get the same process id. So a lock with the id of this process is from an earlier run.
  if (!Number.isSafeInteger(pid) || pid <= 0 || pid === process.pid) return null
  try {
    process.kill(pid, 0)
    return pid
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' ? pid : null
  }
}

/** Reads a file. Returns '' if it does not exist. */
function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}
