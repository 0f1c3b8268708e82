/** Test vectors of Aave V3 markets. */
import { type AaveV3State, balanceOf, scaledBurn, scaledMint } from '../../src/dexes/aave-v3/math.ts'
import { differences, pairOf, TOKEN_0, TOKEN_1 } from './pool.ts'
import type { VectorForm, VectorPool } from './types.ts'

/** uint256 max: the whole balance of the caller. */
const ALL = (1n << 256n) - 1n
/** Error of a caller with too low a balance, which says nothing about the reserve. */
const TOO_MUCH_FOR_CALLER = '32'

const stateOf = (from: VectorPool, income: string): AaveV3State => ({
  active: from.active === '1' && from.paused === '0',
  frozen: from.frozen === '1',
  income: BigInt(income),
  scaledSupply: BigInt(from.scaledTotalSupply),
  treasury: 0n,
  cap: BigInt(from.supplyCapWholeTokens) * 10n ** 6n,
  cash: BigInt(from.availableLiquidity),
  floors: false,
})

/**
 * Converts calls of a market. Our math must reproduce the change of the caller's scaled balance. A withdrawal is quoted
 * as the Executor does it: aTokens are transferred first.
 */
export const aaveV3Form: VectorForm = ({ states }) =>
  states.flatMap((from: VectorPool) => from.swaps.map((swap: VectorPool) => () => question(from, swap)))

function question(from: VectorPool, swap: VectorPool) {
  if (swap.refusal === TOO_MUCH_FOR_CALLER) return { skip: 'its caller had a lower balance' }
  const supply = swap.f === 'supply'
  const state = stateOf(from, swap.indexUsed ?? from.normalizedIncome)
  const label = `${swap.f} ${swap.amount}: ${from.name}`
  const isRefused = swap.refusal !== undefined
  const heldScaled = BigInt(from.handScaled)
  const all = BigInt(swap.amount) === ALL
  const amount = all ? balanceOf(state, heldScaled) : BigInt(swap.amount)
  const scaledDelta = supply ? scaledMint(state, amount) : -scaledBurn(state, amount)
  if (!isRefused) {
    const ours = [scaledDelta, supply ? -amount : amount, balanceOf(state, heldScaled + scaledDelta)].join()
    const reportedAmounts = [swap.scaledDelta, swap.assetDelta, swap.balanceAfter].join()
    if (ours !== reportedAmounts) throw new RangeError(`${label}: ${ours}, not ${reportedAmounts}`)
  }
  const paidAmount = isRefused ? 0n : balanceOf(state, BigInt(swap.scaledDelta) * (supply ? 1n : -1n))
  return {
    label,
    pool: pairOf('aave-v3', [TOKEN_0, TOKEN_1], state),
    tokenIn: supply ? TOKEN_0 : TOKEN_1,
    tokenOut: supply ? TOKEN_1 : TOKEN_0,
    amountIn: amount,
    amountOut: isRefused ? null : paidAmount,
    after: (after: unknown) => {
      const { scaledSupply, cash } = after as AaveV3State
      const cashChange = supply ? amount : -paidAmount
      return differences(
        { scaledSupply, cash },
        { scaledSupply: state.scaledSupply + scaledDelta, cash: state.cash + cashChange },
      )
    },
  }
}
