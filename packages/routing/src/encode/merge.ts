import { joinSteps, type Step } from '@sluice/program'
import type { Leg } from '../types.ts'

/**
 * Joins hops that follow each other inside one singleton: one unlock or batch instead of two, and no transfer of the
 * token between them. Only if no other leg makes or takes that token.
 *
 * @param steps - one for each leg, in the same order; further ones are kept as they are
 */
export function mergeHops(steps: readonly Step[], legs: readonly Leg[]): Step[] {
  const merged: Step[] = []
  steps.forEach((step, index) => {
    const before = merged.at(-1)
    const leg = legs[index]
    const joined = before && leg && isPrivate(leg, legs[index - 1], legs) ? joinSteps(before, step) : undefined
    if (joined) merged[merged.length - 1] = joined
    else merged.push(step)
  })
  return merged
}

/** True if the leg takes the output of the leg before it, and no other leg takes or makes that token. */
function isPrivate({ tokenIn }: Leg, before: Leg | undefined, legs: readonly Leg[]): boolean {
  const takers = legs.filter((leg) => leg.tokenIn === tokenIn)
  const makers = legs.filter((leg) => leg.tokenOut === tokenIn)
  return before?.tokenOut === tokenIn && takers.length === 1 && makers.length === 1
}
