/** Quote streams: quotes that are updated at every block. Streams with the same request share one computation. */
import { Semaphore } from '@sluice/rpc'
import type { ChainRuntime } from '../chain/runtime.ts'
import type { Logger } from '../events.ts'
import type { Quoter } from '../quote/quoter.ts'
import { cacheKeyOf, type QuoteRequest } from '../quote/request.ts'
import type { StreamListener } from './update.ts'
import { Watch } from './watch.ts'

/** Maximum streamed quotes of a chain that are computed at a time, because requests come first. */
const MAX_CONCURRENT_UPDATES = 2

type Options = { readonly runtime: ChainRuntime; readonly quoter: Quoter; readonly log: Pick<Logger, 'info'> }

/** Handle of an open quote stream, for the caller that opened it. */
export type OpenStream = {
  /** Resolves after the first update was sent, or when the stream stops. */
  readonly firstUpdate: Promise<void>
  readonly close: () => void
}

export class QuoteStreams {
  private readonly options: Options
  private readonly watches = new Map<string, Watch>()
  private readonly slots = new Semaphore(MAX_CONCURRENT_UPDATES)
  private unsubscribe: (() => void) | undefined

  constructor(options: Options) {
    this.options = options
  }

  /** Numbers of open streams, and of distinct quotes that they share. */
  get counts(): { readonly streams: number; readonly quotes: number } {
    const streams = [...this.watches.values()].reduce((sum, { size }) => sum + size, 0)
    return { streams, quotes: this.watches.size }
  }

  /**
   * Opens a stream. The listener gets every update until `close`, which the caller must also call after an update of
   * kind `end`.
   */
  open(request: QuoteRequest, listener: StreamListener): OpenStream {
    // `cacheKeyOf` leaves out `minimumBlock`, but a watch requests all its quotes with the same minimum.
    const key = `${request.minimumBlock ?? 0}\n${cacheKeyOf(request)}`
    const existingWatch = this.watches.get(key)
    // An ended watch cannot be restarted.
    const watch = existingWatch && !existingWatch.hasEnded ? existingWatch : this.createWatch(request)
    this.watches.set(key, watch)
    watch.add(listener)
    this.unsubscribe ??= this.options.runtime.onSnapshot((snapshot) => {
      for (const watch of this.watches.values()) watch.observe(snapshot)
    })
    const close = () => {
      watch.remove(listener)
      if (watch.size > 0 || this.watches.get(key) !== watch) return
      watch.stop()
      this.watches.delete(key)
      if (this.watches.size > 0) return
      this.unsubscribe?.()
      this.unsubscribe = undefined
    }
    return { firstUpdate: watch.firstUpdate, close }
  }

  private createWatch(request: QuoteRequest): Watch {
    const { quoter, log } = this.options
    const time = async <T>(_stage: string, run: () => T | Promise<T>) => run()
    return new Watch({
      request,
      quote: (request, signal) => quoter.quote(request, { signal, time, log }),
      peek: (request, gasPriceWei, signal) => quoter.peek(request, gasPriceWei, signal),
      runInSlot: (work) => this.slots.run(work),
    })
  }
}
