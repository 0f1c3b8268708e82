import { type AaveV3State, balanceOf, minted, taken } from '../dexes/aave-v3/math.ts'
import { differences, pairOf, TOKEN_0, TOKEN_1 } from './pool.ts'
import type { Form, VectorPool } from './types.ts'

/** All that a caller has. */
const ALL = (1n << 256n) - 1n
/** Refusal of more than the caller has, which is nothing about the reserve. */
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
 * Calls of a market and what they did to the scaled balance of their caller, which the maths has to say too. A withdrawal is asked for as
 * the program does it: the aTokens are sent first.
 */
export const aaveV3Form: Form = ({ states }) =>
  states.flatMap((from: VectorPool) => from.swaps.map((swap: VectorPool) => () => question(from, swap)))

function question(from: VectorPool, swap: VectorPool) {
  if (swap.refusal === TOO_MUCH_FOR_CALLER) return { skip: 'its caller had less' }
  const supply = swap.f === 'supply'
  const state = stateOf(from, swap.indexUsed ?? from.normalizedIncome)
  const asked = `${swap.f} ${swap.amount}: ${from.name}`
  const refused = swap.refusal !== undefined
  const held = BigInt(from.handScaled)
  const all = BigInt(swap.amount) === ALL
  const amount = all ? balanceOf(state, held) : BigInt(swap.amount)
  const scaled = supply ? minted(state, amount) : -taken(state, amount)
  if (!refused) {
    const ours = [scaled, supply ? -amount : amount, balanceOf(state, held + scaled)].join()
    const told = [swap.scaledDelta, swap.assetDelta, swap.balanceAfter].join()
    if (ours !== told) throw new RangeError(`${asked}: ${ours}, not ${told}`)
  }
  const paid = refused ? 0n : balanceOf(state, BigInt(swap.scaledDelta) * (supply ? 1n : -1n))
  return {
    asked,
    pool: pairOf('aave-v3', [TOKEN_0, TOKEN_1], state),
    tokenIn: supply ? TOKEN_0 : TOKEN_1,
    tokenOut: supply ? TOKEN_1 : TOKEN_0,
    amountIn: amount,
    amountOut: refused ? null : paid,
    after: (after: unknown) => {
      const { scaledSupply, cash } = after as AaveV3State
      const moved = supply ? amount : -paid
      return differences(
        { scaledSupply, cash },
        { scaledSupply: state.scaledSupply + scaled, cash: state.cash + moved },
      )
    },
  }
}
