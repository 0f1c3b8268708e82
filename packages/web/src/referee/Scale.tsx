/** The scale that compares a payment with the best route. */
import { Plot } from '../ui/Plot.tsx'
import { bpsText } from './outcomes.ts'
import type { Comparison } from './report.ts'

type Props = { readonly paid: bigint; readonly comparison: Comparison }

const HEIGHT = 148
const AXIS = 84
const EDGE = 12
/** Minimum span in basis points, so that a hundredth of a basis point does not look large. */
const MIN_SPAN_BPS = 2

/** Shows the payment, the best route, and the bound on one scale, as distances in basis points from the best route. */
export function Scale(props: Props) {
  return <Plot>{(width) => <Drawn {...props} width={width} />}</Plot>
}

function Drawn({ paid, comparison, width }: Props & { readonly width: number }) {
  const { bestAmountOut, boundAmountOut } = comparison
  const paidAt = -bpsBelow(paid, bestAmountOut)
  const boundAt = boundAmountOut === null ? null : -bpsBelow(boundAmountOut, bestAmountOut)
  const ends = [paidAt, 0, boundAt ?? 0]
  const [low, high] = [Math.min(...ends), Math.max(...ends)]
  const pad = Math.max(0, MIN_SPAN_BPS - (high - low)) / 2 + (high - low) * 0.04
  const x = (bps: number) => EDGE + ((bps - low + pad) / (high - low + 2 * pad)) * (width - 2 * EDGE)
  const anchor = (value: number) => (x(value) > width * 0.6 ? 'end' : x(value) < width * 0.4 ? 'start' : 'middle')
  const paidText =
    paidAt === 0 ? 'paid: the same' : `paid: ${bpsText(Math.abs(paidAt))} ${paidAt < 0 ? 'less' : 'more'}`
  const boundWords =
    boundAt === null ? 'bound: not known' : `bound: ${boundAt < 0.01 ? '< 0.01 bps' : bpsText(boundAt)} more at most`
  return (
    <svg
      className="scale"
      viewBox={`0 0 ${width} ${HEIGHT}`}
      width={width}
      height={HEIGHT}
      role="img"
      aria-label={`Compared with the best simulated route: ${paidText}; ${boundWords}`}
    >
      <path className="grid-l" d={`M${EDGE} ${AXIS}H${width - EDGE}`} />
      <path className={paidAt < 0 ? 'scale__left' : 'scale__more'} d={`M${x(paidAt)} ${AXIS}H${x(0)}`} />
      {boundAt !== null && (
        <>
          <path className="scale__bound" d={`M${x(boundAt)} 28V${AXIS + 8}`} />
          <text x={x(boundAt)} y={20} textAnchor={anchor(boundAt)}>
            {boundWords}
          </text>
        </>
      )}
      <path className="scale__best" d={`M${x(0)} 58V${AXIS + 8}`} />
      <text className="strong" x={x(0)} y={50} textAnchor={anchor(0)}>
        best simulated
      </text>
      <path className="scale__paid" d={`m${x(paidAt)} ${AXIS + 6}-7 12h14Z`} />
      <text className="strong" x={x(paidAt)} y={AXIS + 40} textAnchor={anchor(paidAt)}>
        {paidText}
      </text>
    </svg>
  )
}

/** Returns the basis points by which an amount lies below the best, as a float for drawing only. */
function bpsBelow(amount: bigint, bestAmountOut: bigint): number {
  return bestAmountOut === 0n ? 0 : Number(((bestAmountOut - amount) * 10_000_000n) / bestAmountOut) / 1_000
}
