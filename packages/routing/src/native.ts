/**
 * NATIVE at an end of a route. There it and its wrapper are one token: pools of the native token take what the sender brings
 * and pay what the sender gets as it is, pools of the wrapper share one wrap or unwrap. In between they are two tokens, and
 * the way from one to the other is a leg.
 */
import { NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import { gasRow, WRAPPER_FAMILY } from '@sluice/liquidity'
import type { Admission, Problem } from './problem/problem.ts'
import type { Leg, RouteTerms } from './types.ts'

/** Gas of the one wrap or unwrap. */
export const WRAP_GAS = gasRow(WRAPPER_FAMILY).hop

type Ends = Pick<RouteTerms, 'tokenIn' | 'tokenOut'>
type Tokens = Pick<Leg, 'tokenIn' | 'tokenOut'>

export function startsOrEndsNative({ tokenIn, tokenOut }: Ends): boolean {
  return tokenIn === NATIVE || tokenOut === NATIVE
}

/** True where some of what the sender brings is to be wrapped, or of what the legs pay to be unwrapped. */
export function usesWrapper(legs: readonly Tokens[], { tokenIn, tokenOut, wrappedNative }: Ends & Wrapper): boolean {
  if (tokenIn === NATIVE) return legs.some((leg) => leg.tokenIn === wrappedNative)
  return tokenOut === NATIVE && legs.some((leg) => leg.tokenOut === wrappedNative)
}

/** True where a leg takes what the sender brings as it came, unwrapped. */
export function takesNative(legs: readonly Tokens[], { tokenIn }: Ends): boolean {
  return tokenIn === NATIVE && legs.some((leg) => leg.tokenIn === ZERO_ADDRESS)
}

type Wrapper = Pick<RouteTerms, 'wrappedNative'>

/** Leaves only pools of the native token at the end that is NATIVE; false where there are none. */
export function withoutWrapper(
  admission: Admission,
  { graph, source, target }: Problem,
  { tokenIn }: RouteTerms,
): boolean {
  const { offset, reverse } = graph.topology
  const end = tokenIn === NATIVE ? source : target
  let left = false
  for (let out = offset[end]!; out < offset[end + 1]!; out++) {
    const edge = tokenIn === NATIVE ? out : reverse[out]!
    if (graph.edges[out]!.tokenIn !== ZERO_ADDRESS) admission.close(edge)
    else if (admission.rate[edge]! > 0) left = true
  }
  return left
}
