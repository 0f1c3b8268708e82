/** Geometry of depth curves: USD that can be sold at each price impact, with logarithmic scales. */

/** Sizes of price impact, in percent, at which depth is measured. */
export const impacts = ['0.5', '1', '2', '5', '10'] as const
export type Depth = Readonly<Record<(typeof impacts)[number], number>>

/** USD above which a depth belongs to a pool with unlimited liquidity, such as a wrapper. */
const ENDLESS_USD = 1e12

export const isEndless = (usd: number): boolean => usd >= ENDLESS_USD

export type Plot = {
  readonly width: number
  readonly height: number
  readonly ups: readonly { readonly y: number; readonly name: string }[]
  readonly acrosses: readonly { readonly x: number; readonly name: string }[]
  readonly line: (depth: Depth) => string
  readonly points: (depth: Depth) => readonly { readonly x: number; readonly y: number; readonly usd: number }[]
}

const MARGIN = { left: 16, right: 64, top: 24, bottom: 36 }

export function plotOf(depths: readonly Depth[], width: number, height: number): Plot {
  const { left, right, top, bottom } = MARGIN
  const values = depths.flatMap((depth) => impacts.map((impact) => depth[impact])).filter((usd) => usd > 0)
  const low = Math.floor(Math.log10(Math.min(...values)))
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values))))
  const first = Math.log(Number(impacts[0]))
  const last = Math.log(Number(impacts.at(-1)))
  const x = (impact: string) => left + ((Math.log(Number(impact)) - first) / (last - first)) * (width - left - right)
  const y = (usd: number) => top + (1 - (Math.log10(usd) - low) / (high - low)) * (height - top - bottom)
  const points = (depth: Depth) =>
    impacts
      .filter((impact) => depth[impact] > 0)
      .map((impact) => ({ x: x(impact), y: y(depth[impact]), usd: depth[impact] }))
  return {
    width,
    height,
    points,
    ups: Array.from({ length: high - low + 1 }, (_, k) => ({ y: y(10 ** (low + k)), name: nameOf(low + k) })),
    acrosses: impacts.map((impact) => ({ x: x(impact), name: `${impact} %` })),
    line: (depth) =>
      points(depth)
        .map(({ x, y }, k) => `${k === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`)
        .join(''),
  }
}

/** Formats a power of ten, such as '$10 k'. */
function nameOf(power: number): string {
  if (power < 0) return `$1e${power}`
  const unit = ['', ' k', ' M', ' B', ' T'][Math.floor(power / 3)]
  return unit === undefined ? `$1e${power}` : `$${10 ** (power % 3)}${unit}`
}
