/**
 * Builds price curves of Kyber Elastic pools. Each step of a swap (`math.ts`) becomes one piece with the same input.
 */
import { FLOAT_PPM } from '@sluice/chains'
import type { PriceCurve } from '../../family.ts'
import { CurveBuilder } from '../../math/curve-builder.ts'
import { stepsOf } from './math.ts'
import type { KyberElasticState } from './types.ts'

const Q96 = 2 ** 96

/**
 * Returns the curve up to the end of the pool. Does not apply `END_MARGIN`. The curve pays slightly more than the pool,
 * because each step of the pool converts a part of its fee to liquidity. The relative difference is at most half of the
 * fee times the relative fall of √price in the step.
 */
export function curveOf(state: KyberElasticState, zeroForOne: boolean): PriceCurve {
  const builder = new CurveBuilder()
  const keepIn = 1 - state.feePpm / FLOAT_PPM
  const sqrtPriceAt = (sqrtPriceX96: bigint) => (zeroForOne ? Number(sqrtPriceX96) / Q96 : Q96 / Number(sqrtPriceX96))
  for (const { sqrtPrice, targetSqrtPrice, inputToTarget } of stepsOf(state, zeroForOne)) {
    const [from, to] = [sqrtPriceAt(sqrtPrice), sqrtPriceAt(targetSqrtPrice)]
    const input = Number(inputToTarget) * keepIn
    if (input > 0) builder.addHyperbola(from, to, 1, input)
    else builder.addHyperbola(from, to, 0)
  }
  return builder.build(keepIn)
}
