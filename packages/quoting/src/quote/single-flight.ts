import { abortable } from '@sluice/rpc'

/** A work under way; empty once it has landed, since `Map`s keep for long what was in them. @see LinkedList */
type Flight<T> = {
  underWay: { readonly result: Promise<T>; readonly controller: AbortController } | undefined
  waiting: number
}

/**
 * Lets identical works that overlap run once. A caller who gives up leaves the others undisturbed; the work itself is
 * aborted when nobody waits for it any more.
 */
export class SingleFlight<T> {
  private readonly flights = new Map<string, Flight<T>>()

  /** Works under way. */
  get size(): number {
    return this.flights.size
  }

  async run(key: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    signal.throwIfAborted()
    const flight = this.flights.get(key) ?? this.start(key, work)
    const { result, controller } = flight.underWay!
    flight.waiting++
    try {
      return await abortable(result, signal)
    } finally {
      // Before the end of the work, nobody is left who wants it.
      if (--flight.waiting === 0 && this.flights.get(key) === flight) {
        this.flights.delete(key)
        controller.abort(signal.reason)
      }
    }
  }

  private start(key: string, work: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const controller = new AbortController()
    const result = work(controller.signal)
    const flight: Flight<T> = { underWay: { result, controller }, waiting: 0 }
    const land = () => {
      flight.underWay = undefined
      if (this.flights.get(key) === flight) this.flights.delete(key)
    }
    result.then(land, land)
    this.flights.set(key, flight)
    return flight
  }
}
