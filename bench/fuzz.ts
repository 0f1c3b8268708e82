/**
 * `npm run bench:fuzz`: 100,000 random quotes held against genuine bytecode, on the local chain and on Ethereum's real state.
 * Between rounds every pool is swapped with for good and time passes. Results in `results/quotes.json`; fails on a mismatch.
 */
import { fuzz, stir } from '../packages/liquidity/test/fuzz/trials.ts'
import { startEthereum, startLocal } from '../packages/liquidity/test/fuzz/world.ts'
import { record, rounded } from './record.ts'

const QUOTES = Number(process.env.QUOTES ?? 100_000)
const ROUNDS = 10

/** Families of which no genuine contract can be run here. */
const NOT_RUN: Readonly<Record<string, string>> = {
  solidly: 'no npm package has its bytecode',
  'ramses-cl': 'no npm package has its bytecode',
  'liquidity-book': 'no npm package has its bytecode',
  'dodo-v2': 'no npm package has its bytecode',
  'curve-crypto': 'held against real pools by packages/liquidity/test/curve.test.ts',
}

const started = performance.now()
const families: Record<string, { exact: number; refused: number; unsupported: number; mismatches: number }> = {}
const skipped: Record<string, number> = {}
const mismatches: string[] = []
const worlds = [await startLocal(), await startEthereum()]
const kinds = worlds.map((world) => ({ world, names: [...new Set(world.pools().map(({ family }) => family))] }))
const share = Math.ceil(QUOTES / ROUNDS / kinds.reduce((sum, { names }) => sum + names.length, 0))
for (const { world, names } of kinds) {
  for (const [reason, count] of world.skipped) skipped[`${world.name}: ${reason}`] = count
  for (let round = 0; round < ROUNDS; round++) {
    await stir(world, 100 + round)
    for (const [i, family] of names.entries()) {
      const tally = await fuzz(world, family, share, 1_000 * (round + 1) + i)
      const name = `${world.name} ${family}`
      const sum = families[name] ?? { exact: 0, refused: 0, unsupported: 0, mismatches: 0 }
      families[name] = {
        exact: sum.exact + tally.exact,
        refused: sum.refused + tally.refused,
        unsupported: sum.unsupported + tally.unsupported,
        mismatches: sum.mismatches + tally.mismatches.length,
      }
      mismatches.push(...tally.mismatches)
    }
  }
  await world.stop()
}
const total = Object.values(families).reduce((sum, { exact, refused }) => sum + exact + refused, mismatches.length)
for (const line of mismatches.slice(0, 50)) console.error(line)
record('quotes', {
  quotes: total,
  mismatches: mismatches.length,
  seconds: rounded((performance.now() - started) / 1_000),
  families,
  poolsSkipped: skipped,
  familiesNotRun: NOT_RUN,
})
if (total < QUOTES || mismatches.length > 0) process.exitCode = 1
