/**
 * Exact math of Fluid DEX pools. Follows coreModule and coreHelpers of FluidDexT1, Instadapp/fluid-contracts-public.
 * Checked against a deployed pool.
 */
import { PPM } from '@sluice/chains'
import { PoolRefusal } from '../../family.ts'
import { sqrt } from '../../math/integers.ts'
import type { FluidDexState, FluidReserves } from './types.ts'

const ONE = 10n ** 18n
/** Fixed-point one of prices. */
const PRICE_ONE = 10n ** 27n
/** Decimals of the amounts with which a pool computes (pool units). Token amounts in base units are scaled to them. */
const POOL_DECIMALS = 12n
/** Minimum input of a swap, in pool units. */
const MIN_SCALED = 1_000_000n
/** Minimum input of a swap, in base units. */
const MIN_AMOUNT = 100n
/** Maximum input of a swap, in pool units. */
const MAX_SCALED = 2n ** 96n - 1n
/**
 * Maximum difference between the price after a swap and `lastPrice`, as a fraction of the price after it; 18 decimals.
 */
const MAX_MOVE = ONE / 20n
/**
 * Fixed-point one of the product `revenueCut` · `feePpm`. `revenueCut` is in percent, so the product is in ppm / 100.
 */
const CUT_ONE = 100n * PPM
/** Maximum ratio between the values of both real reserves after a swap. */
const MAX_RESERVE_RATIO = 10_000n

/**
 * Amounts of a swap on one curve, in pool units. `amountIn` includes the fee. In this file, `i` is the index of the
 * input token, and `o` is the index of the output token.
 */
type CurveSwap = { readonly amountIn: bigint; readonly amountOut: bigint }

/**
 * Quotes an exact input. The pool splits it between both curves so that their final prices are equal. Each curve rounds
 * its output down.
 *
 * @throws PoolRefusal `PAUSED`, `EMPTY`, `TOO_SMALL`, `TOO_LARGE`; `UNSUPPORTED` after a swap, since the new state must
 * be read
 */
export function quote(
  state: FluidDexState,
  zeroForOne: boolean,
  amountIn: bigint,
): { readonly amountOut: bigint; readonly state: FluidDexState } {
  if (state.paused) throw new PoolRefusal('PAUSED', 'the pool is paused')
  if (state.spent) throw new PoolRefusal('UNSUPPORTED', 'the state after a swap must be read')
  const [i, o] = zeroForOne ? ([0, 1] as const) : ([1, 0] as const)
  const scaledIn = toPoolUnits(amountIn, state.decimals[i])
  if (scaledIn < MIN_SCALED || amountIn < MIN_AMOUNT)
    throw new PoolRefusal('TOO_SMALL', `${amountIn} is below the minimum`)
  if (scaledIn > MAX_SCALED) throw new PoolRefusal('TOO_LARGE', `${amountIn} is above the maximum`)
  const curves = [state.collateral, state.debt]
  const depth = curves.reduce((sum, curve) => sum + (curve?.imaginary[i] ?? 0n), 0n)
  if (depth === 0n) throw new PoolRefusal('EMPTY', 'neither curve has a reserve')
  if (scaledIn > depth / 2n) throw new PoolRefusal('TOO_LARGE', 'more than half of the imaginary reserve')
  const inputByCurve = splitInput(curves, scaledIn, i, o)
  const [collateral, debt] = curves.map(
    (curve, k) => curve && swapOnCurve(curve, inputByCurve[k]!, state.feePpm, i, o),
  ) as [CurveSwap, CurveSwap]
  checkInput(state, [collateral, debt], amountIn, i)
  checkReserves(state, collateral, debt, i)
  checkPrice(state, collateral, debt, i)
  const amountOut = [collateral, debt].reduce(
    (sum, curveSwap) => sum + (curveSwap ? toBaseUnits(curveSwap.amountOut, state.decimals[o]) : 0n),
    0n,
  )
  if (amountOut <= 0n) throw new PoolRefusal('TOO_SMALL', `${amountIn} buys nothing`)
  return { amountOut, state: { ...state, spent: true } }
}

