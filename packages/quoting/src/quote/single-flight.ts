/** Shares the result of identical work between concurrent callers. */
import { abortable } from '@sluice/rpc'

/**
 * Work that callers share. `inFlight` is undefined after the work has ended, which frees the result. A `Map` keeps
 * deleted values in memory for a while.
 */
type Flight<T> = {
  inFlight: { readonly result: Promise<T>; readonly controller: AbortController } | undefined
  callers: number
}

/**
 * Runs identical concurrent work once. If a caller aborts, the work continues for the other callers; it is aborted when
 * no caller is left.
 */
export class SingleFlight<T> {
  private readonly flights = new Map<string, Flight<T>>()

  /** Number of keys in flight. */
  get size(): number {
    return this.flights.size
  }

  async run(key: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    signal.throwIfAborted()
    const flight = this.flights.get(key) ?? this.start(key, work)
    const { result, controller } = flight.inFlight!
    flight.callers++
    try {
      return await abortable(result, signal)
    } finally {
      // No caller is left, and the work has not ended.
      if (--flight.callers === 0 && this.flights.get(key) === flight) {
        this.flights.delete(key)
        controller.abort(signal.reason)
      }
    }
  }

  private start(key: string, work: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const controller = new AbortController()
    const result = work(controller.signal)
    const flight: Flight<T> = { inFlight: { result, controller }, callers: 0 }
    const clear = () => {
      flight.inFlight = undefined
      if (this.flights.get(key) === flight) this.flights.delete(key)
    }
    result.then(clear, clear)
    this.flights.set(key, flight)
    return flight
  }
}
