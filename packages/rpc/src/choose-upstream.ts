/**
 * Selects the endpoint for a request by the expected time until its answer. An upstream is an endpoint with its health.
 */
import type { Priority } from './priority.ts'
import type { Upstream } from './upstream.ts'

/** Cost in milliseconds of a certain failure: more than a retry takes, so that reliable endpoints are preferred. */
const FAILURE_COST_MS = 200
/** Extra cost in milliseconds of an endpoint that is not the first in the list. */
const LATER_MARGIN_MS = 20
/** Extra cost of an endpoint that is not the first, in addition to `LATER_MARGIN_MS`, as a share of its latency. */
const LATER_MARGIN_SHARE = 0.5
/** Extra cost in milliseconds of an ejected endpoint, so that it is chosen only if all are ejected. */
const EJECTED_COST_MS = 1_000_000
/** Deduction from an endpoint's success rate for each attempt of this request that is already in flight there. */
const BUSY_DEDUCTION = 0.2

/** Returns the endpoint with the lowest expected cost; ejected endpoints come last. */
export function chooseUpstream(upstreams: readonly Upstream[], kind: string, priority: Priority): Upstream | undefined {
  if (upstreams.length < 2) return upstreams[0]
  const medianLatencies = upstreams.map(({ health }) => health.latency(kind)?.p50)
  const fastestMs = Math.min(...medianLatencies.filter((time) => time !== undefined), Number.MAX_SAFE_INTEGER)
  // An endpoint without samples is assumed to be as fast as the fastest.
  const defaultMs = fastestMs === Number.MAX_SAFE_INTEGER ? 0 : fastestMs
  const preferredIndex = Math.min(...upstreams.map(({ index }) => index))
  let best: Upstream | undefined
  let bestCost = Number.POSITIVE_INFINITY
  for (const [index, upstream] of upstreams.entries()) {
    const latencyMs = medianLatencies[index] ?? defaultMs
    const cost =
      latencyMs +
      (upstream.index === preferredIndex ? 0 : LATER_MARGIN_MS + LATER_MARGIN_SHARE * latencyMs) +
      FAILURE_COST_MS * (1 - upstream.health.successRate) +
      upstream.endpoint.delayMs(priority) +
      (upstream.isEjected ? EJECTED_COST_MS : 0)
    if (cost < bestCost) [best, bestCost] = [upstream, cost]
  }
  return best
}

/**
 * Returns the endpoint most likely to answer another attempt of a request that is probably lost.
 *
 * @param attemptsAt - number of attempts of the request in flight at an endpoint
 * @returns undefined if all endpoints are rate limited
 */
export function chooseForLostRequest(
  upstreams: readonly Upstream[],
  attemptsAt: (upstream: Upstream) => number,
  priority: Priority,
): Upstream | undefined {
  const unlimitedUpstreams = upstreams.filter(({ endpoint }) => endpoint.waitMs(priority) === 0)
  const answerChance = (upstream: Upstream) => upstream.health.successRate - BUSY_DEDUCTION * attemptsAt(upstream)
  return unlimitedUpstreams.reduce<Upstream | undefined>(
    (best, upstream) => (best && answerChance(best) >= answerChance(upstream) ? best : upstream),
    undefined,
  )
}
