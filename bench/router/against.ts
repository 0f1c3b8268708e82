/**
 * `npm run bench -- router against <folder>`: compares the search time of this checkout with that of another installed
 * and built checkout, trade by trade. The sides take turns in separate processes, because in one process, the compiled
 * code and the cache contents of one side would slow the other. Trades with equal routes are counted separately.
 * Results in `results/router-against.json`.
 */
import { execFileSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { median, quantile } from '../lib/statistics.ts'
import { record, rounded, shortCommit } from '../record.ts'

const [folder] = process.argv.slice(2)
if (!folder) throw new Error('npm run bench -- router against <folder of the other checkout>')
const otherRoot = resolve(process.env.INIT_CWD ?? '.', folder)
const root = join(import.meta.dirname, '../..')

const SIZES = [
  { nPools: 20, seed: 910_001, nTrades: 60 },
  { nPools: 200, seed: 920_001, nTrades: 60 },
  { nPools: 2_000, seed: 930_001, nTrades: 40 },
] as const
const GAS_PRICES = [0n, 10n ** 10n]
/**
 * Number of processes per side. V8 compiles code differently in each process, so that search times differ by up to a
 * tenth.
 */
const ROUNDS = 7

type SideResult = readonly { readonly us: number; readonly route: string }[]

function measure(side: string, size: (typeof SIZES)[number], gasPriceWei: bigint): SideResult {
  const file = join(import.meta.dirname, 'against-side.ts')
  const output = execFileSync(process.execPath, [file, side, JSON.stringify(size), String(gasPriceWei)], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  })
  return JSON.parse(output) as SideResult
}

const figuresOf = (trades: readonly { readonly own: number; readonly earlier: number }[]) => {
  const ratios = trades.map((trade) => trade.own / trade.earlier)
  const sum = (side: 'own' | 'earlier') => trades.reduce((total, trade) => total + trade[side], 0)
  return {
    trades: trades.length,
    ratio: {
      p25: rounded(quantile(ratios, 0.25), 3),
      median: rounded(median(ratios), 3),
      p75: rounded(quantile(ratios, 0.75), 3),
    },
    totalRatio: rounded(sum('own') / sum('earlier'), 3),
    medianUs: {
      own: rounded(median(trades.map((trade) => trade.own))),
      earlier: rounded(median(trades.map((trade) => trade.earlier))),
    },
  }
}

const sizes = []
for (const size of SIZES) {
  for (const gasPriceWei of GAS_PRICES) {
    const rounds = Array.from({ length: ROUNDS }, (_, round) => {
      // The side that runs first alternates between rounds.
      const sides = round % 2 === 0 ? [root, otherRoot] : [otherRoot, root]
      const [firstResult, secondResult] = sides.map((side) => measure(side, size, gasPriceWei)) as [
        SideResult,
        SideResult,
      ]
      return round % 2 === 0 ? { own: firstResult, earlier: secondResult } : { own: secondResult, earlier: firstResult }
    })
    const shortest = (side: 'own' | 'earlier', trade: number) =>
      Math.min(...rounds.map((round) => round[side][trade]!.us))
    const [{ own, earlier }] = rounds as [(typeof rounds)[number]]
    const trades = own.map(({ route }, tradeIndex) => ({
      ...{ own: shortest('own', tradeIndex), earlier: shortest('earlier', tradeIndex) },
      alike: route === earlier[tradeIndex]!.route,
    }))
    sizes.push({
      pools: size.nPools,
      gasPriceGwei: Number(gasPriceWei / 10n ** 9n),
      alike: figuresOf(trades.filter(({ alike }) => alike)),
      unlike: figuresOf(trades.filter(({ alike }) => !alike)),
    })
    console.error(JSON.stringify(sizes.at(-1)))
  }
}
record('router-against', { earlierCommit: shortCommit(otherRoot), sizes })
