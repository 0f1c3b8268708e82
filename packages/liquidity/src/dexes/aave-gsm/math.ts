/**
 * Exact math of GHO Stability Modules. Follows Gsm, FixedFeeStrategy, and FixedPriceStrategy of aave/gho-core at
 * 605e15a. Checked against 210 real quotes.
 */
import { PoolRefusal } from '../../family.ts'
import { divUp, min } from '../../math/integers.ts'

/** State of a module. Amounts are base units, and fees are basis points. */
export type AaveGsmState = {
  /** True while frozen, and after seizure. */
  readonly stopped: boolean
  /** Base units of one whole unit of the asset, and its fixed price in base units of GHO. */
  readonly unit: bigint
  readonly ratio: bigint
  readonly sellFee: bigint
  readonly buyFee: bigint
  /** Base units of the asset that the module still accepts. */
  readonly exposure: bigint
  /** Base units of the asset that it can pay out. */
  readonly liquidity: bigint
  /** GHO that the module may mint in total (the capacity of its bucket), and GHO that it has minted. */
  readonly capacity: bigint
  readonly level: bigint
}

const FEE_UNIT = 10_000n

/** Amounts of a trade in both tokens, and the GHO before the fee, which is minted or burned. */
export type GsmTrade = { readonly asset: bigint; readonly gho: bigint; readonly grossGho: bigint }

/** Returns the trade that sells up to `maxAsset`. The module takes less if a smaller amount earns the same GHO. */
export function tradeForSale({ unit, ratio, sellFee }: AaveGsmState, maxAsset: bigint): GsmTrade {
  const value = (maxAsset * ratio) / unit
  const gho = value - divUp(value * sellFee, FEE_UNIT)
  // With a fee of 100 %, `grossGho` cannot be derived from `gho`.
  const grossGho = sellFee < FEE_UNIT ? divUp(gho * FEE_UNIT, FEE_UNIT - sellFee) : 0n
  return { asset: divUp(grossGho * unit, ratio), gho, grossGho }
}

/** Returns the trade that buys at least `minAsset`. */
export function tradeForPurchase({ unit, ratio, buyFee }: AaveGsmState, minAsset: bigint): GsmTrade {
  const value = divUp(minAsset * ratio, unit)
  const gho = value + divUp(value * buyFee, FEE_UNIT)
  const grossGho = (gho * FEE_UNIT) / (FEE_UNIT + buyFee)
  return { asset: (grossGho * unit) / ratio, gho, grossGho }
}

/** Returns the asset amount that `gho` buys, as `getAssetAmountForBuyAsset`. */
function assetForGho({ unit, ratio, buyFee }: AaveGsmState, gho: bigint): bigint {
  return (((gho * FEE_UNIT) / (FEE_UNIT + buyFee)) * unit) / ratio
}

/**
 * Quotes an exact input. A purchase is specified by its asset amount, so part of the GHO may remain unspent.
 *
 * @throws PoolRefusal `PAUSED` if frozen or seized; `TOO_LARGE` above the exposure, the liquidity, or the GHO bucket;
 * `TOO_SMALL` for no output
 */
export function quote(
  state: AaveGsmState,
  sellAsset: boolean,
  amountIn: bigint,
): { readonly amountOut: bigint; readonly state: AaveGsmState } {
  if (state.stopped) throw new PoolRefusal('PAUSED', 'it is frozen or seized')
  const { asset, gho, grossGho } = sellAsset
    ? tradeForSale(state, amountIn)
    : tradeForPurchase(state, assetForGho(state, amountIn))
  if (asset <= 0n || gho <= 0n) throw new PoolRefusal('TOO_SMALL', `${amountIn} buys nothing`)
  const { exposure, liquidity, capacity, level } = state
  if (sellAsset && asset > exposure) throw new PoolRefusal('TOO_LARGE', `it takes in no more than ${exposure}`)
  if (!sellAsset && asset > liquidity) throw new PoolRefusal('TOO_LARGE', `it holds no more than ${liquidity}`)
  if (sellAsset ? level + grossGho > capacity : grossGho > level)
    throw new PoolRefusal('TOO_LARGE', 'more GHO than it may make, or has made')
  const sign = sellAsset ? 1n : -1n
  return {
    amountOut: sellAsset ? gho : asset,
    state: {
      ...state,
      exposure: exposure - sign * asset,
      liquidity: liquidity + sign * asset,
      level: level + sign * grossGho,
    },
  }
}

/** Returns the output per unit of input, after fees. */
export function rateOf({ unit, ratio, sellFee, buyFee }: AaveGsmState, sellAsset: boolean): number {
  const price = Number(ratio) / Number(unit)
  return sellAsset
    ? price * (1 - Number(sellFee) / Number(FEE_UNIT))
    : 1 / (price * (1 + Number(buyFee) / Number(FEE_UNIT)))
}

/** Returns the approximate largest input. */
export function approximateMaxInput(state: AaveGsmState, sellAsset: boolean): bigint {
  const { unit, ratio, buyFee, exposure, liquidity, capacity, level } = state
  if (sellAsset) return min(exposure, ((capacity - level) * unit) / ratio)
  return min(tradeForPurchase(state, liquidity).gho, (level * (FEE_UNIT + buyFee)) / FEE_UNIT)
}
