/**
 * Splits a route's gas into parts. A plain chain of pools has the part `route`, and one part `hop` per leg. Every other
 * part is an additional cost or saving of a leg. It depends on who transfers the tokens, and on the storage that
 * earlier legs touched. The gas of each part is in `partGas` of the liquidity package.
 */
import { type Address, NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import { type GasPart, gasRow, isExpensive, tokenGas } from '@sluice/liquidity'
import { acceptsPrepayment, usesSingleton } from '@sluice/program'
import { takesNative, usesWrapper } from '../native.ts'
import type { Leg, RoutePlan } from '../types.ts'

/** The properties of a leg on which its gas depends; `gas` is the figure of the gas table plus tick crossings. */
export type GasLeg = Pick<Leg, 'pool' | 'tokenIn' | 'tokenOut' | 'gas' | 'writes'>
/** Legs and tokens of a route, from which its gas is estimated. */
export type GasSwap = Pick<RoutePlan, 'tokenIn' | 'tokenOut'> & {
  readonly legs: readonly GasLeg[]
  readonly wrappedNative: Address | null
}

/** Number of occurrences of each part in a route. */
export type GasParts = ReadonlyMap<GasPart, number>

/** Counts the gas parts of a route. */
export function gasParts(swap: GasSwap): GasParts {
  const { legs, tokenIn, wrappedNative } = swap
  const parts = new Map<GasPart, number>([['route', 1]])
  const add = (part: GasPart, count = 1) => parts.set(part, (parts.get(part) ?? 0) + count)
  const boughtTokens = new Set<Address>()
  const soldTokens = new Set<Address>()
  const usedPools = new Set<string>()
  const usedSingletons = new Set<string>()
  legs.forEach((leg, k) => {
    const { pool, tokenIn: soldToken, tokenOut: boughtToken, writes } = leg
    add(`hop:${pool.family}`)
    const pieces = crossedPiecesOf(leg)
    if (pieces > 0) add(`piece:${pool.family}`, pieces)
    if (writes?.includes('oracle')) add(`oracle:${pool.family}`)
    if (soldTokens.has(soldToken)) add(isEnd(swap.tokenIn, soldToken, wrappedNative) ? 'pulledAgain' : 'takenAgain')
    if (boughtTokens.has(boughtToken)) add(isEnd(swap.tokenOut, boughtToken, wrappedNative) ? 'paidAgain' : 'madeAgain')
    if (usedPools.has(pool.id)) add('poolAgain')
    if (isJoined(legs, k)) add('joined')
    else if (usesSingleton(pool.family) && usedSingletons.has(pool.family)) add('singletonAgain')
    if (isPrepaidLeg(swap, leg)) add('prepaid')
    if (boughtToken === ZERO_ADDRESS && swap.tokenOut !== NATIVE && !isJoined(legs, k + 1)) add('nativeBetween')
    soldTokens.add(soldToken)
    boughtTokens.add(boughtToken)
    usedPools.add(pool.id)
    usedSingletons.add(pool.family)
  })
  for (const token of movedTokensOf(legs)) if (isExpensive(token)) add(`token:${token}`)
  if (tokenIn === NATIVE) {
    add('nativeIn')
    if (takesNative(legs, swap)) add('broughtNative')
  }
  if (swap.tokenOut === NATIVE) add('nativeOut')
  if (usesWrapper(legs, swap)) add('wrapper')
  return parts
}

/** Tokens that legs transfer. Between two hops that share a call, no token is transferred. */
function movedTokensOf(legs: readonly GasLeg[]): ReadonlySet<Address> {
  const movedTokens = legs.flatMap(({ tokenIn, tokenOut }, k) => [
    ...(isJoined(legs, k) ? [] : [tokenIn]),
    ...(isJoined(legs, k + 1) ? [] : [tokenOut]),
  ])
  return new Set(movedTokens)
}

/** Number of ticks and bins (of bin-based pools) that a route crosses. */
export function piecesIn(parts: GasParts): number {
  return [...parts].reduce((sum, [part, count]) => (part.startsWith('piece:') ? sum + count : sum), 0)
}

/**
 * Number of ticks or bins that a leg crosses, derived from the gas of its quote. Fractional if the swap also scans
 * words of the tick bitmap.
 */
function crossedPiecesOf({ pool: { family }, tokenIn, tokenOut, gas }: GasLeg): number {
  const { hop, piece } = gasRow(family)
  return piece > 0 ? (gas - tokenGas(tokenIn) - tokenGas(tokenOut) - hop) / piece : 0
}

/**
 * Returns true if a token is `end`, the input or output token of the route. NATIVE stands for both the native token and
 * its wrapper.
 */
export function isEnd(end: Address, token: Address, wrappedNative: Address | null): boolean {
  return token === end || (end === NATIVE && (token === wrappedNative || token === ZERO_ADDRESS))
}

/**
 * Returns true if leg `k` is joined with the leg before it, so that they share a call. Two hops of one contract are
 * joined if no other leg buys or sells the token between them. The encoder has the same rule.
 */
export function isJoined(legs: readonly GasLeg[], k: number): boolean {
  const [previousLeg, leg] = [legs[k - 1], legs[k]]
  if (!previousLeg || !leg || previousLeg.tokenOut !== leg.tokenIn || previousLeg.pool.family !== leg.pool.family)
    return false
  if (!usesSingleton(leg.pool.family)) return false
  return legs.every(
    (other) =>
      (other === leg || other.tokenIn !== leg.tokenIn) && (other === previousLeg || other.tokenOut !== leg.tokenIn),
  )
}

/**
 * Returns true if the previous hop pays the pool of this leg directly: if no other leg sells the token or uses the
 * pool. The encoder has the same rule.
 */
export function isPrepaidLeg({ legs, tokenIn, tokenOut, wrappedNative }: GasSwap, leg: GasLeg): boolean {
  const { tokenIn: soldToken, pool } = leg
  if (
    !acceptsPrepayment(pool.family) ||
    isEnd(tokenIn, soldToken, wrappedNative) ||
    isEnd(tokenOut, soldToken, wrappedNative)
  )
    return false
  return legs.every((other) => other === leg || (other.tokenIn !== soldToken && other.pool.id !== pool.id))
}
