/** Computes the price chart of a token pair from the service's price history. */

/** Price of a token in USD at a block. */
export type UsdPoint = { readonly block: number; readonly timestamp: number; readonly usd: number }
/** Whole output tokens per whole input token at a block. */
export type PairRate = { readonly block: number; readonly timestamp: number; readonly rate: number }

/**
 * Combines the histories of two tokens at the blocks that both have. Used for display only, because prices are floats.
 */
export function ratesOf(src: readonly UsdPoint[], dst: readonly UsdPoint[]): readonly PairRate[] {
  const dstUsdByBlock = new Map(dst.map((point) => [point.block, point.usd]))
  return src.flatMap(({ block, timestamp, usd }) => {
    const dstUsd = dstUsdByBlock.get(block)
    return dstUsd === undefined || dstUsd === 0 ? [] : [{ block, timestamp, rate: usd / dstUsd }]
  })
}

export type Chart = {
  /** SVG path of the rates. */
  readonly line: string
  readonly low: number
  readonly high: number
  /** Change from the first to the last rate, in percent. */
  readonly changePercent: number
  readonly last: { readonly x: number; readonly y: number }
}

/** Computes a chart with blocks from left to right; undefined for fewer than two rates. */
export function chartOf(rates: readonly PairRate[], width: number, height: number): Chart | undefined {
  const first = rates[0]
  const last = rates.at(-1)
  if (!first || !last || first === last) return undefined
  const values = rates.map(({ rate }) => rate)
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const span = last.block - first.block
  const range = high - low
  const xOf = (block: number) => ((block - first.block) / span) * width
  // If all rates are equal, the line is in the middle.
  const yOf = (rate: number) => (range === 0 ? height / 2 : height - ((rate - low) / range) * height)
  const line = rates
    .map(({ block, rate }, k) => `${k === 0 ? 'M' : 'L'}${xOf(block).toFixed(1)} ${yOf(rate).toFixed(1)}`)
    .join('')
  return { line, low, high, changePercent: (last.rate / first.rate - 1) * 100, last: { x: width, y: yOf(last.rate) } }
}