/** Converts base units to pool units, rounded down. */
const toPoolUnits = (amount: bigint, decimals: bigint) =>
  decimals > POOL_DECIMALS ? amount / 10n ** (decimals - POOL_DECIMALS) : amount * 10n ** (POOL_DECIMALS - decimals)
/** Converts pool units to base units, rounded down. */
const toBaseUnits = (amount: bigint, decimals: bigint) =>
  decimals > POOL_DECIMALS ? amount * 10n ** (decimals - POOL_DECIMALS) : amount / 10n ** (POOL_DECIMALS - decimals)

/** The collateral curve and the debt curve; null for a disabled curve. */
type Curves = readonly (FluidReserves | null)[]

/**
 * Splits an input in pool units between the curves. If the share of one curve would not be positive, the other curve
 * gets all input. `x` and `y` are the imaginary reserves of the output and input token on the collateral curve; `x2`
 * and `y2` are those on the debt curve.
 */
function splitInput(
  [collateral, debt]: Curves,
  amount: bigint,
  i: 0 | 1,
  o: 0 | 1,
): readonly [collateralInput: bigint, debtInput: bigint] {
  if (!collateral) return [0n, amount]
  if (!debt) return [amount, 0n]
  const [x, y] = [collateral.imaginary[o], collateral.imaginary[i]]
  const [x2, y2] = [debt.imaginary[o], debt.imaginary[i]]
  const [root, root2] = [sqrt(x * y * ONE), sqrt(x2 * y2 * ONE)]
  const collateralInput = (y2 * root + amount * root - y * root2) / (root + root2)
  if (collateralInput <= 0n) return [0n, amount]
  return collateralInput >= amount ? [amount, 0n] : [collateralInput, amount - collateralInput]
}

/** Swaps on one curve. @param amountIn - pool units, with the fee */
function swapOnCurve({ imaginary }: FluidReserves, amountIn: bigint, feePpm: bigint, i: 0 | 1, o: 0 | 1): CurveSwap {
  if (amountIn === 0n) return { amountIn: 0n, amountOut: 0n }
  const netIn = (amountIn * (PPM - feePpm)) / PPM
  return { amountIn, amountOut: (netIn * imaginary[o]) / (imaginary[i] + netIn) }
}

/** Returns the input of a curve without the protocol's share of the fee. */
function inputWithoutCut({ revenueCut = 0n, feePpm }: FluidDexState, curveSwap: CurveSwap | null): bigint {
  return ((curveSwap?.amountIn ?? 0n) * (CUT_ONE - revenueCut * feePpm)) / CUT_ONE
}

/**
 * Checks the input as the Liquidity contract does. The contract records the input of each curve in whole base units.
 * The input of the swap may exceed the sum of the recorded inputs by at most 1 %. The input of the debt curve repays
 * debt, so it must not exceed the debt. The debt that we read is rounded down, so the contract accepts a few units
 * more.
 */
function checkInput(state: FluidDexState, curveSwaps: readonly (CurveSwap | null)[], amountIn: bigint, i: 0 | 1): void {
  const accountedInput = curveSwaps.reduce(
    (sum, curveSwap) => sum + toBaseUnits(inputWithoutCut(state, curveSwap), state.decimals[i]),
    0n,
  )
  if (amountIn * 100n > accountedInput * 101n)
    throw new PoolRefusal('TOO_SMALL', 'rounding would lose more than 1 % of the input')
  const { owed, decimals } = state
  if (
    owed &&
    curveSwaps[1] &&
    toBaseUnits(inputWithoutCut(state, curveSwaps[1]), decimals[i]) > toBaseUnits(owed[i], decimals[i])
  )
    throw new PoolRefusal('TOO_LARGE', 'the input would repay more than the debt', { isModelLimit: true })
}

