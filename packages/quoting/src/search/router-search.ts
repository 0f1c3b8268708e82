import {
  type ExactOutputRequest,
  type RouteRequest,
  type RouteResult,
  type RouterThreads,
  RoutingError,
} from '@sluice/routing'
import type { Log } from '../events.ts'
import type { ChainView } from '../view/view.ts'
import { searchHere } from './inline-search.ts'
import { replayOf } from './replay.ts'

type Options = {
  readonly threads: RouterThreads
  /** Most pools of a chain that is searched here. */
  readonly inlinePools: number
  readonly log: Pick<Log, 'error'>
}

/**
 * Searches where it takes the others least. Large chains are searched in a thread, so that no request waits for the search of
 * another. Small ones are searched here, where most searches take less time than it would to ask a thread; one that takes
 * more than a little work is begun anew in a thread, which can be ended. The result is the same.
 */
export class RouterSearch {
  private readonly options: Options

  constructor(options: Options) {
    this.options = options
  }

  /** @throws RoutingError */
  async find(
    { snapshot, graph }: ChainView,
    request: RouteRequest | ExactOutputRequest,
    signal?: AbortSignal,
  ): Promise<RouteResult> {
    const { threads, inlinePools, log } = this.options
    try {
      const here = snapshot.pools.size > inlinePools ? null : searchHere(graph(), request)
      return here ?? (await threads.findRoute(snapshot, request, signal))
    } catch (error) {
      if (error instanceof RoutingError)
        log.error({ err: error, replay: replayOf(snapshot, request) }, 'a search went wrong')
      throw error
    }
  }
}
