import type { Snapshot } from '@sluice/liquidity'
import type { RouteRequest, RouteResult } from '../types.ts'
import { RouterThread } from './router-thread.ts'

/** Several threads, of which each starts, and takes its share of memory, only when those before it are busy. */
export class RouterThreads {
  private readonly threads: readonly RouterThread[]

  /** @param count - above 0 */
  constructor(count: number) {
    this.threads = Array.from({ length: count }, () => new RouterThread())
  }

  /**
   * `findRoute` on the snapshot's graph, in the thread with the least to do.
   *
   * @throws RouterThreadError
   */
  findRoute(snapshot: Snapshot, request: RouteRequest): Promise<RouteResult> {
    const thread = this.threads.reduce((least, other) => (other.load < least.load ? other : least))
    return thread.findRoute(snapshot, request)
  }

  async forget(chainId: number): Promise<void> {
    await Promise.all(this.threads.map((thread) => thread.forget(chainId)))
  }

  /** Searches that are running fail. */
  async close(): Promise<void> {
    await Promise.all(this.threads.map((thread) => thread.close()))
  }
}
