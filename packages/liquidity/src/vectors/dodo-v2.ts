import type { DodoV2State, Side } from '../dexes/dodo-v2/types.ts'
import { namedAddress } from './address.ts'
import { pairOf } from './pool.ts'
import type { Adapter, VectorPool } from './types.ts'

const SIDES: readonly Side[] = ['ONE', 'ABOVE_ONE', 'BELOW_ONE']

/** The base token comes first. */
export const dodoV2: Adapter = ({ pool }, { amountIn, tokenIn }) => {
  const { extra, staticExtra, tokens } = pool
  if (staticExtra.type === 'CLASSICAL') return 'a pool of the first version, which is not of this family'
  const least = extra[tokenIn === tokens[0].address ? 'mB' : 'mQ']
  if (least && BigInt(amountIn!) < BigInt(least)) return 'its source raises small amounts to a least one of its own'
  const state: DodoV2State = {
    price: BigInt(extra.i),
    slippage: BigInt(extra.K),
    base: BigInt(extra.B),
    quote: BigInt(extra.Q),
    baseTarget: BigInt(extra.B0),
    quoteTarget: BigInt(extra.Q0),
    side: SIDES[Number(extra.R)]!,
    lpFee: BigInt(extra.lpFeeRate),
    maintainerFee: BigInt(extra.mtFeeRate),
  }
  return pairOf(
    'dodo-v2',
    tokens.map((token: VectorPool) => namedAddress(token.address)),
    state,
  )
}
