/** A redis-server for tests, on a free port of this machine. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '@sluice/devnet'
import { connect, type OwnConnection, type RedisReply } from '../src/connection.ts'

/** True if there is a redis-server on the PATH; otherwise tests that need one are skipped. */
export const hasRedis = spawnSync('redis-server', ['--version']).status === 0

const START_MS = 10_000

/** Settings in addition to the usual ones, by name. */
type RedisSettings = Readonly<Record<string, string>>

/** A redis-server that tests can kill, stop, and replace. */
export class TestRedis {
  readonly port: number
  private dir = newFolder()
  private process: ChildProcess | undefined

  private readonly settings: RedisSettings

  private constructor(port: number, settings: RedisSettings) {
    this.port = port
    this.settings = settings
  }

  static async start(settings: RedisSettings = {}): Promise<TestRedis> {
    const redis = new TestRedis(await freePort(), settings)
    await redis.start()
    return redis
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`
  }

  /** Starts the server with its earlier data, except for the last second before a kill. */
  async start(): Promise<void> {
    this.process = launch(this.port, this.dir, this.settings)
    await answers(this.url)
  }

  /** Replaces the server by a replica at the same address, which lacks the writes of the last `lostMs`. */
  async failOver(lostMs: number): Promise<void> {
    const port = await freePort()
    const dir = newFolder()
    const replica = launch(port, dir, this.settings)
    const url = `redis://127.0.0.1:${port}`
    await answers(url)
    const connection = await connect(url)
    try {
      await connection.call('REPLICAOF', '127.0.0.1', this.port)
      const deadline = Date.now() + START_MS
      while (!(await connection.call<string>('INFO', 'replication')).includes('master_link_status:up')) {
        if (Date.now() > deadline) throw new Error('the replica did not come up')
        await sleep(20)
      }
      await connection.call('REPLICAOF', 'NO', 'ONE')
      await sleep(lostMs)
      await this.kill()
      rmSync(this.dir, { recursive: true, force: true })
      this.process = replica
      this.dir = dir
      await connection.call('CONFIG', 'SET', 'port', this.port)
    } finally {
      connection.close()
      if (this.process !== replica) {
        replica.kill('SIGKILL')
        rmSync(dir, { recursive: true, force: true })
      }
    }
    await answers(this.url)
  }

  async kill(): Promise<void> {
    const { process } = this
    if (!process || process.exitCode !== null || process.signalCode !== null) return
    const ended = new Promise((resolve) => process.once('exit', resolve))
    process.kill('SIGKILL')
    await ended
  }

  /** Suspends the server: it accepts connections and does not reply. */
  hang(): void {
    this.process?.kill('SIGSTOP')
  }

  goOn(): void {
    this.process?.kill('SIGCONT')
  }

  /** Deletes the data on disk. */
  forget(): void {
    for (const name of ['appendonlydir', 'dump.rdb']) rmSync(join(this.dir, name), { recursive: true, force: true })
  }

  connect(): Promise<OwnConnection> {
    return connect(this.url)
  }

  async call<T = RedisReply>(...command: readonly (string | number)[]): Promise<T> {
    const connection = await this.connect()
    try {
      return await connection.call<T>(...command)
    } finally {
      connection.close()
    }
  }

  async stop(): Promise<void> {
    await this.kill()
    rmSync(this.dir, { recursive: true, force: true })
  }
}

const newFolder = () => mkdtempSync(join(tmpdir(), 'sluice-redis-'))

function launch(port: number, dir: string, otherSettings: RedisSettings): ChildProcess {
  const fixedSettings = { port, bind: '127.0.0.1', save: '', appendonly: 'yes', appendfsync: 'everysec', dir }
  const settings = { ...fixedSettings, ...otherSettings }
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)])
  return spawn('redis-server', args, { stdio: 'ignore' })
}

async function answers(url: string): Promise<void> {
  const deadline = Date.now() + START_MS
  for (;;) {
    try {
      const connection = await connect(url)
      await connection.call('PING').finally(() => connection.close())
      return
    } catch (error) {
      if (Date.now() > deadline) throw error
      await sleep(20)
    }
  }
}
