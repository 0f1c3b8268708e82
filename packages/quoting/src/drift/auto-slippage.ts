/** `slippage=auto`: as little as lets a transaction through that lands within two blocks. Pure. */
import { FLOAT_PPM } from '@sluice/chains'
import { familyOf, orRefused } from '@sluice/liquidity'
import type { Leg, Route } from '@sluice/routing'
import type { AutoSlippage } from '../quote/ports.ts'
import { sharesOf } from './leg-drift.ts'

/** Loss of quotes through a pool in the time that a transaction takes to land. */
export type MeasuredDrift = {
  /** Samples of the window; more say more. */
  readonly samples: number
  /** The worst of them, parts per million: below 0 against the taker. */
  readonly worstPpm: number
}

/** 0.05 % to 3 %. */
export const AUTO_SLIPPAGE = { least: 500n, most: 30_000n }
/** Samples that weigh as much as what a pool's fee lets expect. */
const PRIOR_SAMPLES = 20
/** A pool whose fee is below this trades what is worth the same: parts per million. */
const STEADY_FEE_PPM = 250
/** Parts per million that a price moves within two blocks, once in a hundred times: of what is worth the same, of anything else. */
const MOVE_PPM = { steady: 100, other: 1_000 }
/** Others' trades move a pool further where its fee is higher: it is thinner, and left out of line for longer. */
const FEE_PART = 0.5

/**
 * Tolerance that the route's pools are not likely to exceed against a taker: for each its worst in the window, mixed with what is to be
 * expected of a pool with its fee, as the samples are few. Pools of one pair move together, and count by their shares; pairs
 * move apart from each other, and count by their squares.
 */
export function autoSlippage(
  route: Pick<Route, 'tokenIn' | 'legs'>,
  measuredOf: (pool: string) => MeasuredDrift | undefined = () => undefined,
): AutoSlippage {
  const shares = sharesOf(route)
  const ofPair = new Map<string, number>()
  let measured = 0
  for (const [k, leg] of route.legs.entries()) {
    const drift = measuredOf(leg.pool.id)
    if (drift && drift.samples > 0) measured++
    const pair = [leg.tokenIn, leg.tokenOut].sort().join()
    ofPair.set(pair, (ofPair.get(pair) ?? 0) + shares[k]! * moveOf(leg, drift))
  }
  const move = Math.sqrt([...ofPair.values()].reduce((sum, ppm) => sum + ppm ** 2, 0))
  const ppm = bounded(BigInt(Math.ceil(Number.isFinite(move) ? move : 0)))
  const { length } = route.legs
  const pools = (count: number) => `${count} of its ${length} pool${length === 1 ? '' : 's'}`
  return {
    ppm,
    reason:
      length === 0
        ? 'wrapping moves no price'
        : `what the route is not likely to lose within two blocks: measured for ${pools(measured)}, expected by their fees for ${pools(length - measured)}`,
  }
}

function moveOf(leg: Leg, drift: MeasuredDrift | undefined): number {
  const feePpm = feeOf(leg)
  const expected = (feePpm < STEADY_FEE_PPM ? MOVE_PPM.steady : MOVE_PPM.other) + feePpm * FEE_PART
  if (!drift) return expected
  const weight = drift.samples / (drift.samples + PRIOR_SAMPLES)
  return weight * Math.max(0, -drift.worstPpm) + (1 - weight) * expected
}

/** Parts per million, of both sides together. */
function feeOf({ pool, tokenIn, tokenOut }: Leg): number {
  const curve = orRefused(() => familyOf(pool.family)!.priceCurve(pool, tokenIn, tokenOut))
  return curve ? (1 - curve.keepIn * curve.keepOut) * FLOAT_PPM : 0
}

function bounded(ppm: bigint): bigint {
  const { least, most } = AUTO_SLIPPAGE
  return ppm < least ? least : ppm > most ? most : ppm
}
