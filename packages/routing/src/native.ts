/**
 * NATIVE at an end of a route. There it and its wrapper are one token: pools of the native token take what the sender brings
 * and pay what the sender gets as it is, pools of the wrapper share one wrap or unwrap. In between they are two tokens, and
 * the way from one to the other is a leg.
 */
import { NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import { gasRow, WRAPPER_FAMILY } from '@sluice/liquidity'
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
