/**
 * The processes of the fault test: a Redis, two indexers, and three workers, one of them behind a connection that can
 * be cut.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { keysOf } from '../../src/keys.ts'
import { TestRedis } from '../redis.ts'
import { ConsistencyCheck, type ReportedState } from './consistency.ts'
import { SyntheticChain } from './synthetic-chain.ts'

export const INDEXERS = ['indexer 0', 'indexer 1']
export const WORKERS = ['worker 0', 'worker 1', 'worker 2']
/** An indexer and a worker of another version of the state. */
export const NEXT = ['indexer next', 'worker next'] as const
/** The worker behind the proxy that can be cut. */
const PROXIED = 'worker 2'
const POLL_MS = 20

type Counts = Readonly<Record<'gaps' | 'joins' | 'waiting', number>>
type Message = {
  readonly shown?: ReportedState
  readonly wantMs?: number
  readonly owns?: boolean
  readonly error?: string
  readonly counts?: Counts
}

export class World {
  readonly keys = keysOf(1)
  readonly redis: TestRedis
  readonly chain: SyntheticChain
  readonly consistency: ConsistencyCheck
  readonly errors: Record<string, number> = {}
  readonly wantMs: number[] = []
  private readonly startMs = Date.now()
  private readonly execArgv: readonly string[]
  private readonly children = new Map<string, ChildProcess>()
  /** Time at which each process last reported that it owns the chain. */
  private readonly ownedMs = new Map<string, number>()
  private readonly newest = new Map<string, number>()
  private readonly countsOf = new Map<string, Counts>()
  private readonly proxy: RedisProxy

  static async start(execArgv: readonly string[]): Promise<World> {
    const redis = await TestRedis.start()
    const world = new World(redis, await RedisProxy.start(redis.port), execArgv)
    for (const name of [...INDEXERS, ...WORKERS]) world.startProcess(name)
    return world
  }

  private constructor(redis: TestRedis, proxy: RedisProxy, execArgv: readonly string[]) {
    this.redis = redis
    this.proxy = proxy
    this.execArgv = execArgv
    this.chain = new SyntheticChain(this.startMs)
    this.consistency = new ConsistencyCheck(this.chain)
  }

  /** Returns the indexer that owns the chain, by their own reports. */
  get owner(): string {
    const [first, second] = INDEXERS.map((name) => this.ownedMs.get(name) ?? 0) as [number, number]
    return INDEXERS[second > first ? 1 : 0]!
  }

  get counts(): { readonly gaps: number; readonly joins: number } {
    const all = [...this.countsOf.values()]
    const sum = (kind: 'gaps' | 'joins') => all.reduce((total, counts) => total + counts[kind], 0)
    return { gaps: sum('gaps'), joins: sum('joins') }
  }

  get unanswered(): number {
    return [...this.countsOf.values()].reduce((total, { waiting }) => total + waiting, 0)
  }

  startProcess(name: string): void {
    const [role] = name.split(' ')
    const url = name === PROXIED ? this.proxy.url : this.redis.url
    const args = [url, String(this.startMs), ...(name.endsWith(' next') ? ['next'] : [])]
    const child = fork(join(import.meta.dirname, `${role}.ts`), args, {
      execArgv: [...this.execArgv],
      stdio: 'inherit',
    })
    this.children.set(name, child)
    this.ownedMs.delete(name)
    child.on('message', (message: Message) => this.receive(name, message))
  }

  signal(name: string, signal: NodeJS.Signals): void {
    this.children.get(name)!.kill(signal)
  }

  /** Ends a process. @param signal - signal to send */
  async end(name: string, signal: NodeJS.Signals): Promise<void> {
    const child = this.children.get(name)!
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill(signal)
    await ended
    // The requests of an ended process do not count as unanswered.
    this.countsOf.delete(name)
  }

  async cut(ms: number): Promise<void> {
    this.proxy.isCut = true
    await sleep(ms)
    this.proxy.mend()
  }

  /** Waits until all workers show a block from now on. @returns the milliseconds that it took; null on timeout */
  async caughtUp(limitMs: number, workers: readonly string[] = WORKERS): Promise<number | null> {
    const { number } = this.chain.tip()
    const since = Date.now()
    while (workers.some((name) => (this.newest.get(name) ?? -1) < number)) {
      if (Date.now() - since > limitMs) return null
      await sleep(POLL_MS)
    }
    return Date.now() - since
  }

  /** Waits until no request is open, or until the timeout. */
  async answered(limitMs: number): Promise<void> {
    const deadline = Date.now() + limitMs
    // Workers keep sending requests, so only those that stay open for long count.
    while (this.unanswered > 0 && Date.now() < deadline) await sleep(POLL_MS)
  }

  async stop(): Promise<void> {
    await Promise.all([...this.children.keys()].map((name) => this.end(name, 'SIGKILL')))
    this.proxy.stop()
    await this.redis.stop()
  }

  private receive(name: string, { shown, wantMs, owns, error, counts }: Message): void {
    if (shown) {
      this.consistency.check(shown)
      this.newest.set(name, shown.number)
    }
    if (wantMs !== undefined) this.wantMs.push(wantMs)
    if (owns) this.ownedMs.set(name, Date.now())
    if (error !== undefined) this.errors[error] = (this.errors[error] ?? 0) + 1
    if (counts) this.countsOf.set(name, counts)
  }
}

/** A proxy to Redis that drops all data while it is cut. */
class RedisProxy {
  isCut = false
  private readonly server: Server
  private readonly sockets = new Set<Socket>()

  static async start(port: number): Promise<RedisProxy> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return new RedisProxy(server, port)
  }

  private constructor(server: Server, port: number) {
    this.server = server
    server.on('connection', (near) => {
      const far = connect(port, '127.0.0.1')
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        this.sockets.add(from)
        from.on('data', (data) => void (this.isCut || to.write(data)))
        from.on('error', () => to.destroy())
        from.on('close', () => {
          this.sockets.delete(from)
          to.destroy()
        })
      }
    })
  }

  get url(): string {
    return `redis://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  mend(): void {
    this.isCut = false
    for (const socket of this.sockets) socket.destroy()
  }

  stop(): void {
    this.mend()
    this.server.close()
  }
}
