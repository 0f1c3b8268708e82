/** Test vectors of Algebra Integral. */
import type { ConcentratedState, Tick } from '../../src/math/concentrated.ts'
import { namedAddress } from './address.ts'
import { pairOf } from './pool.ts'
import type { Adapter } from './types.ts'

type VectorTick = { readonly Index: number; readonly LiquidityNet: number | string }

/** Flag in the pool's plugin configuration. */
const DYNAMIC_FEE = 0x80

/** Converts a pool of another program. */
export const algebraIntegral: Adapter = ({ pool }) => {
  const { liq, gS, tS, ticks } = pool.extra
  if (gS.pC & DYNAMIC_FEE) return 'a plugin sets its fee at the time of the swap'
  const state: ConcentratedState = {
    sqrtPriceX96: BigInt(gS.price),
    tick: gS.tick,
    liquidity: BigInt(liq),
    feePpm: gS.lF,
    tickSpacing: tS,
    ticks: ticks.map((tick: VectorTick): Tick => [tick.Index, BigInt(tick.LiquidityNet)]),
  }
  return pairOf(
    'algebra-integral',
    pool.tokens.map(({ address }: { address: string }) => namedAddress(address)),
    state,
  )
}
