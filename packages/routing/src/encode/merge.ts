import type { Step } from '@sluice/program'
import type { Leg } from '../types.ts'

/**
 * Joins hops that follow each other inside one singleton: one unlock or batch instead of two, and no transfer of the
 * token between them. Only where nobody else makes or takes that token.
 *
 * @param steps - one for each leg, in the same order; further ones are kept as they are
 */
export function mergeHops(steps: readonly Step[], legs: readonly Leg[]): Step[] {
  const merged: Step[] = []
  steps.forEach((step, index) => {
    const before = merged.at(-1)
    const leg = legs[index]
    const joined = before && leg && isPrivate(leg, legs[index - 1], legs) ? join(before, step) : undefined
    if (joined) merged[merged.length - 1] = joined
    else merged.push(step)
  })
  return merged
}

/** Whether the leg takes what the one before makes, and nobody else has to do with that token. */
function isPrivate({ tokenIn }: Leg, before: Leg | undefined, legs: readonly Leg[]): boolean {
  const takers = legs.filter((leg) => leg.tokenIn === tokenIn)
  const makers = legs.filter((leg) => leg.tokenOut === tokenIn)
  return before?.tokenOut === tokenIn && takers.length === 1 && makers.length === 1
}

function join(first: Step, second: Step): Step | undefined {
  if (first.output.kind !== 'executor' || second.input.kind !== 'rest') return undefined
  const { output } = second
  if (first.op === 'uniswap-v4' && second.op === 'uniswap-v4' && first.manager === second.manager)
    return { ...first, output, hops: [...first.hops, ...second.hops] }
  if (first.op === 'balancer-v2' && second.op === 'balancer-v2' && first.vault === second.vault)
    return { ...first, output, hops: [...first.hops, ...second.hops] }
  if (first.op === 'balancer-v3' && second.op === 'balancer-v3' && first.vault === second.vault)
    return { ...first, output, hops: [...first.hops, ...second.hops] }
  return undefined
}
