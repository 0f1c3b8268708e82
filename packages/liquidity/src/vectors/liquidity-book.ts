import type { LiquidityBookState } from '../dexes/liquidity-book/types.ts'
import { namedAddress } from './address.ts'
import { pairOf } from './pool.ts'
import type { Adapter, VectorPool } from './types.ts'

/** Token X comes first. The source lists every bin. */
export const liquidityBook: Adapter = ({ pool }) => {
  const { extra, tokens } = pool
  const state: LiquidityBookState = {
    timestamp: extra.rpcBlockTimestamp,
    binStep: extra.binStep,
    activeId: extra.activeBinId,
    bins: extra.bins.map((bin: VectorPool) => ({
      id: bin.id,
      reserveX: BigInt(bin.reserveX),
      reserveY: BigInt(bin.reserveY),
    })),
    allBelow: true,
    allAbove: true,
    fee: { ...extra.staticFeeParams, ...extra.variableFeeParams },
  }
  return pairOf(
    'liquidity-book',
    tokens.map((token: VectorPool) => namedAddress(token.address)),
    state,
  )
}
