/** Compares prices of a synthetic market with the true prices. */
import type { Prices } from '../src/index.ts'
import type { Market, Strategy } from './attacks.ts'

/** Accepted relative error of a price. */
const TOLERANCE = 0.02

export type Score = {
  readonly honest: { readonly within2Percent: number; readonly off: number; readonly unpriced: number }
  /** Honest tokens with a wrong price; `times` is the ratio to the true price. */
  readonly wrong: readonly { readonly token: string; readonly times: number }[]
  /** Maximum depth credited to a fake token per strategy, as a multiple of the locked USD. */
  readonly credited: Readonly<Partial<Record<Strategy, number>>>
}

/** Scores prices against the true prices of the market. */
export async function scoreOf(prices: Prices, { honest, fakes }: Market): Promise<Score> {
  const wrong: { token: string; times: number }[] = []
  let unpricedCount = 0
  for (const [token, truth] of honest) {
    const usd = prices.usd(token)
    if (usd === null) unpricedCount++
    else if (!(Math.abs(usd / truth - 1) <= TOLERANCE)) wrong.push({ token, times: usd / truth })
  }
  const credited: Partial<Record<Strategy, number>> = {}
  for (const { token, by, lockedUsd } of fakes) {
    const times = ((await prices.depthUsd(token)) ?? 0) / lockedUsd
    credited[by] = Math.max(credited[by] ?? 0, times)
  }
  const wrongCount = wrong.length
  return {
    honest: { within2Percent: honest.size - wrongCount - unpricedCount, off: wrongCount, unpriced: unpricedCount },
    wrong,
    credited,
  }
}
