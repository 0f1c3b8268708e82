import type { LiquidityBookState } from '../dexes/liquidity-book/types.ts'
import { namedAddress } from './address.ts'
import { differences, pairOf, TOKEN_0, TOKEN_1 } from './pool.ts'
import type { Adapter, Form, VectorPool } from './types.ts'

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
    limited: false,
    fee: { ...extra.staticFeeParams, ...extra.variableFeeParams },
  }
  return pairOf(
    'liquidity-book',
    tokens.map((token: VectorPool) => namedAddress(token.address)),
    state,
  )
}

/** Answers of genuine pairs of versions 2.1 and 2.2; each names the time of its swap. */
export const liquidityBookForm: Form = ({ states, vectors }) =>
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
      asked: `${vector.amountIn} of ${vector.swapForY ? 'X' : 'Y'} in ${vector.state} at ${vector.timestamp}`,
      pool: pairOf('liquidity-book', [TOKEN_0, TOKEN_1], state),
      tokenIn: vector.swapForY ? TOKEN_0 : TOKEN_1,
      tokenOut: vector.swapForY ? TOKEN_1 : TOKEN_0,
      amountIn: BigInt(vector.amountIn),
      amountOut: vector.fails ? null : BigInt(vector.amountOut),
      after: (state: unknown) => {
        const is = state as LiquidityBookState
        const crossed = Math.abs(is.activeId - activeId)
        return differences({ ...is.fee, activeId: is.activeId, binsCrossed: crossed }, { ...after, binsCrossed })
      },
    }
  })
