/** Quotes that are kept up to date while somebody listens. Identical ones share one computation. */
import { Semaphore } from '@sluice/rpc'
import type { ChainRuntime } from '../chain/runtime.ts'
import type { Log } from '../events.ts'
import type { Quoter } from '../quote/quoter.ts'
import { keyOf, type QuoteRequest } from '../quote/request.ts'
import type { StreamListener } from './update.ts'
import { Watch } from './watch.ts'

/** Watched quotes of a chain that are worked on at once: requests come first. */
const MAX_AT_ONCE = 2

type Options = { readonly runtime: ChainRuntime; readonly quoter: Quoter; readonly log: Pick<Log, 'info'> }

export type OpenStream = {
  /** Resolves with the first update. */
  readonly first: Promise<void>
  readonly close: () => void
}

export class QuoteStreams {
  private readonly options: Options
  private readonly watches = new Map<string, Watch>()
  private readonly turns = new Semaphore(MAX_AT_ONCE)
  private ignore: (() => void) | undefined

  constructor(options: Options) {
    this.options = options
  }

  /** Streams that are open, and the different quotes that they share. */
  get counts(): { readonly streams: number; readonly quotes: number } {
    const streams = [...this.watches.values()].reduce((sum, { size }) => sum + size, 0)
    return { streams, quotes: this.watches.size }
  }

  /** Told of every update until it is closed, which it is to be after `end` too. */
  open(request: QuoteRequest, listener: StreamListener): OpenStream {
    const key = keyOf(request)
    const known = this.watches.get(key)
    // One that has ended begins no new life.
    const watch = known && !known.hasEnded ? known : this.watch(request)
    this.watches.set(key, watch)
    watch.add(listener)
    this.ignore ??= this.options.runtime.onSnapshot((snapshot) => {
      for (const one of this.watches.values()) one.observe(snapshot)
    })
    const close = () => {
      watch.remove(listener)
      if (watch.size > 0 || this.watches.get(key) !== watch) return
      watch.stop()
      this.watches.delete(key)
      if (this.watches.size > 0) return
      this.ignore?.()
      this.ignore = undefined
    }
    return { first: watch.first, close }
  }

  private watch(request: QuoteRequest): Watch {
    const { quoter, log } = this.options
    const time = async <T>(_stage: string, run: () => T | Promise<T>) => run()
    return new Watch({
      request,
      quote: (request, signal) => quoter.quote(request, { signal, time, log }),
      peek: (request, gasPriceWei, signal) => quoter.peek(request, gasPriceWei, signal),
      inTurn: (work) => this.turns.run(work),
    })
  }
}
