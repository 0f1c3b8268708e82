import { ZERO_ADDRESS } from '@sluice/chains'
import { concentrated } from './concentrated.ts'
import type { Adapter } from './types.ts'

const withoutProtocolFee = { protocolFee0Ppm: 0, protocolFee1Ppm: 0 }
const adapt = concentrated('uniswap-v4')

/** The fees of these states are what swaps paid in all. */
export const uniswapV4: Adapter = (state, vector) => {
  const pool = adapt(state, vector)
  if (typeof pool === 'string') return pool
  const fixed = { fee: state.pool.fee, tickSpacing: state.pool.tickSpacing, hooks: ZERO_ADDRESS }
  return { ...pool, fixed, state: { ...(pool.state as object), ...withoutProtocolFee } }
}
