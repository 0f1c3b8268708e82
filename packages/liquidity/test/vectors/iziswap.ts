/** Test vectors of iZiSwap. */
import { sellUpTo } from '../../src/dexes/iziswap/math.ts'
import type { IziswapState } from '../../src/dexes/iziswap/types.ts'
import { differences, pairOf, TOKEN_0, TOKEN_1 } from './pool.ts'
import type { VectorForm, VectorPool } from './types.ts'

/** A limit that is never reached: the price range of every pool ends before it. */
const FARTHEST = 800_000

const stateOf = ({ state, fee, pointDelta, points }: VectorPool): IziswapState => ({
  sqrtPriceX96: BigInt(state.sqrtPrice_96),
  point: Number(state.currentPoint),
  liquidity: BigInt(state.liquidity),
  liquidityX: BigInt(state.liquidityX),
  feePpm: Number(fee),
  pointDelta: Number(pointDelta),
  points: points.map((at: VectorPool) => ({
    point: Number(at.point),
    endpoint: (Number(at.orderOrEndpoint) & 1) !== 0,
    order: (Number(at.orderOrEndpoint) & 2) !== 0,
    liquidityNet: BigInt(at.liquidDelta),
    sellingX: BigInt(at.sellingX),
    sellingY: BigInt(at.sellingY),
  })),
})

/** Converts quotes of real pools, and sequences of swaps with the state after each. */
export const iziswapForm: VectorForm = ({ pools }) =>
  pools.flatMap((pool: VectorPool) => [
    ...pool.swaps.map((swap: VectorPool) => () => question(pool.name, stateOf(pool), swap)),
    ...pool.sequence.map((swap: VectorPool, k: number) => () => {
      // The files lack limit orders after a swap, so take them from our state; the later swaps verify it.
      const before = pool.sequence
        .slice(0, k)
        .reduce(
          (state: IziswapState, past: VectorPool) => sellUpTo(state, isX(past), BigInt(past.amount)).state,
          stateOf(pool),
        )
      return question(`${pool.name}, in turn`, before, swap)
    }),
  ])

const isX = (swap: VectorPool): boolean => swap.fn === 'swapX2Y'

function question(name: string, state: IziswapState, swap: VectorPool) {
  if (swap.fn.includes('Desire')) return { skip: 'exactOut is not quoted' }
  if (Math.abs(swap.limit) !== FARTHEST) return { skip: 'price limits are not used' }
  const sellX = isX(swap)
  const amountIn = BigInt(swap.amount)
  const paidAmount = swap.refusal === undefined ? BigInt(sellX ? swap.amountX : swap.amountY) : null
  return {
    label: `${amountIn} of ${sellX ? 'X' : 'Y'} in ${name}`,
    pool: pairOf('iziswap', [TOKEN_0, TOKEN_1], state),
    tokenIn: sellX ? TOKEN_0 : TOKEN_1,
    tokenOut: sellX ? TOKEN_1 : TOKEN_0,
    amountIn,
    // A partial fill must be refused.
    amountOut: paidAmount === amountIn ? BigInt(sellX ? swap.amountY : swap.amountX) : null,
    after: (after: unknown) => {
      const { sqrtPriceX96, point, liquidity, liquidityX } = after as IziswapState
      if (!swap.after) return undefined
      return differences({ sqrtPrice_96: sqrtPriceX96, currentPoint: point, liquidity, liquidityX }, swap.after)
    },
  }
}
