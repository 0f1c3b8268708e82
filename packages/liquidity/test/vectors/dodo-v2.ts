/** Test vectors of DODO V2. */
import type { DodoV2State, Side } from '../../src/dexes/dodo-v2/types.ts'
import { namedAddress } from './address.ts'
import { differences, pairOf, TOKEN_0, TOKEN_1 } from './pool.ts'
import type { Adapter, VectorForm, VectorPool } from './types.ts'

const SIDES: readonly Side[] = ['ONE', 'ABOVE_ONE', 'BELOW_ONE']

/** Converts a pool of another program; the base token comes first. */
export const dodoV2: Adapter = ({ pool }, { amountIn, tokenIn }) => {
  const { extra, staticExtra, tokens } = pool
  if (staticExtra.type === 'CLASSICAL') return 'a DODO V1 pool, which is another family'
  const minimum = extra[tokenIn === tokens[0].address ? 'mB' : 'mQ']
  if (minimum && BigInt(amountIn!) < BigInt(minimum)) return 'its source raises small amounts to a minimum of its own'
  return pairOf(
    'dodo-v2',
    tokens.map((token: VectorPool) => namedAddress(token.address)),
    stateOf(extra),
  )
}

/** Field names as in `getPMMStateForCall` and `getUserFeeRate`. */
const stateOf = (from: VectorPool): DodoV2State => ({
  price: BigInt(from.i),
  slippage: BigInt(from.K),
  base: BigInt(from.B),
  quote: BigInt(from.Q),
  baseTarget: BigInt(from.B0),
  quoteTarget: BigInt(from.Q0),
  side: SIDES[Number(from.R)]!,
  lpFee: BigInt(from.lpFeeRate),
  maintainerFee: BigInt(from.mtFeeRate),
})

/** Converts quotes of real pools of all three kinds. */
export const dodoV2Form: VectorForm = ({ states, vectors }) =>
  vectors.map((vector: VectorPool) => () => ({
    label: `${vector.amountIn} of ${vector.sellBase ? 'base' : 'quote'} in ${vector.state}`,
    pool: pairOf('dodo-v2', [TOKEN_0, TOKEN_1], stateOf(states[vector.state])),
    tokenIn: vector.sellBase ? TOKEN_0 : TOKEN_1,
    tokenOut: vector.sellBase ? TOKEN_1 : TOKEN_0,
    amountIn: BigInt(vector.amountIn),
    amountOut: vector.fails ? null : BigInt(vector.amountOut),
    after: (state: unknown) => {
      const { base: B, quote: Q, baseTarget: B0, quoteTarget: Q0, side } = state as DodoV2State
      // Null if the pool's getter reverts.
      return vector.after ? differences({ B, Q, B0, Q0, R: SIDES.indexOf(side) }, vector.after) : undefined
    },
  }))
