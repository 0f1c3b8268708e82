import type { AaveGsmState } from '../dexes/aave-gsm/math.ts'
import { buying, selling } from '../dexes/aave-gsm/math.ts'
import { pairOf, TOKEN_0, TOKEN_1 } from './pool.ts'
import type { Form, VectorPool } from './types.ts'

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
 * Both ways are told in the asset. A purchase is asked for what it cost, or would have; what a call itself took and paid has to be what
 * the maths says of its argument too. Views say for how much GHO so much is bought.
 */
export const aaveGsmForm: Form = ({ states }) =>
  states.flatMap((from: VectorPool) => from.swaps.map((swap: VectorPool) => () => question(from, swap)))

function question(from: VectorPool, swap: VectorPool) {
  const state = stateOf(from)
  if (swap.f === 'getAssetAmountForSellAsset') return { skip: 'exact output is not quoted' }
  const isView = swap.f === 'getAssetAmountForBuyAsset'
  const sellAsset = swap.f === 'sellAsset'
  const amount = BigInt(swap.amount ?? 0)
  const trade = sellAsset ? selling(state, amount) : buying(state, amount)
  const asked = `${swap.f} ${swap.amount ?? swap.gho}: ${from.name}`
  const refused = swap.refusal !== undefined
  const told = [swap.assetAmount, swap.ghoAmount].map(String).join()
  if (!refused && !isView && told !== [trade.asset, trade.gho].join())
    throw new RangeError(`${asked}: ${[trade.asset, trade.gho]}, not ${told}`)
  return {
    asked,
    pool: pairOf(
      'aave-gsm',
      [TOKEN_0, TOKEN_1],
      isView ? { ...state, liquidity: 1n << 128n, level: 1n << 200n } : state,
    ),
    tokenIn: sellAsset ? TOKEN_0 : TOKEN_1,
    tokenOut: sellAsset ? TOKEN_1 : TOKEN_0,
    amountIn: sellAsset ? amount : isView ? BigInt(swap.gho) : trade.gho,
    amountOut: refused ? null : BigInt(isView ? swap.view[0] : sellAsset ? swap.ghoAmount : swap.assetAmount),
  }
}
