/**
 * Computes the automatic slippage (`slippage=auto`): the smallest tolerance with which a transaction that is mined
 * within two blocks is likely to succeed.
 */
import { FLOAT_PPM } from '@sluice/chains'
import { familyOf, nullIfRefused } from '@sluice/liquidity'
import type { Leg, RoutePlan } from '@sluice/routing'
import type { AutoSlippage } from '../quote/ports.ts'
import { sharesOf } from './leg-drift.ts'

/** Drift of quotes through a pool: the change of the output two blocks later. */
export type MeasuredDrift = {
  /** Number of samples in the window. */
  readonly samples: number
  /** The worst sample in parts per million; negative is a loss of the taker. */
  readonly worstPpm: number
}

/** Limits of the automatic slippage in parts per million: 0.05 % to 3 %. */
export const AUTO_SLIPPAGE = { min: 500n, max: 30_000n }
/** Number of samples at which the measured drift and the drift expected from the pool's fee have equal weight. */
const PRIOR_SAMPLES = 20
/** Fee in ppm below which a pool's two tokens count as having the same value, such as two dollar tokens. */
const MAX_STEADY_FEE_PPM = 250
/**
 * Price move within two blocks, in ppm, that is exceeded once in a hundred times. `steady` is for tokens of the same
 * value.
 */
const TAIL_MOVE_PPM = { steady: 100, volatile: 1_000 }
/**
 * Share of a pool's fee that is added to the pool's expected move. Pools with higher fees are shallower, and their
 * prices are corrected by arbitrage later.
 */
const FEE_SHARE = 0.5

/**
 * Returns a slippage that the route is unlikely to exceed, computed from the move of each pool. A move is the loss that
 * quotes through the pool may have within two blocks. It is the loss of the worst sample. While there are few samples,
 * it is averaged with the move that the pool's fee suggests. Pools of one pair move together, so their moves are added,
 * weighted by each pool's share of the trade. Different pairs move independently, so the squares of their moves are
 * added.
 */
export function autoSlippage(
  route: Pick<RoutePlan, 'tokenIn' | 'legs'>,
  driftOf: (pool: string) => MeasuredDrift | undefined = () => undefined,
): AutoSlippage {
  const shares = sharesOf(route)
  const movePpmByPair = new Map<string, number>()
  let measuredCount = 0
  for (const [k, leg] of route.legs.entries()) {
    const drift = driftOf(leg.pool.id)
    if (drift && drift.samples > 0) measuredCount++
    const pair = [leg.tokenIn, leg.tokenOut].sort().join()
    movePpmByPair.set(pair, (movePpmByPair.get(pair) ?? 0) + shares[k]! * movePpmOf(leg, drift))
  }
  const movePpm = Math.sqrt([...movePpmByPair.values()].reduce((sum, ppm) => sum + ppm ** 2, 0))
  const ppm = boundPpm(BigInt(Math.ceil(Number.isFinite(movePpm) ? movePpm : 0)))
  const { length } = route.legs
  const poolCountText = (count: number) => `${count} of its ${length} pool${length === 1 ? '' : 's'}`
  return {
    ppm,
    reason:
      length === 0
        ? 'wrapping moves no price'
        : `what the route is not likely to lose within two blocks: measured for ${poolCountText(measuredCount)}, expected by their fees for ${poolCountText(length - measuredCount)}`,
  }
}

function movePpmOf(leg: Leg, drift: MeasuredDrift | undefined): number {
  const feePpm = feePpmOf(leg)
  const expectedPpm = (feePpm < MAX_STEADY_FEE_PPM ? TAIL_MOVE_PPM.steady : TAIL_MOVE_PPM.volatile) + feePpm * FEE_SHARE
  if (!drift) return expectedPpm
  const weight = drift.samples / (drift.samples + PRIOR_SAMPLES)
  return weight * Math.max(0, -drift.worstPpm) + (1 - weight) * expectedPpm
}

/** Returns the fee of a leg's pool in ppm, on input and output together. */
function feePpmOf({ pool, tokenIn, tokenOut }: Leg): number {
  const curve = nullIfRefused(() => familyOf(pool.family)!.priceCurve(pool, tokenIn, tokenOut))
  return curve ? (1 - curve.keepIn * curve.keepOut) * FLOAT_PPM : 0
}

function boundPpm(ppm: bigint): bigint {
  const { min, max } = AUTO_SLIPPAGE
  return ppm < min ? min : ppm > max ? max : ppm
}
