/** Checked against 210 answers; Gsm, FixedFeeStrategy and FixedPriceStrategy of aave/gho-core at 605e15a. */
import { PoolRefusal } from '../../family.ts'
import { divUp, min } from '../../math/integers.ts'

/** Base units; prices of 10^18, fees of 10^4. */
export type AaveGsmState = {
  /** True while frozen, and once seized. */
  readonly stopped: boolean
  /** Base units of one whole asset, and GHO for it. */
  readonly unit: bigint
  readonly ratio: bigint
  readonly sellFee: bigint
  readonly buyFee: bigint
  /** Base units of the asset that it still takes in. */
  readonly exposure: bigint
  /** Base units of the asset that it can pay. */
  readonly liquidity: bigint
  /** GHO that it may have made, and has. */
  readonly capacity: bigint
  readonly level: bigint
}

/** Fees are parts of it. */
const WHOLE = 10_000n

/** Amounts of a trade: what is taken or paid, in both tokens, and the GHO that is made or burnt. */
export type GsmTrade = { readonly asset: bigint; readonly gho: bigint; readonly gross: bigint }

/** A sale of up to so much of the asset: less is taken where less is worth the same. */
export function selling({ unit, ratio, sellFee }: AaveGsmState, most: bigint): GsmTrade {
  const worth = (most * ratio) / unit
  const gho = worth - divUp(worth * sellFee, WHOLE)
  // A fee of all of it leaves nothing to count back from.
  const gross = sellFee < WHOLE ? divUp(gho * WHOLE, WHOLE - sellFee) : 0n
  return { asset: divUp(gross * unit, ratio), gho, gross }
}

/** A purchase of at least so much of the asset. */
export function buying({ unit, ratio, buyFee }: AaveGsmState, least: bigint): GsmTrade {
  const worth = divUp(least * ratio, unit)
  const gho = worth + divUp(worth * buyFee, WHOLE)
  const gross = (gho * WHOLE) / (WHOLE + buyFee)
  return { asset: (gross * unit) / ratio, gho, gross }
}

/** Units of the asset that so much GHO is asked to buy: `getAssetAmountForBuyAsset`. */
function boughtFor({ unit, ratio, buyFee }: AaveGsmState, gho: bigint): bigint {
  return (((gho * WHOLE) / (WHOLE + buyFee)) * unit) / ratio
}

/**
 * The output of an exact input. The asset is bought by its number: the most that the GHO pays for, whose rest is not spent.
 *
 * @throws PoolRefusal `PAUSED` where it is frozen or seized; `TOO_LARGE` beyond its exposure, its liquidity or what it may make;
 *   `TOO_SMALL` where nothing comes out
 */
export function quote(
  state: AaveGsmState,
  sellAsset: boolean,
  amountIn: bigint,
): { readonly amountOut: bigint; readonly state: AaveGsmState } {
  if (state.stopped) throw new PoolRefusal('PAUSED', 'it is frozen or seized')
  const { asset, gho, gross } = sellAsset ? selling(state, amountIn) : buying(state, boughtFor(state, amountIn))
  if (asset <= 0n || gho <= 0n) throw new PoolRefusal('TOO_SMALL', `${amountIn} buys nothing`)
  const { exposure, liquidity, capacity, level } = state
  if (sellAsset && asset > exposure) throw new PoolRefusal('TOO_LARGE', `it takes in no more than ${exposure}`)
  if (!sellAsset && asset > liquidity) throw new PoolRefusal('TOO_LARGE', `it holds no more than ${liquidity}`)
  if (sellAsset ? level + gross > capacity : gross > level)
    throw new PoolRefusal('TOO_LARGE', 'more GHO than it may make, or has made')
  const sign = sellAsset ? 1n : -1n
  return {
    amountOut: sellAsset ? gho : asset,
    state: {
      ...state,
      exposure: exposure - sign * asset,
      liquidity: liquidity + sign * asset,
      level: level + sign * gross,
    },
  }
}

/** Output for a unit of input, fee included. */
export function rateOf({ unit, ratio, sellFee, buyFee }: AaveGsmState, sellAsset: boolean): number {
  const price = Number(ratio) / Number(unit)
  return sellAsset ? price * (1 - Number(sellFee) / Number(WHOLE)) : 1 / (price * (1 + Number(buyFee) / Number(WHOLE)))
}

/** About the largest input. */
export function limitOf(state: AaveGsmState, sellAsset: boolean): bigint {
  const { unit, ratio, buyFee, exposure, liquidity, capacity, level } = state
  if (sellAsset) return min(exposure, ((capacity - level) * unit) / ratio)
  return min(buying(state, liquidity).gho, (level * (WHOLE + buyFee)) / WHOLE)
}
