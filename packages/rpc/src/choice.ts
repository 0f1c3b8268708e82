/** Which endpoint a request goes to: the one that most likely answers soonest. */
import type { Priority } from './priority.ts'
import type { Seat } from './seat.ts'

/** Milliseconds that a failure is taken to cost: a good part of a second rather than the few that a retry takes. */
const FAILURE_MS = 200
/** The order of the list counts: a later endpoint is taken when it is faster by so many milliseconds and by half. */
const LATER_MS = 20
const LATER_SHARE = 0.5
const EJECTED_MS = 1_000_000

export function chooseSeat(seats: readonly Seat[], kind: string, priority: Priority): Seat | undefined {
  if (seats.length < 2) return seats[0]
  const times = seats.map(({ standing }) => standing.latency(kind)?.p50)
  const least = Math.min(...times.filter((time) => time !== undefined), Number.MAX_SAFE_INTEGER)
  // One that nobody has asked yet is believed to be as good as the best.
  const usual = least === Number.MAX_SAFE_INTEGER ? 0 : least
  const first = Math.min(...seats.map(({ index }) => index))
  let best: Seat | undefined
  let bestCost = Number.POSITIVE_INFINITY
  for (const [place, seat] of seats.entries()) {
    const time = times[place] ?? usual
    const cost =
      time +
      (seat.index === first ? 0 : LATER_MS + LATER_SHARE * time) +
      FAILURE_MS * (1 - seat.standing.successRate) +
      seat.endpoint.waitMs(priority) +
      (seat.ejected ? EJECTED_MS : 0)
    if (cost < bestCost) [best, bestCost] = [seat, cost]
  }
  return best
}
