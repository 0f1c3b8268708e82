/** Test vectors of Ambient. */
import { limitBitsOf, swapExactInput } from '../../src/dexes/ambient/math.ts'
import type { AmbientState } from '../../src/dexes/ambient/types.ts'
import { nullIfRefused } from '../../src/family.ts'
import { differences, pairOf, TOKEN_0, TOKEN_1 } from './pool.ts'
import type { VectorForm, VectorPool } from './types.ts'

const stateOf = ({ spec, levels = [] }: VectorPool, curve: VectorPool): AmbientState => ({
  feeRate: BigInt(spec.feeRate),
  protocolTake: BigInt(spec.protocolTake),
  priceRoot: BigInt(curve.priceRoot),
  ambientSeeds: BigInt(curve.ambientSeeds),
  concLiq: BigInt(curve.concLiq),
  seedDeflator: BigInt(curve.seedDeflator),
  concGrowth: BigInt(curve.concGrowth),
  levels: levels.map(({ tick, bidLots, askLots }: VectorPool) => [Number(tick), BigInt(bidLots), BigInt(askLots)]),
})

/**
 * Converts independent swaps, sequences of swaps, and recorded swaps of a chain. Each is also run with the price limit
 * of the vector, and must stop there with the same flows.
 */
export const ambientForm: VectorForm = ({ pools, real }) => [
  ...pools.flatMap((pool: VectorPool) => [
    ...pool.swaps.map((swap: VectorPool) => () => question(stateOf(pool, pool.curve), pool.name, swap)),
    ...pool.sequence.map(
      (swap: VectorPool, k: number) => () =>
        question(stateOf(pool, k === 0 ? pool.curve : pool.sequence[k - 1].after), `${pool.name}, in turn`, swap),
    ),
  ]),
  ...real.map((swap: VectorPool) => () => {
    if (swap.before.concLiq !== swap.after.concLiq) return { skip: 'the levels that it crossed are not recorded' }
    return question(stateOf(swap, swap.before), swap.tx, swap)
  }),
]

/** Transfer failures of the caller, not refusals of the curve. */
const SHORT = new Set(['TF', 'EC'])

function question(state: AmbientState, name: string, swap: VectorPool) {
  const { isBuy, inBaseQty, refusal } = swap
  if (isBuy !== inBaseQty) return { skip: 'exact output is not quoted' }
  if (SHORT.has(refusal)) return { skip: 'the caller had too few tokens' }
  const label = `${swap.qty} of the ${isBuy ? 'base' : 'quote'}: ${name}`
  const amountIn = BigInt(swap.qty)
  const ours = nullIfRefused(() => swapExactInput(state, isBuy, amountIn, BigInt(swap.limitPrice)))
  const flows = ours && (isBuy ? [ours.amountIn, -ours.amountOut] : [-ours.amountOut, ours.amountIn])
  const reportedFlows = refusal === undefined ? [swap.baseFlow, swap.quoteFlow] : null
  if (String(flows) !== String(reportedFlows))
    throw new RangeError(`${label}: ${flows}, not ${reportedFlows} with its own price limit`)
  const wrong = swap.after && ours && differences(curveOf(ours.state), swap.after)
  if (wrong) throw new RangeError(`${label}: ${wrong}`)
  if (!ours) return { skip: 'stops at a distant price limit' }
  const own = 1n << BigInt(limitBitsOf(state, isBuy))
  const isBeyond = (root: bigint) => (isBuy ? root >= own : root <= own)
  const isWhole = ours.amountIn === amountIn
  if (!isWhole && !isBeyond(BigInt(swap.limitPrice))) return { skip: 'stops at a near price limit' }
  return {
    label,
    pool: pairOf('ambient', [TOKEN_0, TOKEN_1].toSorted(), state),
    ...(isBuy ? { tokenIn: LOWER, tokenOut: UPPER } : { tokenIn: UPPER, tokenOut: LOWER }),
    amountIn,
    amountOut: isWhole && ours.amountOut > 0n && !isBeyond(ours.state.priceRoot) ? ours.amountOut : null,
    after: (after: unknown) => swap.after && differences(curveOf(after as AmbientState), swap.after),
  }
}

const [LOWER, UPPER] = [TOKEN_0, TOKEN_1].toSorted() as [typeof TOKEN_0, typeof TOKEN_1]

const curveOf = ({ priceRoot, ambientSeeds, concLiq, seedDeflator, concGrowth }: AmbientState) => ({
  priceRoot,
  ambientSeeds,
  concLiq,
  seedDeflator,
  concGrowth,
})
