/** The directory that known pools are kept in where the environment names none, and its use by one process at a time. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, platform } from 'node:os'
import { join } from 'node:path'
import type { Config } from './config.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Returns the directory for application data by the convention of the operating system (XDG, macOS, Windows). */
export function defaultDataDir(env: Environment, system: string = platform(), home: string = homedir()): string {
  if (system === 'darwin') return join(home, 'Library', 'Application Support', 'sluice')
  if (system === 'win32') return join(env.LOCALAPPDATA || join(home, 'AppData', 'Local'), 'sluice')
  return join(env.XDG_DATA_HOME || join(home, '.local', 'share'), 'sluice')
}

export type KeptData = {
  readonly config: Config
  /** Why nothing is kept, where that is not by choice. */
  readonly reason?: string
  readonly release: () => void
}

const keepNothing = () => {}

/**
 * The configuration with a directory, which this process alone uses: the one that is named, or the default one. An empty `DATA_DIR`
 * keeps nothing, and with Redis nothing needs to be kept. Where the directory cannot be used, the service runs without.
 */
export function keepData(config: Config, env: Environment = process.env): KeptData {
  const isNamed = config.dataDir !== undefined
  if (!isNamed && (env.DATA_DIR !== undefined || config.redisUrl !== undefined)) return { config, release: keepNothing }
  const dataDir = config.dataDir ?? defaultDataDir(env)
  try {
    const release = lock(dataDir)
    // Pools are small; a log of quotes is kept only where somebody asked for it.
    const quoteLogMb = isNamed || env.QUOTE_LOG_MB ? config.quoteLogMb : 0
    return { config: { ...config, dataDir, quoteLogMb }, release }
  } catch (error) {
    const { dataDir: _, ...rest } = config
    return { config: rest as Config, reason: `${dataDir}: ${(error as Error).message}`, release: keepNothing }
  }
}

/** @throws Error where another process that runs has it, or the directory cannot be written to */
function lock(dir: string): () => void {
  mkdirSync(dir, { recursive: true })
  const path = join(dir, 'lock')
  for (let attempt = 0; ; attempt++) {
    try {
      writeFileSync(path, String(process.pid), { flag: 'wx' })
      return () => rmSync(path, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      const owner = ownerOf(path)
      if (owner !== null || attempt > 0) throw new Error(`in use by process ${owner}`)
      rmSync(path, { force: true })
    }
  }
}

/** The process that holds a lock; null where it has ended. */
function ownerOf(path: string): number | null {
  const pid = Number(readFileSync(path, 'utf8'))
  // In a container every process may have the same number.
  if (!Number.isSafeInteger(pid) || pid <= 0 || pid === process.pid) return null
  try {
    process.kill(pid, 0)
    return pid
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' ? pid : null
  }
}
