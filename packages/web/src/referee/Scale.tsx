/** The scale that compares the output of a mined swap with the best route. */
import { Plot } from '../ui/Plot.tsx'
import { bpsText } from './outcomes.ts'
import type { Comparison } from './report.ts'

type Props = {
  /** Output of the mined swap, in base units. */
  readonly paid: bigint
  readonly comparison: Comparison
}

const HEIGHT_PX = 148
/** y coordinate of the axis. */
const AXIS_Y = 84
/** Space left and right of the scale. */
const EDGE_PX = 12
/** Minimum extent of the scale, so that a hundredth of a basis point does not look large. */
const MIN_SPAN_BPS = 2

/** Shows the output, the best route, and the bound on one scale, as distances in basis points from the best route. */
export function Scale(props: Props) {
  return <Plot>{(width) => <ScaleDrawing {...props} width={width} />}</Plot>
}

function ScaleDrawing({ paid, comparison, width }: Props & { readonly width: number }) {
  const { bestAmountOut, boundAmountOut } = comparison
  // Positions relative to the best route, in basis points.
  const paidBps = -bpsBelow(paid, bestAmountOut)
  const boundBps = boundAmountOut === null ? null : -bpsBelow(boundAmountOut, bestAmountOut)
  const shownBps = [paidBps, 0, boundBps ?? 0]
  const [low, high] = [Math.min(...shownBps), Math.max(...shownBps)]
  const padBps = Math.max(0, MIN_SPAN_BPS - (high - low)) / 2 + (high - low) * 0.04
  const x = (bps: number) => EDGE_PX + ((bps - low + padBps) / (high - low + 2 * padBps)) * (width - 2 * EDGE_PX)
  const anchor = (value: number) => (x(value) > width * 0.6 ? 'end' : x(value) < width * 0.4 ? 'start' : 'middle')
  const paidText =
    paidBps === 0 ? 'paid: the same' : `paid: ${bpsText(Math.abs(paidBps))} ${paidBps < 0 ? 'less' : 'more'}`
  const boundText =
    boundBps === null ? 'bound: not known' : `bound: ${boundBps < 0.01 ? '< 0.01 bps' : bpsText(boundBps)} more at most`
  return (
    <svg
      className="scale"
      viewBox={`0 0 ${width} ${HEIGHT_PX}`}
      width={width}
      height={HEIGHT_PX}
      role="img"
      aria-label={`Compared with the best simulated route: ${paidText}; ${boundText}`}
    >
      <path className="grid-l" d={`M${EDGE_PX} ${AXIS_Y}H${width - EDGE_PX}`} />
      <path className={paidBps < 0 ? 'scale__left' : 'scale__more'} d={`M${x(paidBps)} ${AXIS_Y}H${x(0)}`} />
      {boundBps !== null && (
        <>
          <path className="scale__bound" d={`M${x(boundBps)} 28V${AXIS_Y + 8}`} />
          <text x={x(boundBps)} y={20} textAnchor={anchor(boundBps)}>
            {boundText}
          </text>
        </>
      )}
      <path className="scale__best" d={`M${x(0)} 58V${AXIS_Y + 8}`} />
      <text className="strong" x={x(0)} y={50} textAnchor={anchor(0)}>
        best simulated
      </text>
      <path className="scale__paid" d={`m${x(paidBps)} ${AXIS_Y + 6}-7 12h14Z`} />
      <text className="strong" x={x(paidBps)} y={AXIS_Y + 40} textAnchor={anchor(paidBps)}>
        {paidText}
      </text>
    </svg>
  )
}

/** Returns the basis points by which an amount lies below the best, as a float for drawing only. */
function bpsBelow(amount: bigint, bestAmountOut: bigint): number {
  return bestAmountOut === 0n ? 0 : Number(((bestAmountOut - amount) * 10_000_000n) / bestAmountOut) / 1_000
}
