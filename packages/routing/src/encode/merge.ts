/** Joins consecutive hops of one singleton (a contract that holds many pools) into a single call. */
import { joinSteps, type Step } from '@sluice/program'
import type { Leg } from '../types.ts'

/**
 * Joins consecutive hops of one singleton. This saves a call that unlocks the singleton, and a transfer of the token
 * between the hops. Hops are joined only if no other leg buys or sells this token.
 *
 * @param steps - one step per leg, in the same order; additional steps at the end are kept
 */
export function mergeHops(steps: readonly Step[], legs: readonly Leg[]): Step[] {
  const mergedSteps: Step[] = []
  steps.forEach((step, index) => {
    const previousStep = mergedSteps.at(-1)
    const leg = legs[index]
    const joinedStep =
      previousStep && leg && isOnlyLink(leg, legs[index - 1], legs) ? joinSteps(previousStep, step) : undefined
    if (joinedStep) mergedSteps[mergedSteps.length - 1] = joinedStep
    else mergedSteps.push(step)
  })
  return mergedSteps
}

/** Returns true if the leg sells the token that the previous leg buys, and no other leg sells or buys this token. */
function isOnlyLink({ tokenIn }: Leg, previousLeg: Leg | undefined, legs: readonly Leg[]): boolean {
  const legsSelling = legs.filter((leg) => leg.tokenIn === tokenIn)
  const legsBuying = legs.filter((leg) => leg.tokenOut === tokenIn)
  return previousLeg?.tokenOut === tokenIn && legsSelling.length === 1 && legsBuying.length === 1
}
