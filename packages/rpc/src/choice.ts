/** Which endpoint a request goes to: the one that most likely answers soonest. */
import type { Priority } from './priority.ts'
import type { Upstream } from './upstream.ts'

/** Milliseconds that a failure is taken to cost: a good part of a second rather than the few that a retry takes. */
const FAILURE_MS = 200
/** The order of the list counts: a later endpoint is taken when it is faster by so many milliseconds and by half. */
const LATER_MS = 20
const LATER_SHARE = 0.5
const EJECTED_MS = 1_000_000
/** Deduction from an endpoint's share of answers for each request that is under way there already: others go first. */
const BUSY_SHARE = 0.2

export function chooseUpstream(upstreams: readonly Upstream[], kind: string, priority: Priority): Upstream | undefined {
  if (upstreams.length < 2) return upstreams[0]
  const times = upstreams.map(({ standing }) => standing.latency(kind)?.p50)
  const least = Math.min(...times.filter((time) => time !== undefined), Number.MAX_SAFE_INTEGER)
  // One that nobody has asked yet is believed to be as good as the best.
  const usual = least === Number.MAX_SAFE_INTEGER ? 0 : least
  const first = Math.min(...upstreams.map(({ index }) => index))
  let best: Upstream | undefined
  let bestCost = Number.POSITIVE_INFINITY
  for (const [place, upstream] of upstreams.entries()) {
    const time = times[place] ?? usual
    const cost =
      time +
      (upstream.index === first ? 0 : LATER_MS + LATER_SHARE * time) +
      FAILURE_MS * (1 - upstream.standing.successRate) +
      upstream.endpoint.delayMs(priority) +
      (upstream.ejected ? EJECTED_MS : 0)
    if (cost < bestCost) [best, bestCost] = [upstream, cost]
  }
  return best
}

/**
 * The endpoint that most likely answers one more try of a request that is taken to be lost.
 *
 * @param asked - tries of it that are under way there
 * @returns undefined where all want to be left alone
 */
export function chooseAgain(
  upstreams: readonly Upstream[],
  asked: (upstream: Upstream) => number,
  priority: Priority,
): Upstream | undefined {
  const free = upstreams.filter(({ endpoint }) => endpoint.waitMs(priority) === 0)
  const chance = (upstream: Upstream) => upstream.standing.successRate - BUSY_SHARE * asked(upstream)
  return free.reduce<Upstream | undefined>(
    (best, upstream) => (best && chance(best) >= chance(upstream) ? best : upstream),
    undefined,
  )
}
