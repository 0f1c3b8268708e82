/**
 * Checked against answers of a deployed pool; FluidDexT1 of Instadapp/fluid-contracts-public, coreModule and coreHelpers.
 */
import { PoolRefusal } from '../../family.ts'
import { sqrt } from '../../math/integers.ts'
import type { FluidDexState, FluidReserves } from './types.ts'

const PPM = 1_000_000n
const ONE = 10n ** 18n
const PRICE_ONE = 10n ** 27n
/** Decimals in which a pool counts. */
const POOL_DECIMALS = 12n
/** Least amounts, in the pool's decimals and in the token's own. */
const [LEAST_SCALED, LEAST] = [1_000_000n, 100n]
const MOST = 2n ** 96n - 1n
/** The most that a swap may move the price, as a part of the one it leaves. */
const MOST_MOVE = ONE / 20n
/** The whole of an input, of which a percent of the fee's millionths may leave. */
const CUT_ONE = 100n * PPM
/** Neither real reserve may be worth less than this part of the other after a swap. */
const LEAST_RESERVE_PART = 10_000n

/** A curve's part of a swap, with its fee. */
type Side = { readonly amountIn: bigint; readonly amountOut: bigint }

/**
 * The output of an exact input: divided between both curves so that their prices meet, each rounded down.
 *
 * @throws PoolRefusal `PAUSED`, `EMPTY`, `TOO_SMALL`, `TOO_LARGE`; `UNSUPPORTED` after a swap, whose state has to be read
 */
export function quote(
  state: FluidDexState,
  zeroForOne: boolean,
  amountIn: bigint,
): { readonly amountOut: bigint; readonly state: FluidDexState } {
  if (state.paused) throw new PoolRefusal('PAUSED', 'the pool is paused')
  if (state.spent) throw new PoolRefusal('UNSUPPORTED', 'a second swap meets a state that has to be read')
  const [i, o] = zeroForOne ? ([0, 1] as const) : ([1, 0] as const)
  const scaled = toPool(amountIn, state.decimals[i])
  if (scaled < LEAST_SCALED || amountIn < LEAST) throw new PoolRefusal('TOO_SMALL', `${amountIn} is less than it takes`)
  if (scaled > MOST) throw new PoolRefusal('TOO_LARGE', `${amountIn} is more than it can count`)
  const sides = [state.collateral, state.debt]
  const depth = sides.reduce((sum, side) => sum + (side?.imaginary[i] ?? 0n), 0n)
  if (depth === 0n) throw new PoolRefusal('EMPTY', 'neither of its curves is in use')
  if (scaled > depth / 2n) throw new PoolRefusal('TOO_LARGE', 'more than half of what the pool is computed with')
  const parts = divide(sides, scaled, i, o)
  const [collateral, debt] = sides.map((side, k) => side && swap(side, parts[k]!, state.feePpm, i, o)) as [Side, Side]
  needInput(state, [collateral, debt], amountIn, i)
  needReserves(state, collateral, debt, i)
  needPrice(state, collateral, debt, i)
  const amountOut = [collateral, debt].reduce(
    (sum, side) => sum + (side ? fromPool(side.amountOut, state.decimals[o]) : 0n),
    0n,
  )
  if (amountOut <= 0n) throw new PoolRefusal('TOO_SMALL', `${amountIn} buys nothing`)
  return { amountOut, state: { ...state, spent: true } }
}

const toPool = (amount: bigint, decimals: bigint) =>
  decimals > POOL_DECIMALS ? amount / 10n ** (decimals - POOL_DECIMALS) : amount * 10n ** (POOL_DECIMALS - decimals)
const fromPool = (amount: bigint, decimals: bigint) =>
  decimals > POOL_DECIMALS ? amount * 10n ** (decimals - POOL_DECIMALS) : amount / 10n ** (POOL_DECIMALS - decimals)

type Sides = readonly (FluidReserves | null)[]

/** The part of the input that each curve is given: all of it where the other's part would be none or less. */
function divide([collateral, debt]: Sides, amount: bigint, i: 0 | 1, o: 0 | 1): readonly [bigint, bigint] {
  if (!collateral) return [0n, amount]
  if (!debt) return [amount, 0n]
  const [x, y] = [collateral.imaginary[o], collateral.imaginary[i]]
  const [x2, y2] = [debt.imaginary[o], debt.imaginary[i]]
  const [root, root2] = [sqrt(x * y * ONE), sqrt(x2 * y2 * ONE)]
  const first = (y2 * root + amount * root - y * root2) / (root + root2)
  if (first <= 0n) return [0n, amount]
  return first >= amount ? [amount, 0n] : [first, amount - first]
}

function swap({ imaginary }: FluidReserves, amountIn: bigint, feePpm: bigint, i: 0 | 1, o: 0 | 1): Side {
  if (amountIn === 0n) return { amountIn: 0n, amountOut: 0n }
  const kept = (amountIn * (PPM - feePpm)) / PPM
  return { amountIn, amountOut: (kept * imaginary[o]) / (imaginary[i] + kept) }
}

