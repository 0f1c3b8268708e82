/** The drift plot of the Accuracy page. */
import { Plot } from '../ui/Plot.tsx'
import type { DriftAfter, DriftRow } from './drift.ts'

type Props = { readonly row: DriftRow; readonly otherRows: readonly DriftRow[] }

const HEIGHT = 196
const EDGE = 24
/** Basis points always shown on each side of 0, so that a hundredth of a basis point does not look large. */
const MIN_SCALE_BPS = 1
const LINES = [68, 124] as const

/**
 * Plots drift one and two blocks later. A line runs from the worst-in-twenty value to the median, with a tick at the
 * mean; the other rows' medians are gray.
 */
export function DriftPlot(props: Props) {
  return <Plot>{(width) => <Drawn {...props} width={width} />}</Plot>
}

function Drawn({ row, otherRows, width }: Props & { readonly width: number }) {
  const values = row.after.flatMap(({ meanBps, medianBps, worst5PercentBps }) =>
    [meanBps, medianBps, worst5PercentBps].filter((bps) => bps !== null),
  )
  const medians = otherRows.map(({ after }) => after.map(({ medianBps }) => medianBps))
  const ends = [...values, ...medians.flat().filter((bps) => bps !== null)]
  const min = Math.min(-MIN_SCALE_BPS, ...ends)
  const max = Math.max(MIN_SCALE_BPS, ...ends)
  const x = (bps: number) => EDGE + ((bps - min) / (max - min)) * (width - 2 * EDGE)
  return (
    <svg viewBox={`0 0 ${width} ${HEIGHT}`} width={width} height={HEIGHT} role="img" aria-label={spokenRow(row)}>
      <path className="grid-l" d={`M${x(0)} 28V${HEIGHT - 36}`} />
      {[min, 0, max].map((bps) => (
        <text
          key={bps}
          x={x(bps)}
          y={HEIGHT - 16}
          textAnchor={bps === min ? 'start' : bps === max ? 'end' : 'middle'}
          className={isNear(x(bps), x(0)) && bps !== 0 ? 'hn__hid' : undefined}
        >
          {bpsText(bps)}
        </text>
      ))}
      {row.after.map((after, k) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the index is the number of blocks.
        <g key={k}>
          <text x={EDGE} y={LINES[k]! - 20} className="strong">
            {k === 0 ? '1 block later' : '2 blocks later'}
          </text>
          <path className="grid-l" d={`M${EDGE} ${LINES[k]}H${width - EDGE}`} />
          {medians.map((medianByDelay, index) => {
            const bps = medianByDelay[k]
            return bps === null || bps === undefined ? null : (
              // biome-ignore lint/suspicious/noArrayIndexKey: these ticks have no key other than their index.
              <path key={index} className="plot__other" d={`M${x(bps)} ${LINES[k]! - 6}v12`} />
            )
          })}
          <Marks after={after} x={x} y={LINES[k]!} />
        </g>
      ))}
    </svg>
  )
}

function Marks({
  after,
  x,
  y,
}: {
  readonly after: DriftAfter
  readonly x: (bps: number) => number
  readonly y: number
}) {
  const { medianBps, meanBps, worst5PercentBps } = after
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

const isNear = (a: number, b: number): boolean => Math.abs(a - b) < 56

const bpsText = (bps: number): string => `${bps.toFixed(Math.abs(bps) < 100 ? 2 : 0).replace('-', '−')} bps`

function spokenRow({ key, after }: DriftRow): string {
  const markOf = ({ medianBps, worst5PercentBps }: DriftAfter, blocks: string) =>
    medianBps === null || worst5PercentBps === null
      ? `nothing measured ${blocks} later`
      : `median ${bpsText(medianBps)}, worst in twenty ${bpsText(worst5PercentBps)} ${blocks} later`
  return `Drift of ${key}: ${markOf(after[0], 'one block')}; ${markOf(after[1], 'two blocks')}`
}
