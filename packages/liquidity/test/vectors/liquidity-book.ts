/** Test vectors of Liquidity Book. */
import type { LiquidityBookState } from '../../src/dexes/liquidity-book/types.ts'
import { namedAddress } from './address.ts'
import { differences, pairOf, TOKEN_0, TOKEN_1 } from './pool.ts'
import type { Adapter, VectorForm, VectorPool } from './types.ts'

/** Converts a pool from another project's test data, which lists every bin. Token X comes first. */
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
    limited: false,
    fee: { ...extra.staticFeeParams, ...extra.variableFeeParams },
  }
  return pairOf(
    'liquidity-book',
    tokens.map((token: VectorPool) => namedAddress(token.address)),
    state,
  )
}

/** Converts quotes of real pairs of versions 2.1 and 2.2, each at the time of its swap. */
export const liquidityBookForm: VectorForm = ({ states, vectors }) =>
  vectors.map((vector: VectorPool) => () => {
    const { version, bins, binStep, activeId, ...fee } = states[vector.state]
    const state: LiquidityBookState = {
      timestamp: vector.timestamp,
      binStep,
      activeId,
      bins: bins.map(([id, x, y]: [number, string, string]) => ({ id, reserveX: BigInt(x), reserveY: BigInt(y) })),
      allBelow: true,
      allAbove: true,
      limited: version === '2.2',
      fee,
    }
    const { after, binsCrossed } = vector
    return {
      label: `${vector.amountIn} of ${vector.swapForY ? 'X' : 'Y'} in ${vector.state} at ${vector.timestamp}`,
      pool: pairOf('liquidity-book', [TOKEN_0, TOKEN_1], state),
      tokenIn: vector.swapForY ? TOKEN_0 : TOKEN_1,
      tokenOut: vector.swapForY ? TOKEN_1 : TOKEN_0,
      amountIn: BigInt(vector.amountIn),
      amountOut: vector.fails ? null : BigInt(vector.amountOut),
      after: (state: unknown) => {
        const quotedState = state as LiquidityBookState
        const crossedBins = Math.abs(quotedState.activeId - activeId)
        return differences(
          { ...quotedState.fee, activeId: quotedState.activeId, binsCrossed: crossedBins },
          { ...after, binsCrossed },
        )
      },
    }
  })
