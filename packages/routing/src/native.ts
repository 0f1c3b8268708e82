/**
 * NATIVE as the input or output of a route. There, the native token and its wrapper count as one token. Pools of the
 * native token take it from the sender directly, and pools of the wrapper share one wrap or unwrap. As intermediate
 * tokens, the native token and its wrapper are two tokens, and a conversion is a leg.
 */
import { NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import { gasRow, WRAPPER_FAMILY } from '@sluice/liquidity'
import type { Leg, RouteTerms } from './types.ts'

/** Gas of the shared wrap or unwrap. */
export const WRAP_GAS = gasRow(WRAPPER_FAMILY).hop

type EndTokens = Pick<RouteTerms, 'tokenIn' | 'tokenOut'>
type LegTokens = Pick<Leg, 'tokenIn' | 'tokenOut'>

export function startsOrEndsNative({ tokenIn, tokenOut }: EndTokens): boolean {
  return tokenIn === NATIVE || tokenOut === NATIVE
}

/** Returns true if a part of the input must be wrapped, or a part of the output must be unwrapped. */
export function usesWrapper(
  legs: readonly LegTokens[],
  { tokenIn, tokenOut, wrappedNative }: EndTokens & Wrapper,
): boolean {
  if (tokenIn === NATIVE) return legs.some((leg) => leg.tokenIn === wrappedNative)
  return tokenOut === NATIVE && legs.some((leg) => leg.tokenOut === wrappedNative)
}

/** Returns true if a leg sells the native token of the sender without wrapping it. */
export function takesNative(legs: readonly LegTokens[], { tokenIn }: EndTokens): boolean {
  return tokenIn === NATIVE && legs.some((leg) => leg.tokenIn === ZERO_ADDRESS)
}

type Wrapper = Pick<RouteTerms, 'wrappedNative'>
