/**
 * Encoding of native input and output: which contract wraps and unwraps, and how legs take the native token that the
 * sender sends. The Guard is the entry contract; it calls the Executor, the contract that swaps.
 */
import { type Address, NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import type { Step, StepInput } from '@sluice/program'
import { takesNative, usesWrapper } from '../native.ts'
import type { Leg, RoutePlan } from '../types.ts'

/**
 * Returns the tokens that legs may trade for the input or output token of a route. For NATIVE, a leg may trade the
 * native token (zero address) or its wrapper.
 */
export function tradedTokensOf(routeToken: Address, wrapped: Address | null): readonly (Address | null)[] {
  return routeToken === NATIVE ? [wrapped, ZERO_ADDRESS] : [routeToken]
}

/**
 * Returns true if the Guard wraps the whole input, or unwraps the output of the legs, which takes less gas than in the
 * Executor. If only a part of the input must be wrapped, the Executor receives the native token and wraps this part.
 */
export function needsWrapper(route: RoutePlan, wrappedNative: Address | null): boolean {
  return usesWrapper(route.legs, { ...route, wrappedNative }) && !takesNative(route.legs, route)
}

/**
 * Returns the input of a leg that sells the native token of the sender. The Executor holds this token. The last such
 * leg takes the whole remaining balance.
 */
export function nativeInputOf(leg: Leg, { legs }: RoutePlan): StepInput {
  const lastLeg = legs.findLast(({ tokenIn }) => tokenIn === ZERO_ADDRESS)
  return leg === lastLeg ? { kind: 'rest' } : { kind: 'held', amount: leg.amountIn }
}

/**
 * Returns the step that wraps the part of a native input that pools of the wrapper take. The step precedes all others.
 * Empty if no pool takes the wrapper.
 */
export function wrapSteps({ legs }: RoutePlan, wrapped: Address): readonly Step[] {
  const amount = legs.reduce((sum, leg) => (leg.tokenIn === wrapped ? sum + leg.amountIn : sum), 0n)
  if (amount === 0n) return []
  const input = { kind: 'held', amount } as const
  return [{ op: 'wrap', tokenIn: ZERO_ADDRESS, wrapped, input, output: { kind: 'executor' } }]
}
