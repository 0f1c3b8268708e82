/** Geometry of depth curves: USD that can be sold at each price impact, with logarithmic scales. */

/** Price impacts, in percent, at which depth is measured. */
export const impactPercents = ['0.5', '1', '2', '5', '10'] as const
/** USD of a token that can be sold at each price impact. */
export type Depth = Readonly<Record<(typeof impactPercents)[number], number>>

/** Depth in USD from which on liquidity counts as unlimited, such as that of a wrapper. */
const UNLIMITED_USD = 1e12

export const isUnlimited = (usd: number): boolean => usd >= UNLIMITED_USD

/** Positions in a plot of depth by price impact. Both axes are logarithmic. */
export type DepthPlotGeometry = {
  readonly width: number
  readonly height: number
  readonly usdTicks: readonly { readonly y: number; readonly name: string }[]
  readonly impactTicks: readonly { readonly x: number; readonly name: string }[]
  readonly pathOf: (depth: Depth) => string
  readonly pointsOf: (depth: Depth) => readonly { readonly x: number; readonly y: number; readonly usd: number }[]
}

/** Space around the plot, in pixels. */
const MARGIN = { left: 16, right: 64, top: 24, bottom: 36 }

/** Computes the positions in a plot. Its vertical axis is long enough for all `depths`. */
export function depthPlotOf(depths: readonly Depth[], width: number, height: number): DepthPlotGeometry {
  const { left, right, top, bottom } = MARGIN
  const values = depths.flatMap((depth) => impactPercents.map((impact) => depth[impact])).filter((usd) => usd > 0)
  const minPower = Math.floor(Math.log10(Math.min(...values)))
  const maxPower = Math.max(minPower + 1, Math.ceil(Math.log10(Math.max(...values))))
  const logMinImpact = Math.log(Number(impactPercents[0]))
  const logMaxImpact = Math.log(Number(impactPercents.at(-1)))
  const xOf = (impact: string) =>
    left + ((Math.log(Number(impact)) - logMinImpact) / (logMaxImpact - logMinImpact)) * (width - left - right)
  const yOf = (usd: number) =>
    top + (1 - (Math.log10(usd) - minPower) / (maxPower - minPower)) * (height - top - bottom)
  const pointsOf = (depth: Depth) =>
    impactPercents
      .filter((impact) => depth[impact] > 0)
      .map((impact) => ({ x: xOf(impact), y: yOf(depth[impact]), usd: depth[impact] }))
  return {
    width,
    height,
    pointsOf,
    usdTicks: Array.from({ length: maxPower - minPower + 1 }, (_, k) => ({
      y: yOf(10 ** (minPower + k)),
      name: usdPowerText(minPower + k),
    })),
    impactTicks: impactPercents.map((impact) => ({ x: xOf(impact), name: `${impact} %` })),
    pathOf: (depth) =>
      pointsOf(depth)
        .map(({ x, y }, k) => `${k === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`)
        .join(''),
  }
}

/** Formats a power of ten as USD: 4 becomes '$10 k'. */
function usdPowerText(power: number): string {
  if (power < 0) return `$1e${power}`
  const unit = ['', ' k', ' M', ' B', ' T'][Math.floor(power / 3)]
  return unit === undefined ? `$1e${power}` : `$${10 ** (power % 3)}${unit}`
}
