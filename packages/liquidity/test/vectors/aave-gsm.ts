/** Test vectors of the Aave GSM. */
import type { AaveGsmState } from '../../src/dexes/aave-gsm/math.ts'
import { tradeForPurchase, tradeForSale } from '../../src/dexes/aave-gsm/math.ts'
import { pairOf, TOKEN_0, TOKEN_1 } from './pool.ts'
import type { VectorForm, VectorPool } from './types.ts'

const stateOf = (from: VectorPool): AaveGsmState => ({
  stopped: from.isFrozen || from.isSeized,
  unit: 10n ** BigInt(from.assetDecimals),
  ratio: BigInt(from.priceRatio),
  sellFee: BigInt(from.sellFeeBps ?? 0),
  buyFee: BigInt(from.buyFeeBps ?? 0),
  exposure: BigInt(from.availableUnderlyingExposure),
  liquidity: BigInt(from.availableLiquidity),
  capacity: BigInt(from.ghoBucket[0]),
  level: BigInt(from.ghoBucket[1]),
})

/**
 * Converts calls of a GSM and of its views. Both directions are given in asset units. A purchase is quoted for the GHO
 * that it cost, and our math must reproduce what the call took and paid. Views return the asset amount for a GHO
 * amount.
 */
export const aaveGsmForm: VectorForm = ({ states }) =>
  states.flatMap((from: VectorPool) => from.swaps.map((swap: VectorPool) => () => question(from, swap)))

function question(from: VectorPool, swap: VectorPool) {
  const state = stateOf(from)
  if (swap.f === 'getAssetAmountForSellAsset') return { skip: 'exact output is not quoted' }
  const isView = swap.f === 'getAssetAmountForBuyAsset'
  const sellAsset = swap.f === 'sellAsset'
  const amount = BigInt(swap.amount ?? 0)
  const trade = sellAsset ? tradeForSale(state, amount) : tradeForPurchase(state, amount)
  const label = `${swap.f} ${swap.amount ?? swap.gho}: ${from.name}`
  const isRefused = swap.refusal !== undefined
  const reportedAmounts = [swap.assetAmount, swap.ghoAmount].map(String).join()
  if (!isRefused && !isView && reportedAmounts !== [trade.asset, trade.gho].join())
    throw new RangeError(`${label}: ${[trade.asset, trade.gho]}, not ${reportedAmounts}`)
  return {
    label,
    pool: pairOf(
      'aave-gsm',
      [TOKEN_0, TOKEN_1],
      isView ? { ...state, liquidity: 1n << 128n, level: 1n << 200n } : state,
    ),
    tokenIn: sellAsset ? TOKEN_0 : TOKEN_1,
    tokenOut: sellAsset ? TOKEN_1 : TOKEN_0,
    amountIn: sellAsset ? amount : isView ? BigInt(swap.gho) : trade.gho,
    amountOut: isRefused ? null : BigInt(isView ? swap.view[0] : sellAsset ? swap.ghoAmount : swap.assetAmount),
  }
}