/** Checks that no curve pays more than its real reserve, or keeps too little of one token. */
function checkReserves(state: FluidDexState, collateral: CurveSwap | null, debt: CurveSwap | null, i: 0 | 1): void {
  for (const [curve, curveSwap] of [
    [state.collateral, collateral],
    [state.debt, debt],
  ] as const) {
    if (!curve || !curveSwap || curveSwap.amountIn === 0n) continue
    const [reserveIn, reserveOut] = [curve.real[i] + curveSwap.amountIn, curve.real[1 - i]! - curveSwap.amountOut]
    if (reserveOut < 0n) throw new PoolRefusal('TOO_LARGE', 'more than the pool has')
    const [real0, real1] = i === 0 ? [reserveIn, reserveOut] : [reserveOut, reserveIn]
    const isTooLow =
      i === 0
        ? real1 < (real0 * state.centerPrice) / (PRICE_ONE * MAX_RESERVE_RATIO)
        : real0 < (real1 * PRICE_ONE) / (state.centerPrice * MAX_RESERVE_RATIO)
    if (isTooLow) throw new PoolRefusal('TOO_LARGE', 'the remaining reserve of one token would be too small')
  }
}

/**
 * Checks that the final price of the curve with the larger input is close enough to the stored price. The final price
 * includes the fee, but not the protocol's share.
 */
function checkPrice(state: FluidDexState, collateral: CurveSwap | null, debt: CurveSwap | null, i: 0 | 1): void {
  const [collateralInput, debtInput] = [inputWithoutCut(state, collateral), inputWithoutCut(state, debt)]
  const isCollateralLarger = collateralInput > debtInput
  const [curve, curveSwap] = isCollateralLarger ? [state.collateral!, collateral!] : [state.debt, debt]
  if (!curve || !curveSwap) return
  const [reserveIn, reserveOut] = [
    curve.imaginary[i] + (isCollateralLarger ? collateralInput : debtInput),
    curve.imaginary[1 - i]! - curveSwap.amountOut,
  ]
  const price = i === 0 ? (reserveOut * PRICE_ONE) / reserveIn : (reserveIn * PRICE_ONE) / reserveOut
  const priceMove = price === 0n ? ONE : ONE - (state.lastPrice * ONE) / price
  if (priceMove <= MAX_MOVE && priceMove >= -MAX_MOVE) return
  // The price may still be too far from the stored price because it was so before the swap. A larger input then helps.
  const isBehind = i === 0 ? priceMove > 0n && price > 0n : priceMove < 0n
  throw isBehind
    ? new PoolRefusal('TOO_SMALL', 'the price would stay too far from the stored price')
    : new PoolRefusal('TOO_LARGE', 'the price would move too far')
}

/** Returns the approximate largest input in base units, which moves the price as far as the pool allows. */
export function approximateMaxInput(state: FluidDexState, zeroForOne: boolean): bigint {
  const [i, o] = zeroForOne ? [0, 1] : [1, 0]
  const depth = Number(reservesInTokens(state, 'imaginary')[i]!)
  const curve = state.collateral ?? state.debt
  if (!curve || depth === 0) return 0n
  const price = Number(curve.imaginary[o]!) / Number(curve.imaginary[i]!)
  const lastPrice = zeroForOne ? Number(state.lastPrice) / 1e27 : 1e27 / Number(state.lastPrice)
  const maxMove = Number(MAX_MOVE) / 1e18
  // Minimum price after the swap, in output tokens per input token.
  const minPrice = zeroForOne ? lastPrice / (1 + maxMove) : lastPrice * (1 - maxMove)
  const limit = Math.min(depth / 2, depth * (Math.sqrt(price / minPrice) - 1))
  return limit > 0 && Number.isFinite(limit) ? BigInt(Math.floor(limit)) : 0n
}

/** Returns the reserves of each token, summed over both curves, in base units. */
export function reservesInTokens(state: FluidDexState, kind: keyof FluidReserves): readonly bigint[] {
  return ([0, 1] as const).map((k) =>
    [state.collateral, state.debt].reduce(
      (sum, curve) => sum + toBaseUnits(curve?.[kind][k] ?? 0n, state.decimals[k]),
      0n,
    ),
  )
}
