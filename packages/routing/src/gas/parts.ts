/**
 * A route's gas taken apart. A plain chain of pools is `route` and a `hop` of each family; every other part is what a leg
 * costs more or less because of who pays whom, and of what the legs before it have touched.
 */
import { type Address, NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import { type GasPart, gasRow, isDear, tokenGas } from '@sluice/liquidity'
import { isPrepaid, isSingleton } from '@sluice/program'
import { takesNative, usesWrapper } from '../native.ts'
import type { Leg, Route } from '../types.ts'

/** A leg as far as its gas goes by it; `gas` is that of the table, ticks crossed included. */
export type GasLeg = Pick<Leg, 'pool' | 'tokenIn' | 'tokenOut' | 'gas' | 'writes'>
export type GasSwap = Pick<Route, 'tokenIn' | 'tokenOut'> & {
  readonly legs: readonly GasLeg[]
  readonly wrappedNative: Address | null
}

/** Counts of the parts in a route. */
export type GasParts = ReadonlyMap<GasPart, number>

export function gasParts(swap: GasSwap): GasParts {
  const { legs, tokenIn, wrappedNative } = swap
  const parts = new Map<GasPart, number>([['route', 1]])
  const add = (part: GasPart, count = 1) => parts.set(part, (parts.get(part) ?? 0) + count)
  const makers = new Set<Address>()
  const takers = new Set<Address>()
  const pools = new Set<string>()
  const singletons = new Set<string>()
  legs.forEach((leg, k) => {
    const { pool, tokenIn: sold, tokenOut: bought, writes } = leg
    add(`hop:${pool.family}`)
    const pieces = piecesOf(leg)
    if (pieces > 0) add(`piece:${pool.family}`, pieces)
    if (writes?.includes('oracle')) add(`oracle:${pool.family}`)
    if (takers.has(sold)) add(isEnd(swap.tokenIn, sold, wrappedNative) ? 'pulledAgain' : 'takenAgain')
    if (makers.has(bought)) add(isEnd(swap.tokenOut, bought, wrappedNative) ? 'paidAgain' : 'madeAgain')
    if (pools.has(pool.id)) add('poolAgain')
    if (isJoined(legs, k)) add('joined')
    else if (isSingleton(pool.family) && singletons.has(pool.family)) add('singletonAgain')
    if (isPrepaidLeg(swap, leg)) add('prepaid')
    if (bought === ZERO_ADDRESS && swap.tokenOut !== NATIVE && !isJoined(legs, k + 1)) add('nativeBetween')
    takers.add(sold)
    makers.add(bought)
    pools.add(pool.id)
    singletons.add(pool.family)
  })
  for (const token of movedIn(legs)) if (isDear(token)) add(`token:${token}`)
  if (tokenIn === NATIVE) {
    add('nativeIn')
    if (takesNative(legs, swap)) add('broughtNative')
  }
  if (swap.tokenOut === NATIVE) add('nativeOut')
  if (usesWrapper(legs, swap)) add('wrapper')
  return parts
}

/** Tokens that legs transfer: those between two hops of one call stay where they are. */
function movedIn(legs: readonly GasLeg[]): ReadonlySet<Address> {
  const moved = legs.flatMap(({ tokenIn, tokenOut }, k) => [
    ...(isJoined(legs, k) ? [] : [tokenIn]),
    ...(isJoined(legs, k + 1) ? [] : [tokenOut]),
  ])
  return new Set(moved)
}

/** Ticks and bins that a route crosses. */
export function piecesIn(parts: GasParts): number {
  return [...parts].reduce((sum, [part, count]) => (part.startsWith('piece:') ? sum + count : sum), 0)
}

/** Ticks or bins that a leg crosses, which its quote counts; in part where it walks over words of ticks without one. */
function piecesOf({ pool: { family }, tokenIn, tokenOut, gas }: GasLeg): number {
  const { hop, piece } = gasRow(family)
  return piece > 0 ? (gas - tokenGas(tokenIn) - tokenGas(tokenOut) - hop) / piece : 0
}

export function isEnd(end: Address, token: Address, wrappedNative: Address | null): boolean {
  return token === end || (end === NATIVE && (token === wrappedNative || token === ZERO_ADDRESS))
}

/** As the encoder has it: nobody else makes or takes the token between two hops of one contract. */
export function isJoined(legs: readonly GasLeg[], k: number): boolean {
  const [before, leg] = [legs[k - 1], legs[k]]
  if (!before || !leg || before.tokenOut !== leg.tokenIn || before.pool.family !== leg.pool.family) return false
  if (!isSingleton(leg.pool.family)) return false
  return legs.every(
    (other) => (other === leg || other.tokenIn !== leg.tokenIn) && (other === before || other.tokenOut !== leg.tokenIn),
  )
}

/** As the encoder has it: the maker of the token pays the pool, which alone takes it. */
export function isPrepaidLeg({ legs, tokenIn, tokenOut, wrappedNative }: GasSwap, leg: GasLeg): boolean {
  const { tokenIn: sold, pool } = leg
  if (!isPrepaid(pool.family) || isEnd(tokenIn, sold, wrappedNative) || isEnd(tokenOut, sold, wrappedNative))
    return false
  return legs.every((other) => other === leg || (other.tokenIn !== sold && other.pool.id !== pool.id))
}
