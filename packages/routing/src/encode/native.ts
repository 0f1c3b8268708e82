import { type Address, NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import type { Step, StepInput } from '@sluice/program'
import { takesNative, usesWrapper } from '../native.ts'
import type { Leg, RoutePlan } from '../types.ts'

/**
 * The tokens that an end of a route stands for: legs trade the native token or its wrapper, whichever their pools know.
 */
export function tokensOf(end: Address, wrapped: Address | null): readonly (Address | null)[] {
  return end === NATIVE ? [wrapped, ZERO_ADDRESS] : [end]
}

/**
 * True if the Guard has to wrap the whole input, or to unwrap the output that legs pay it: cheaper than by the Executor.
 * If only a part of the input needs wrapping, the Executor receives native token.
 */
export function needsWrapper(route: RoutePlan, wrappedNative: Address | null): boolean {
  return usesWrapper(route.legs, { ...route, wrappedNative }) && !takesNative(route.legs, route)
}

/** The native input that a leg takes that the Executor holds as the sender brought it. */
export function inputAsBrought(leg: Leg, { legs }: RoutePlan): StepInput {
  const last = legs.findLast(({ tokenIn }) => tokenIn === ZERO_ADDRESS)
  return leg === last ? { kind: 'rest' } : { kind: 'held', amount: leg.amountIn }
}

/**
 * Returns the step that wraps the part of a native input that pools of the wrapper take. It precedes all other steps;
 * empty if no pool takes any.
 */
export function wrapsAhead({ legs }: RoutePlan, wrapped: Address): readonly Step[] {
  const amount = legs.reduce((sum, leg) => (leg.tokenIn === wrapped ? sum + leg.amountIn : sum), 0n)
  if (amount === 0n) return []
  const input = { kind: 'held', amount } as const
  return [{ op: 'wrap', tokenIn: ZERO_ADDRESS, wrapped, input, output: { kind: 'executor' } }]
}
