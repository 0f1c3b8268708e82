/** A thread that searches large graphs, so that the process can answer others meanwhile. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { PoolMap, poolChanges, type Snapshot, type Trust } from '@sluice/liquidity'
import type { RouteRequest, RouteResult } from '../types.ts'
import { type FromThread, fromPlain, type ToThread } from './messages.ts'

/** Pools in a message: copying as many takes about a millisecond of the process's own time. */
const BATCH = 500

/** The thread came to its end, by running out of memory for instance. */
export class RouterThreadError extends Error {
  override readonly name = 'RouterThreadError'
  readonly code = 'THREAD_ENDED'
}

type Job = { readonly resolve: (answer: FromThread) => void; readonly reject: (error: Error) => void }
/** What the thread knows of a chain once all messages have arrived; `turn` ends when the next may be sent. */
type Mirror = { pools: Snapshot['pools']; trust: Map<Trust['level'], Trust>; turn: Promise<void> }

/**
 * The thread keeps the pools of each chain and is told, before a search, how those of the search differ: blocks cost what
 * changes in them, and a search of an earlier block is as good as any. It is started by the first search, and anew by the
 * one after its end.
 */
export class RouterThread {
  private worker: Worker | undefined
  private jobs = new Map<number, Job>()
  private mirrors = new Map<number, Mirror>()
  private lastJob = 0

  /** Searches that have not been answered. */
  get load(): number {
    return this.jobs.size
  }

  /**
   * `findRoute` on the snapshot's graph.
   *
   * @throws RouterThreadError
   */
  async findRoute(snapshot: Snapshot, request: RouteRequest): Promise<RouteResult> {
    const worker = this.start()
    const job = ++this.lastJob
    const answer = new Promise<FromThread>((resolve, reject) => this.jobs.set(job, { resolve, reject }))
    const { chainId, block } = snapshot
    const asked = this.inTurn(chainId, async (mirror) => {
      await sendChanges(worker, mirror, snapshot)
      const { trust, ...rest } = request
      if (trust) sendTrust(worker, mirror, chainId, trust)
      post(worker, { do: 'find', job, chainId, block, request: { ...rest, ...(trust && { trust: trust.level }) } })
    })
    asked.catch(this.jobs.get(job)!.reject)
    worker.ref()
    try {
      const answered = await answer
      if ('error' in answered) throw answered.error
      return fromPlain(answered.result, snapshot.pools)
    } finally {
      this.jobs.delete(job)
      if (this.jobs.size === 0) worker.unref()
    }
  }

  /** Frees what the thread holds of a chain. */
  async forget(chainId: number): Promise<void> {
    if (!this.mirrors.has(chainId)) return
    await this.inTurn(chainId, async (mirror) => {
      mirror.pools = PoolMap.empty
      mirror.trust.clear()
      if (this.worker) post(this.worker, { do: 'forget', chainId })
    })
  }

  /** Searches that are running fail. */
  async close(): Promise<void> {
    await this.worker?.terminate()
  }

  /** One at a time for each chain: its pools must not change between the last of them and the search. */
  private inTurn(chainId: number, send: (mirror: Mirror) => Promise<void>): Promise<void> {
    const mirror = this.mirrors.get(chainId) ?? { pools: PoolMap.empty, trust: new Map(), turn: Promise.resolve() }
    this.mirrors.set(chainId, mirror)
    const sent = mirror.turn.then(() => send(mirror))
    mirror.turn = sent.catch(() => {})
    return sent
  }

  private start(): Worker {
    if (this.worker) return this.worker
    const worker = new Worker(new URL('./worker.ts', import.meta.url))
    this.worker = worker
    worker.unref()
    worker.on('message', (answer: FromThread) => this.jobs.get(answer.job)?.resolve(answer))
    worker.on('error', (error) => this.end(worker, error))
    worker.on('exit', () => this.end(worker))
    return worker
  }

  private end(worker: Worker, cause?: Error): void {
    if (this.worker !== worker) return
    this.worker = undefined
    this.mirrors = new Map()
    const error = new RouterThreadError('the routing thread has ended', { cause })
    for (const { reject } of this.jobs.values()) reject(error)
  }
}

async function sendChanges(worker: Worker, mirror: Mirror, { chainId, pools }: Snapshot): Promise<void> {
  const { changed, gone } = poolChanges(mirror.pools, pools)
  if (gone.length > 0) post(worker, { do: 'change', chainId, changed: [], gone })
  for (let at = 0; at < changed.length; at += BATCH) {
    if (at > 0) await nextTurn()
    post(worker, { do: 'change', chainId, changed: changed.slice(at, at + BATCH), gone: [] })
  }
  mirror.pools = pools
}

function sendTrust(worker: Worker, { trust: known }: Mirror, chainId: number, trust: Trust): void {
  if (known.get(trust.level) === trust) return
  post(worker, { do: 'trust', chainId, trust })
  known.set(trust.level, trust)
}

function post(worker: Worker, message: ToThread): void {
  worker.postMessage(message)
}
