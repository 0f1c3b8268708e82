/** Test vectors of Fluid DEX. */
import { ZERO_ADDRESS } from '@sluice/chains'
import type { FluidDexState, FluidReserves } from '../../src/dexes/fluid-dex/types.ts'
import { pairOf, TOKEN_0 } from './pool.ts'
import type { VectorForm, VectorPool } from './types.ts'

const DECIMALS = [6n, 18n] as const
const PAUSED_AT = 255n

const reservesOf = (from: VectorPool): FluidReserves => ({
  real: [BigInt(from.token0RealReserves), BigInt(from.token1RealReserves)],
  imaginary: [BigInt(from.token0ImaginaryReserves), BigInt(from.token1ImaginaryReserves)],
})

const stateOf = (from: VectorPool): FluidDexState => ({
  paused: BigInt(from.dexVariables2) >> PAUSED_AT !== 0n,
  feePpm: BigInt(from.fee),
  revenueCut: BigInt(from.revenueCut),
  lastPrice: BigInt(from.prices.lastStoredPrice),
  centerPrice: BigInt(from.prices.centerPrice),
  collateral: from.smartCollateral ? reservesOf(from.collateral) : null,
  debt: from.smartDebt ? reservesOf(from.debt) : null,
  ...(from.smartDebt && { owed: [BigInt(from.debt.token0Debt), BigInt(from.debt.token1Debt)] as const }),
  decimals: DECIMALS,
})

/**
 * Converts swaps from one state, and one recorded on chain. Sequences are skipped: each swap was mined in a later
 * block, and interest had changed the curves since the state was read.
 */
export const fluidDexForm: VectorForm = ({ states, real }) => [
  () => question(real.before, 'as the chain recorded', real),
  ...states.flatMap((state: VectorPool) => [
    ...state.swaps.map((swap: VectorPool) => () => question(state, state.name, swap)),
    ...state.sequence.map(() => () => ({
      skip: 'its state was read seconds before it, and interest grows by the second',
    })),
  ]),
]

function question(from: VectorPool, name: string, swap: VectorPool) {
  // The second token is the native token.
  const tokens = [TOKEN_0, ZERO_ADDRESS] as const
  return {
    label: `${swap.amountIn} of token ${swap.zeroForOne ? 0 : 1}: ${name}`,
    pool: pairOf('fluid-dex', tokens, stateOf(from)),
    tokenIn: swap.zeroForOne ? tokens[0] : tokens[1],
    tokenOut: swap.zeroForOne ? tokens[1] : tokens[0],
    amountIn: BigInt(swap.amountIn),
    amountOut: swap.refusal === undefined ? BigInt(swap.amountOut) : null,
  }
}
