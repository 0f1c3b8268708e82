/**
 * Exact math of GHO Stability Modules. Follows Gsm, FixedFeeStrategy, and FixedPriceStrategy of aave/gho-core at
 * 605e15a. Checked against 210 real quotes.
 */
import { PoolRefusal } from '../../family.ts'
import { divUp, min } from '../../math/integers.ts'

/** State of a module. Fees are basis points. */
export type AaveGsmState = {
  /** True while the module is frozen, and after it was seized. */
  readonly stopped: boolean
  /** Base units of one whole asset token: 10^decimals. */
  readonly unit: bigint
  /** Fixed price of one whole asset token, in base units of GHO. */
  readonly ratio: bigint
  /** Fee of a trade that sells the asset to the module. */
  readonly sellFee: bigint
  /** Fee of a trade that buys the asset from the module. */
  readonly buyFee: bigint
  /** Base units of the asset that the module still accepts. */
  readonly exposure: bigint
  /** Base units of the asset that the module can pay out. */
  readonly liquidity: bigint
  /** Base units of GHO that the module may mint in total (`bucketCapacity` of the GHO token). */
  readonly capacity: bigint
  /** Base units of GHO that the module has minted. */
  readonly level: bigint
}

/** Fixed-point one of fees. */
const FEE_UNIT = 10_000n

/** Amounts of a trade in base units. */
export type GsmTrade = {
  readonly asset: bigint
  /** GHO that the trader receives or pays, after the fee. */
  readonly gho: bigint
  /** GHO without the fee, which the module mints or burns. */
  readonly grossGho: bigint
}

/** Returns the trade that sells up to `maxAsset`. The module takes less than this if less earns the same GHO. */
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

/** Returns the asset amount that `gho` buys. @see `getAssetAmountForBuyAsset` of the contract */
function assetForGho({ unit, ratio, buyFee }: AaveGsmState, gho: bigint): bigint {
  return (((gho * FEE_UNIT) / (FEE_UNIT + buyFee)) * unit) / ratio
}

/**
 * Quotes an exact input. For a purchase, the contract expects an asset amount and computes the GHO that it costs. So
 * part of an exact input of GHO may remain unspent.
 *
 * @throws PoolRefusal `PAUSED` if frozen or seized; `TOO_LARGE` above the exposure, the liquidity, or the GHO that it
 * can mint or burn; `TOO_SMALL` for no output
 */
export function quote(
  state: AaveGsmState,
  sellsAsset: boolean,
  amountIn: bigint,
): { readonly amountOut: bigint; readonly state: AaveGsmState } {
  if (state.stopped) throw new PoolRefusal('PAUSED', 'it is frozen or seized')
  const { asset, gho, grossGho } = sellsAsset
    ? tradeForSale(state, amountIn)
    : tradeForPurchase(state, assetForGho(state, amountIn))
  if (asset <= 0n || gho <= 0n) throw new PoolRefusal('TOO_SMALL', `${amountIn} buys nothing`)
  const { exposure, liquidity, capacity, level } = state
  if (sellsAsset && asset > exposure) throw new PoolRefusal('TOO_LARGE', `it accepts at most ${exposure}`)
  if (!sellsAsset && asset > liquidity) throw new PoolRefusal('TOO_LARGE', `it holds only ${liquidity}`)
  if (sellsAsset ? level + grossGho > capacity : grossGho > level)
    throw new PoolRefusal('TOO_LARGE', 'more GHO than it may mint or can burn')
  const sign = sellsAsset ? 1n : -1n
  return {
    amountOut: sellsAsset ? gho : asset,
    state: {
      ...state,
      exposure: exposure - sign * asset,
      liquidity: liquidity + sign * asset,
      level: level + sign * grossGho,
    },
  }
}

/** Returns the output per base unit of input, after fees. */
export function rateOf({ unit, ratio, sellFee, buyFee }: AaveGsmState, sellsAsset: boolean): number {
  const price = Number(ratio) / Number(unit)
  return sellsAsset
    ? price * (1 - Number(sellFee) / Number(FEE_UNIT))
    : 1 / (price * (1 + Number(buyFee) / Number(FEE_UNIT)))
}

/** Returns the approximate largest input in base units. */
export function approximateMaxInput(state: AaveGsmState, sellsAsset: boolean): bigint {
  const { unit, ratio, buyFee, exposure, liquidity, capacity, level } = state
  if (sellsAsset) return min(exposure, ((capacity - level) * unit) / ratio)
  return min(tradeForPurchase(state, liquidity).gho, (level * (FEE_UNIT + buyFee)) / FEE_UNIT)
}
