/** Plots of market depth. */
import { shortNumber } from '../format/number.ts'
import { Plot } from '../ui/Plot.tsx'
import { type Depth, depthPlotOf, impactPercents } from './curve.ts'

type Props = {
  readonly depth: Depth
  /** Depths of other tokens, by address. */
  readonly otherDepths: ReadonlyMap<string, Depth>
  readonly symbol: string
}

/** Width in pixels below which every second label is omitted. */
const NARROW_PX = 420

export function DepthPlot(props: Props) {
  return <Plot>{(width) => <DepthDrawing {...props} width={width} />}</Plot>
}

function DepthDrawing({ depth, otherDepths, symbol, width }: Props & { readonly width: number }) {
  const height = Math.min(380, Math.max(260, width * 0.68))
  const { usdTicks, impactTicks, pathOf, pointsOf } = depthPlotOf([depth, ...otherDepths.values()], width, height)
  const right = width - 64
  const spokenDepth = impactPercents.map((impact) => `$${shortNumber(depth[impact])} at ${impact} percent`).join(', ')
  return (
    <svg
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      role="img"
      aria-label={`Depth of ${symbol}: ${spokenDepth}`}
    >
      <text x={16} y={12}>
        USD you can sell (log scale)
      </text>
      <text x={right} y={height - 2} textAnchor="end">
        Price impact
      </text>
      {usdTicks.map(({ y, name }) => (
        <g key={name}>
          <path className="grid-l" d={`M16 ${y}H${right}`} />
          <text x={right + 8} y={y + 4}>
            {name}
          </text>
        </g>
      ))}
      {impactTicks.map(({ x, name }) => (
        <g key={name}>
          <path className="grid-l" d={`M${x} 24V${height - 36}`} />
          <text x={x} y={height - 16} textAnchor="middle">
            {name}
          </text>
        </g>
      ))}
      {[...otherDepths].map(([token, otherDepth]) => (
        <path key={token} className="plot__other" d={pathOf(otherDepth)} />
      ))}
      <path className="plot__line" d={pathOf(depth)} />
      {pointsOf(depth).map(({ x, y, usd }, k, all) => (
        <g key={x}>
          <circle className="plot__dot" cx={x} cy={y} r="4" />
          {(width >= NARROW_PX || k % 2 === 0) && (
            <text
              className="strong"
              x={x}
              y={y - 11}
              textAnchor={k === 0 ? 'start' : k === all.length - 1 ? 'end' : 'middle'}
            >
              ${shortNumber(usd)}
            </text>
          )}
        </g>
      ))}
    </svg>
  )
}

/** Draws the depth at each price impact as a bar. Hidden from screen readers, because another column has the number. */
export function Sparkline({ depth }: { readonly depth: Depth }) {
  const max = depth['10'] || 1
  return (
    <svg className="spark" viewBox="0 0 96 20" aria-hidden="true">
      {impactPercents.map((impact, k) => {
        const height = 20 * Math.min(1, depth[impact] / max)
        return <rect key={impact} x={k * 20} y={20 - height} width="14" height={height} />
      })}
    </svg>
  )
}