/** The part of a curve's input that is not the protocol's cut of the fee. */
function staying({ revenueCut = 0n, feePpm }: FluidDexState, side: Side | null): bigint {
  return ((side?.amountIn ?? 0n) * (CUT_ONE - revenueCut * feePpm)) / CUT_ONE
}

/**
 * Liquidity is sent all of the input, and takes no more than a hundredth above what is accounted for in whole base units, nor more than is
 * owed: with the fee in it, that may be less than the reserves would bear. The debt is read rounded down: up to a few units more are taken.
 */
function needInput(state: FluidDexState, sides: readonly (Side | null)[], amountIn: bigint, i: 0 | 1): void {
  const counted = sides.reduce((sum, side) => sum + fromPool(staying(state, side), state.decimals[i]), 0n)
  if (amountIn * 100n > counted * 101n) throw new PoolRefusal('TOO_SMALL', 'too much of the input is lost by rounding')
  const { owed, decimals } = state
  if (owed && sides[1] && fromPool(staying(state, sides[1]), decimals[i]) > fromPool(owed[i], decimals[i]))
    throw new PoolRefusal('TOO_LARGE', 'more would be paid back than is owed', { isOwnLimit: true })
}

/** Neither curve may give what it does not have, nor be left with next to nothing of one token. */
function needReserves(state: FluidDexState, collateral: Side | null, debt: Side | null, i: 0 | 1): void {
  for (const [side, traded] of [
    [state.collateral, collateral],
    [state.debt, debt],
  ] as const) {
    if (!side || !traded || traded.amountIn === 0n) continue
    const [sold, bought] = [side.real[i] + traded.amountIn, side.real[1 - i]! - traded.amountOut]
    if (bought < 0n) throw new PoolRefusal('TOO_LARGE', 'more than the pool has')
    const [real0, real1] = i === 0 ? [sold, bought] : [bought, sold]
    const tooFew =
      i === 0
        ? real1 < (real0 * state.centerPrice) / (PRICE_ONE * LEAST_RESERVE_PART)
        : real0 < (real1 * PRICE_ONE) / (state.centerPrice * LEAST_RESERVE_PART)
    if (tooFew) throw new PoolRefusal('TOO_LARGE', 'too little of a token would be left')
  }
}

/** The price that the curve which took more is left with, fee and all but the protocol's cut of it, held against the one that was stored. */
function needPrice(state: FluidDexState, collateral: Side | null, debt: Side | null, i: 0 | 1): void {
  const [stays, staysToo] = [staying(state, collateral), staying(state, debt)]
  const byCollateral = stays > staysToo
  const [side, traded] = byCollateral ? [state.collateral!, collateral!] : [state.debt, debt]
  if (!side || !traded) return
  const [sold, bought] = [
    side.imaginary[i] + (byCollateral ? stays : staysToo),
    side.imaginary[1 - i]! - traded.amountOut,
  ]
  const price = i === 0 ? (bought * PRICE_ONE) / sold : (sold * PRICE_ONE) / bought
  const move = price === 0n ? ONE : ONE - (state.lastPrice * ONE) / price
  if (move <= MOST_MOVE && move >= -MOST_MOVE) return
  // A price that is too far on the other side of the stored one already comes nearer by more.
  const isBehind = i === 0 ? move > 0n && price > 0n : move < 0n
  throw isBehind
    ? new PoolRefusal('TOO_SMALL', 'the price would stay too far from that of the last trade')
    : new PoolRefusal('TOO_LARGE', 'the price would move too far')
}

/** About the largest input: it moves the price as far as a swap may. */
export function limitOf(state: FluidDexState, zeroForOne: boolean): bigint {
  const [i, o] = zeroForOne ? [0, 1] : [1, 0]
  const depth = Number(inTokens(state, 'imaginary')[i]!)
  const side = state.collateral ?? state.debt
  if (!side || depth === 0) return 0n
  const price = Number(side.imaginary[o]!) / Number(side.imaginary[i]!)
  const last = zeroForOne ? Number(state.lastPrice) / 1e27 : 1e27 / Number(state.lastPrice)
  const part = Number(MOST_MOVE) / 1e18
  // The price in the token sold may fall to this part of the one before.
  const least = zeroForOne ? last / (1 + part) : last * (1 - part)
  const limit = Math.min(depth / 2, depth * (Math.sqrt(price / least) - 1))
  return limit > 0 && Number.isFinite(limit) ? BigInt(Math.floor(limit)) : 0n
}

/** Reserves of both curves together, in base units of the tokens. */
export function inTokens(state: FluidDexState, which: keyof FluidReserves): readonly bigint[] {
  return ([0, 1] as const).map((k) =>
    [state.collateral, state.debt].reduce((sum, side) => sum + fromPool(side?.[which][k] ?? 0n, state.decimals[k]), 0n),
  )
}
