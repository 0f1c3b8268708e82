/**
 * `npm run mutants -- <package> [--seed <text>] [--lines <count>]`: tests a sample of mutants of a package against its
 * unit tests (mutants/units.ts), and writes bench/results/unit-mutants.json. Equivalent mutants, which no test can
 * kill, are listed with their reasons in mutants/equivalent.json and do not count.
 *
 * `npm run mutants [words of names, separated by commas]`: breaks the contracts and the encoder's checks one line at a
 * time (contracts/test/mutants.ts), lists the invariant and refusal tests that fail, and writes
 * bench/results/mutants.json. Fails if a mutant survives.
 *
 * Tests that killed a mutant last time run first, and the others only if those pass. Results are written after each
 * mutant, and a mutant with unchanged sources and tests is skipped, so an interrupted run can be continued.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { record, rounded } from '../bench/record.ts'
import { type EncoderMutant, encoderMutants, type Mutant, mutants } from '../contracts/test/mutants.ts'
import { root } from './lib/run.ts'
import * as encoder from './mutants/encoder.ts'
import * as solidity from './mutants/solidity.ts'
import { isUnitPackage, testPackageMutants } from './mutants/units.ts'

const [packageName, ...options] = process.argv.slice(2)
if (packageName && isUnitPackage(packageName)) {
  await testPackageMutants(packageName, options)
  process.exit()
}

type Result = {
  readonly name: string
  readonly file: string
  /** Build of the contracts. */
  readonly build?: solidity.Build
  readonly seconds: number
  /** Tests that failed, from the first group that had a failure. */
  readonly killedBy: readonly string[]
  /** Hash of the sources with the broken line, and of the tests. */
  readonly of?: string
}
type MutantRun = {
  readonly name: string
  readonly file: string
  readonly build?: solidity.Build
  readonly of: string
  readonly run: (last: Result | undefined) => Promise<readonly string[]>
}

const CASES = process.env.RUNS ?? '60'
const words = process.argv.slice(2).join(' ').split(',')

const trials = [...mutants.flatMap(contractRuns), ...encoderMutants.map(encoderRun)]
const results = new Map(readEarlierResults().map((result) => [keyOf(result), result]))
// Removes results of mutants that no longer exist.
for (const key of results.keys()) if (!trials.some((trial) => keyOf(trial) === key)) results.delete(key)
const pendingTrials = trials.filter(
  (trial) => words.some((word) => trial.name.includes(word)) && results.get(keyOf(trial))?.of !== trial.of,
)
console.log(`${pendingTrials.length} of ${trials.length} mutants to try`)
try {
  await checkTestsWithoutMutant()
  for (const { run, ...trial } of pendingTrials) {
    const start = performance.now()
    const killedBy = await run(results.get(keyOf(trial)))
    console.log(`${killedBy.length > 0 ? 'killed  ' : 'SURVIVED'}  ${keyOf(trial)}: ${killedBy.join(', ')}`)
    results.set(keyOf(trial), { ...trial, seconds: rounded((performance.now() - start) / 1000), killedBy })
    writeResults()
  }
  const failures = [...results].flatMap(([key, { killedBy }]) => (killedBy.length === 0 ? [key] : []))
  console.log(failures.length > 0 ? `SURVIVED: ${failures.join(', ')}` : 'none survived')
} finally {
  solidity.removeMutant()
}
writeResults()
if (trials.some((trial) => results.get(keyOf(trial))?.killedBy.length === 0)) process.exitCode = 1

/** Checks that the tests pass without a mutation, since a test that fails always would kill every mutant. */
async function checkTestsWithoutMutant(): Promise<void> {
  for (const build of new Set(pendingTrials.flatMap(({ build }) => build ?? []))) {
    solidity.compileMutant(solidity.UNBROKEN, build)
    const failedTests = await solidity.failures(solidity.testFiles, build, CASES)
    if (failedTests.length > 0) throw new Error(`the tests fail without a mutation: ${failedTests.join(', ')}`)
  }
  const [first] = encoderMutants
  if (!first || pendingTrials.every(({ build }) => build)) return
  const failedTests = await encoder.failures({ ...first, to: first.from })
  if (failedTests.length > 0) throw new Error(`the encoder's tests fail without a mutation: ${failedTests.join(', ')}`)
}

function contractRuns(mutant: Mutant): readonly MutantRun[] {
  const { name, file } = mutant
  return (mutant.bothBuilds ? (['cancun', 'london'] as const) : (['cancun'] as const)).map((build) => ({
    ...{ name, file, build, of: solidity.fingerprint(mutant, build, CASES) },
    run: async (last) => {
      solidity.compileMutant(mutant, build)
      const lastKillers = solidity.filesOf(last?.killedBy ?? [])
      const noticedTests = lastKillers.length > 0 ? await solidity.failures(lastKillers.slice(0, 1), build, CASES) : []
      if (noticedTests.length > 0) return noticedTests
      const otherTests = solidity.testFiles.filter((path) => path !== lastKillers[0])
      return solidity.failures(otherTests, build, CASES)
    },
  }))
}

function encoderRun(mutant: EncoderMutant): MutantRun {
  const { name, file } = mutant
  return { name, file, of: encoder.fingerprint(mutant), run: () => encoder.failures(mutant) }
}

function keyOf({ build, name }: { readonly build?: string; readonly name: string }): string {
  return `${build ?? 'encoder'}  ${name}`
}

function writeResults(): void {
  const currentResults = trials.flatMap((trial) => results.get(keyOf(trial)) ?? [])
  const survivors = currentResults.filter(({ killedBy }) => killedBy.length === 0).map(keyOf)
  const untriedKeys = trials.filter((trial) => results.get(keyOf(trial))?.of !== trial.of).map(keyOf)
  record(
    'mutants',
    {
      casesOfEachProperty: Number(CASES),
      killed: currentResults.length - survivors.length,
      survived: survivors,
      untried: untriedKeys,
      mutants: currentResults,
    },
    { isPrinted: false },
  )
}

function readEarlierResults(): readonly Result[] {
  const path = join(root, 'bench/results/mutants.json')
  const { mutants } = JSON.parse(readFileSync(path, 'utf8')) as { mutants: readonly Result[] }
  return mutants.map((result) => (result.file.endsWith('.sol') ? { build: 'cancun', ...result } : result))
}
