/** The drift plot of the Accuracy page. Drift is the change of a quote's output in the blocks after the quote. */
import { Plot } from '../ui/Plot.tsx'
import type { DelayedDrift, DriftRow } from './drift.ts'

type Props = { readonly row: DriftRow; readonly otherRows: readonly DriftRow[] }

const HEIGHT_PX = 196
/** Space left and right of the plot. */
const EDGE_PX = 24
/** Minimum extent of the scale on each side of 0, so that a hundredth of a basis point does not look large. */
const MIN_SCALE_BPS = 1
/** y coordinates of the lines for one and two blocks later. */
const LINE_YS = [68, 124] as const

/**
 * Plots the drift one and two blocks later on two horizontal lines. A bar extends from the 5th percentile to the
 * median. A dot marks the median, and a tick marks the mean. Gray ticks mark the medians of the other rows.
 */
export function DriftPlot(props: Props) {
  return <Plot>{(width) => <DriftDrawing {...props} width={width} />}</Plot>
}

function DriftDrawing({ row, otherRows, width }: Props & { readonly width: number }) {
  const rowBps = row.driftByDelay.flatMap(({ meanBps, medianBps, worst5PercentBps }) =>
    [meanBps, medianBps, worst5PercentBps].filter((bps) => bps !== null),
  )
  const otherMedians = otherRows.map(({ driftByDelay }) => driftByDelay.map(({ medianBps }) => medianBps))
  const shownBps = [...rowBps, ...otherMedians.flat().filter((bps) => bps !== null)]
  const min = Math.min(-MIN_SCALE_BPS, ...shownBps)
  const max = Math.max(MIN_SCALE_BPS, ...shownBps)
  const x = (bps: number) => EDGE_PX + ((bps - min) / (max - min)) * (width - 2 * EDGE_PX)
  return (
    <svg
      viewBox={`0 0 ${width} ${HEIGHT_PX}`}
      width={width}
      height={HEIGHT_PX}
      role="img"
      aria-label={ariaLabelOf(row)}
    >
      <path className="grid-l" d={`M${x(0)} 28V${HEIGHT_PX - 36}`} />
      {[min, 0, max].map((bps) => (
        <text
          key={bps}
          x={x(bps)}
          y={HEIGHT_PX - 16}
          textAnchor={bps === min ? 'start' : bps === max ? 'end' : 'middle'}
          className={doLabelsOverlap(x(bps), x(0)) && bps !== 0 ? 'hn__hid' : undefined}
        >
          {bpsText(bps)}
        </text>
      ))}
      {row.driftByDelay.map((drift, k) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the index is the number of blocks.
        <g key={k}>
          <text x={EDGE_PX} y={LINE_YS[k]! - 20} className="strong">
            {k === 0 ? '1 block later' : '2 blocks later'}
          </text>
          <path className="grid-l" d={`M${EDGE_PX} ${LINE_YS[k]}H${width - EDGE_PX}`} />
          {otherMedians.map((medianByDelay, index) => {
            const bps = medianByDelay[k]
            return bps === null || bps === undefined ? null : (
              // biome-ignore lint/suspicious/noArrayIndexKey: these ticks have no key other than their index.
              <path key={index} className="plot__other" d={`M${x(bps)} ${LINE_YS[k]! - 6}v12`} />
            )
          })}
          <Marks drift={drift} x={x} y={LINE_YS[k]!} />
        </g>
      ))}
    </svg>
  )
}

function Marks({
  drift,
  x,
  y,
}: {
  readonly drift: DelayedDrift
  readonly x: (bps: number) => number
  readonly y: number
}) {
  const { medianBps, meanBps, worst5PercentBps } = drift
  return (
    <>
      {worst5PercentBps !== null && medianBps !== null && (
        <path className="plot__line" d={`M${x(worst5PercentBps)} ${y}H${x(medianBps)}`} />
      )}
      {meanBps !== null && <path className="plot__line" d={`M${x(meanBps)} ${y - 7}v14`} />}
      {medianBps !== null && <circle className="plot__dot" cx={x(medianBps)} cy={y} r="4" />}
    </>
  )
}

/** True if the labels at two x coordinates overlap. */
const doLabelsOverlap = (x1: number, x2: number): boolean => Math.abs(x1 - x2) < 56

const bpsText = (bps: number): string => `${bps.toFixed(Math.abs(bps) < 100 ? 2 : 0).replace('-', '−')} bps`

function ariaLabelOf({ key, driftByDelay }: DriftRow): string {
  const driftText = ({ medianBps, worst5PercentBps }: DelayedDrift, blocks: string) =>
    medianBps === null || worst5PercentBps === null
      ? `nothing measured ${blocks} later`
      : `median ${bpsText(medianBps)}, worst in twenty ${bpsText(worst5PercentBps)} ${blocks} later`
  return `Drift of ${key}: ${driftText(driftByDelay[0], 'one block')}; ${driftText(driftByDelay[1], 'two blocks')}`
}
