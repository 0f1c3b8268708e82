/** Runs route searches on this thread or in worker threads. */
import {
  type ExactOutputRequest,
  type RouteRequest,
  type RouteResult,
  type RouterThreads,
  RoutingError,
} from '@sluice/routing'
import { createLoopMeter } from '@sluice/rpc'
import type { Logger } from '../events.ts'
import type { ChainView } from '../view/view.ts'
import { ExpectedWork } from './expected-work.ts'
import { searchInline } from './inline-search.ts'
import { replayOf } from './replay.ts'

/** Milliseconds over which the utilization of the event loop is measured. */
const WINDOW_MS = 50
/** Event loop utilization, from 0 to 1, from which the process counts as busy. */
const BUSY_UTILIZATION = 0.9
/**
 * Minimum work units (about a quarter of a millisecond) of a search that goes to a worker while the process is busy. A
 * shorter search takes hardly more time on this thread than the messages to a worker.
 */
const LONG_WORK = 20_000

type Options = {
  readonly threads: RouterThreads
  /** Chains with at most this many pools are searched on this thread. */
  readonly inlinePools: number
  /** Overrides LONG_WORK, in tests. */
  readonly longWork?: number
  readonly log: Pick<Logger, 'error'>
  /** True if no other quote of the chain would wait for a search on this thread. */
  readonly isOnlyQuote?: () => boolean
  /** Event loop utilization since the last call, from 0 to 1. */
  readonly measureUtilization?: () => number
}

/**
 * Chooses the thread of each search. The result is the same on every thread.
 * - Chains with many pools are searched in workers, so that no request waits for another request's search.
 * - Chains with few pools are searched on this thread. Most of these searches take less time than a message to a
 *   worker. A search that exceeds a work limit starts again in a worker, which can be terminated.
 * - While the process is busy, free workers also search chains with few pools, if the last search of the same pair was
 *   long. If no worker has started, one is started for later searches, and this search runs on this thread.
 */
export class RouterSearch {
  private readonly options: Options
  private readonly measureUtilization: () => number
  private measuredAtMs = Number.NEGATIVE_INFINITY
  private isBusy = false
  private readonly expectedWork = new ExpectedWork()

  constructor(options: Options) {
    this.options = options
    this.measureUtilization = options.measureUtilization ?? createLoopMeter()
  }

  /** @throws RoutingError */
  async find(
    { snapshot, graph }: Pick<ChainView, 'snapshot' | 'graph'>,
    request: RouteRequest | ExactOutputRequest,
    signal?: AbortSignal,
  ): Promise<RouteResult> {
    const { threads, inlinePools, longWork = LONG_WORK, log } = this.options
    try {
      const isLarge = snapshot.pools.size > inlinePools
      const isBusy = !isLarge && this.isProcessBusy()
      const freeWorker = isBusy ? threads.freeThreadState : null
      if (freeWorker === 'cold') threads.findRoute(snapshot, request).catch(() => {})
      // `boundAfterGas` says when to compute the upper bound of the output after gas, which does not affect the route.
      // `later`: while the node simulates the route. A busy process skips this bound.
      const usesWorker = isLarge || (freeWorker === 'warm' && this.expectedWork.unitsFor(request) >= longWork)
      if (!usesWorker) {
        const { result, work } = searchInline(graph(), { ...request, boundAfterGas: isBusy ? 'never' : 'later' })
        this.expectedWork.record(request, work)
        if (result) return result
      }
      const threadRequest: typeof request = isBusy ? { ...request, boundAfterGas: 'never' } : request
      return await threads.findRoute(snapshot, threadRequest, signal, usesWorker && isBusy)
    } catch (error) {
      if (error instanceof RoutingError)
        log.error({ err: error, replay: replayOf(snapshot, request) }, 'route search failed')
      throw error
    }
  }

  private isProcessBusy(): boolean {
    if (this.options.isOnlyQuote?.()) return false
    const now = performance.now()
    if (now - this.measuredAtMs >= WINDOW_MS) {
      this.isBusy = this.measureUtilization() >= BUSY_UTILIZATION
      this.measuredAtMs = now
    }
    return this.isBusy
  }
}
