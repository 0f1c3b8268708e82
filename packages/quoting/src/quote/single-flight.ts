import { abortable } from '@sluice/rpc'

type Flight<T> = { readonly result: Promise<T>; readonly controller: AbortController; waiting: number }

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
    flight.waiting++
    try {
      return await abortable(flight.result, signal)
    } finally {
      // Before the end of the work, nobody is left who wants it.
      if (--flight.waiting === 0 && this.flights.get(key) === flight) {
        this.flights.delete(key)
        flight.controller.abort(signal.reason)
      }
    }
  }

  private start(key: string, work: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const controller = new AbortController()
    const flight: Flight<T> = { result: work(controller.signal), controller, waiting: 0 }
    const forget = () => {
      if (this.flights.get(key) === flight) this.flights.delete(key)
    }
    flight.result.then(forget, forget)
    this.flights.set(key, flight)
    return flight
  }
}
