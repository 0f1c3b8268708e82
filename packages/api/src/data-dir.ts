/** Selects and locks the data directory, which keeps known pools between runs. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, platform } from 'node:os'
import { join } from 'node:path'
import type { Config } from './config.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Returns the default data directory, by the convention of the operating system (Linux: XDG, macOS, Windows). */
export function defaultDataDir(env: Environment, system: string = platform(), home: string = homedir()): string {
  if (system === 'darwin') return join(home, 'Library', 'Application Support', 'sluice')
  if (system === 'win32') return join(env.LOCALAPPDATA || join(home, 'AppData', 'Local'), 'sluice')
  return join(env.XDG_DATA_HOME || join(home, '.local', 'share'), 'sluice')
}

/** Configuration, with a data directory that is locked or with none. */
export type DataDirectory = {
  readonly config: Config
  /** Why the directory cannot be used; absent if it is used, and if no directory is configured. */
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
    // The quote log is large. So in the default directory it is only written if `QUOTE_LOG_MB` is set.
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
  mkdirSync(dir, { recursive: true })
  const path = join(dir, 'lock')
  for (let attempt = 0; ; attempt++) {
    try {
      writeFileSync(path, String(process.pid), { flag: 'wx' })
      return () => rmSync(path, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      const ownerPid = ownerOf(path)
      if (ownerPid !== null || attempt > 0) throw new Error(`in use by process ${ownerPid}`)
      rmSync(path, { force: true })
    }
  }
}

/** Returns the id of the process that holds a lock; null if that process has ended. */
function ownerOf(path: string): number | null {
  const pid = Number(readFileSync(path, 'utf8'))
  // In a container each run may get the same process id, so a lock with our own id is stale.
  if (!Number.isSafeInteger(pid) || pid <= 0 || pid === process.pid) return null
  try {
    process.kill(pid, 0)
    return pid
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' ? pid : null
  }
}
