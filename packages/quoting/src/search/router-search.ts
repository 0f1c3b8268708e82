import {
  type ExactOutputRequest,
  type RouteRequest,
  type RouteResult,
  type RouterThreads,
  RoutingError,
} from '@sluice/routing'
import { loopMeter } from '@sluice/rpc'
import type { Log } from '../events.ts'
import type { ChainView } from '../view/view.ts'
import { ExpectedWork } from './expected-work.ts'
import { searchHere } from './inline-search.ts'
import { replayOf } from './replay.ts'

/** Milliseconds over which the process is watched. */
const WINDOW_MS = 50
/** Part of its time for which the process works when it is what is short. */
const SHORT = 0.9
/**
 * Units of work from which on a search is handed over while the process is short: about a quarter of a millisecond. Less takes not
 * much more here than messages to a thread and back do, and the threads' room is for what takes longer.
 */
const LONG_WORK = 20_000

type Options = {
  readonly threads: RouterThreads
  /** Most pools of a chain that is searched here. */
  readonly inlinePools: number
  /** Units of work from which on a search is long; by default LONG_WORK. */
  readonly longWork?: number
  readonly log: Pick<Log, 'error'>
  /** True where no other quote of the chain would wait for a search here. */
  readonly isAlone?: () => boolean
  /** Part of its time, from 0 to 1, for which the process has worked since it was last asked. */
  readonly utilization?: () => number
}

/**
 * Searches where it takes the others least. Large chains are searched in a thread, so that no request waits for the search of
 * another. Small ones are searched here, where most searches take less time than it would to ask a thread; one that takes
 * more than a little work is begun anew in a thread, which can be ended. While the process is what is short and others wait,
 * threads take the longer searches of small chains, too, as far as they have room: those that took long when they were last made
 * here. A thread that has not begun yet is started first, by a search that nobody waits for. The result is the same.
 */
export class RouterSearch {
  private readonly options: Options
  private readonly utilization: () => number
  private measuredMs = Number.NEGATIVE_INFINITY
  private isShort = false
  private readonly expected = new ExpectedWork()

  constructor(options: Options) {
    this.options = options
    this.utilization = options.utilization ?? loopMeter()
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
      const isShort = !isLarge && this.isProcessShort()
      const free = isShort ? threads.free : null
      if (free === 'cold') threads.findRoute(snapshot, request).catch(() => {})
      // Of small chains, what is only told beside a route is worked out while the node is waited for, and not at all while others wait
      // for the process.
      const isElsewhere = isLarge || (free === 'warm' && this.expected.of(request) >= longWork)
      if (!isElsewhere) {
        const { result, work } = searchHere(graph(), { ...request, boundAfterGas: isShort ? 'never' : 'later' })
        this.expected.learn(request, work)
        if (result) return result
      }
      const asked: typeof request = isShort ? { ...request, boundAfterGas: 'never' } : request
      return await threads.findRoute(snapshot, asked, signal, isElsewhere && isShort)
    } catch (error) {
      if (error instanceof RoutingError)
        log.error({ err: error, replay: replayOf(snapshot, request) }, 'a search went wrong')
      throw error
    }
  }

  private isProcessShort(): boolean {
    if (this.options.isAlone?.()) return false
    const now = performance.now()
    if (now - this.measuredMs >= WINDOW_MS) {
      this.isShort = this.utilization() >= SHORT
      this.measuredMs = now
    }
    return this.isShort
  }
}
