/**
 * `npm run bench -- families fuzz [minutes]`: compares 100,000 random quotes with swaps in original contracts. The
 * pools are those of the local chain, of recorded Ethereum state, of two rollups, and of Curve. In each round every
 * pool executes swaps and time passes. Results in `results/quotes.json`. Fails on a mismatch. Stops after the round in
 * which `minutes` are over. The next run continues there if `packages/liquidity/src` is unchanged.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  fuzz,
  type PoolWorld,
  startCurvePools,
  startEthereum,
  startLocal,
  startRollupPools,
  stir,
} from '@sluice/liquidity/testing'
import { record, rounded } from '../record.ts'

const QUOTES = Number(process.env.QUOTES ?? 100_000)
const MINUTES = Number(process.argv[2] ?? Number.POSITIVE_INFINITY)
const ROUNDS = 5
const WORLDS: readonly (() => Promise<PoolWorld>)[] = [
  startLocal,
  startEthereum,
  () => startRollupPools('linea'),
  () => startRollupPools('scroll'),
  startCurvePools,
]
/** Number of families in all worlds together. */
const FAMILY_COUNT = 23
/** Number of quotes per family, world, and round. */
const QUOTES_PER_FAMILY = Math.ceil(QUOTES / ROUNDS / FAMILY_COUNT)

/** Reasons why families are not compared, by family. */
const REASON_NOT_RUN: Readonly<Record<string, string>> = {
  'liquidity-book': 'neither an npm package nor the real state has its bytecode',
  'dodo-v2': 'neither an npm package nor the real state has its bytecode',
}

type Count = { exact: number; refused: number; unsupported: number; mismatches: number }
type Round = {
  readonly world: string
  readonly seconds: number
  readonly families: Readonly<Record<string, Count>>
  readonly skipped: Readonly<Record<string, number>>
  readonly mismatches: readonly string[]
}
type Progress = {
  /** Hash of the sources of `packages/liquidity`. */
  readonly model: string
  /** Number of quotes per family, world, and round. */
  readonly share: number
  readonly rounds: readonly Round[]
}

const root = join(import.meta.dirname, '../..')
const file = join(root, '.devnet/fuzz.json')
const sourceTree = execFileSync('git', ['rev-parse', 'HEAD:packages/liquidity/src'], {
  cwd: root,
  encoding: 'utf8',
}).trim()

const deadline = performance.now() + MINUTES * 60_000
let { rounds } = loadProgress()
while (rounds.length < ROUNDS * WORLDS.length && performance.now() < deadline) {
  rounds = [...rounds, await run(rounds.length)]
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, JSON.stringify({ model: sourceTree, share: QUOTES_PER_FAMILY, rounds } satisfies Progress))
}
if (rounds.length < ROUNDS * WORLDS.length)
  console.log(`${rounds.length} of ${ROUNDS * WORLDS.length} rounds are done: run again to go on`)
else report()

function loadProgress(): Progress {
  const emptyProgress: Progress = { model: sourceTree, share: QUOTES_PER_FAMILY, rounds: [] }
  if (!existsSync(file)) return emptyProgress
  const savedProgress = JSON.parse(readFileSync(file, 'utf8')) as Progress
  return savedProgress.model === sourceTree && savedProgress.share === QUOTES_PER_FAMILY ? savedProgress : emptyProgress
}

async function run(roundIndex: number): Promise<Round> {
  const start = performance.now()
  const world = await WORLDS[roundIndex % WORLDS.length]!()
  const families: Record<string, Count> = {}
  const mismatches: string[] = []
  for (let repetition = 0; repetition < 2; repetition++) await stir(world, 100 * roundIndex + repetition)
  for (const [i, family] of [...new Set(world.pools().map((pool) => pool.family))].entries()) {
    const tally = await fuzz(world, family, QUOTES_PER_FAMILY, 1_000 * (roundIndex + 1) + i)
    families[family] = { ...tally, mismatches: tally.mismatches.length }
    mismatches.push(...tally.mismatches)
  }
  await world.stop()
  const seconds = (performance.now() - start) / 1_000
  for (const line of mismatches.slice(0, 50)) console.error(line)
  console.log(`${world.name}: ${Object.keys(families).length} families in ${rounded(seconds)} s`)
  return { world: world.name, seconds, families, skipped: Object.fromEntries(world.skipped), mismatches }
}

function report(): void {
  const families: Record<string, Count> = {}
  const skippedPools: Record<string, number> = {}
  for (const round of rounds) {
    for (const [reason, count] of Object.entries(round.skipped)) skippedPools[`${round.world}: ${reason}`] = count
    for (const [family, count] of Object.entries(round.families)) {
      const name = `${round.world} ${family}`
      const sum = families[name] ?? { exact: 0, refused: 0, unsupported: 0, mismatches: 0 }
      for (const key of ['exact', 'refused', 'unsupported', 'mismatches'] as const) sum[key] += count[key]
      families[name] = sum
    }
  }
  const counts = Object.values(families)
  const mismatches = counts.reduce((sum, count) => sum + count.mismatches, 0)
  const quotes = counts.reduce((sum, { exact, refused }) => sum + exact + refused, mismatches)
  record('quotes', {
    quotes,
    mismatches,
    seconds: rounded(rounds.reduce((sum, { seconds }) => sum + seconds, 0)),
    families,
    poolsSkipped: skippedPools,
    familiesNotRun: REASON_NOT_RUN,
  })
  if (quotes < QUOTES || mismatches > 0) process.exitCode = 1
}
