/**
 * `npm run mutants -- <package> [--seed <text>] [--lines <count>]`: tests a sample of mutants of a package against its
 * unit tests (mutants/units.ts), and writes bench/results/unit-mutants.json. The file mutants/equivalent.json lists
 * equivalent mutants, which no test can kill, with reasons. They do not count.
 *
 * `npm run mutants [words of names, separated by commas]`: breaks one line of the contracts or of the encoder's checks
 * at a time (contracts/test/mutants.ts). Lists the invariant and refusal tests that fail, and writes
 * bench/results/mutants.json. Fails if a mutant survives.
 *
 * A test file that killed a mutant last time runs first, and the others run only if it passes. Results are written
 * after each mutant, and mutants with unchanged sources and tests are skipped, so an interrupted run can be continued.
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
  /** Names of the tests that failed in the first run of test files with a failure. */
  readonly killedBy: readonly string[]
  /** Hash of the sources with the broken line and of the tests: the inputs of this result. */
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

const mutantRuns = [...mutants.flatMap(contractRuns), ...encoderMutants.map(encoderRun)]
const results = new Map(readEarlierResults().map((result) => [keyOf(result), result]))
// Removes results of mutants that no longer exist.
for (const key of results.keys()) if (!mutantRuns.some((mutantRun) => keyOf(mutantRun) === key)) results.delete(key)
const pendingRuns = mutantRuns.filter(
  (mutantRun) =>
    words.some((word) => mutantRun.name.includes(word)) && results.get(keyOf(mutantRun))?.of !== mutantRun.of,
)
console.log(`${pendingRuns.length} of ${mutantRuns.length} mutants to try`)
try {
  await checkTestsWithoutMutant()
  for (const { run, ...mutantRun } of pendingRuns) {
    const start = performance.now()
    const killedBy = await run(results.get(keyOf(mutantRun)))
    console.log(`${killedBy.length > 0 ? 'killed  ' : 'SURVIVED'}  ${keyOf(mutantRun)}: ${killedBy.join(', ')}`)
    results.set(keyOf(mutantRun), { ...mutantRun, seconds: rounded((performance.now() - start) / 1000), killedBy })
    writeResults()
  }
  const failures = [...results].flatMap(([key, { killedBy }]) => (killedBy.length === 0 ? [key] : []))
  console.log(failures.length > 0 ? `SURVIVED: ${failures.join(', ')}` : 'none survived')
} finally {
  solidity.removeMutant()
}
writeResults()
if (mutantRuns.some((mutantRun) => results.get(keyOf(mutantRun))?.killedBy.length === 0)) process.exitCode = 1

/** Checks that the tests pass without a mutation. A test that always fails would kill every mutant. */
async function checkTestsWithoutMutant(): Promise<void> {
  for (const build of new Set(pendingRuns.flatMap(({ build }) => build ?? []))) {
    solidity.compileMutant(solidity.UNBROKEN, build)
    const failedTests = await solidity.findFailedTests(solidity.testFiles, build, CASES)
    if (failedTests.length > 0) throw new Error(`the tests fail without a mutation: ${failedTests.join(', ')}`)
  }
  const [first] = encoderMutants
  if (!first || pendingRuns.every(({ build }) => build)) return
  const failedTests = await encoder.findFailedTests({ ...first, to: first.from })
  if (failedTests.length > 0) throw new Error(`the encoder's tests fail without a mutation: ${failedTests.join(', ')}`)
}

function contractRuns(mutant: Mutant): readonly MutantRun[] {
  const { name, file } = mutant
  return (mutant.bothBuilds ? (['cancun', 'london'] as const) : (['cancun'] as const)).map((build) => ({
    ...{ name, file, build, of: solidity.fingerprint(mutant, build, CASES) },
    run: async (last) => {
      solidity.compileMutant(mutant, build)
      const lastKillers = solidity.filesOf(last?.killedBy ?? [])
      const failedTests =
        lastKillers.length > 0 ? await solidity.findFailedTests(lastKillers.slice(0, 1), build, CASES) : []
      if (failedTests.length > 0) return failedTests
      const otherTests = solidity.testFiles.filter((path) => path !== lastKillers[0])
      return solidity.findFailedTests(otherTests, build, CASES)
    },
  }))
}

function encoderRun(mutant: EncoderMutant): MutantRun {
  const { name, file } = mutant
  return { name, file, of: encoder.fingerprint(mutant), run: () => encoder.findFailedTests(mutant) }
}

function keyOf({ build, name }: { readonly build?: string; readonly name: string }): string {
  return `${build ?? 'encoder'}  ${name}`
}

function writeResults(): void {
  const currentResults = mutantRuns.flatMap((mutantRun) => results.get(keyOf(mutantRun)) ?? [])
  const survivors = currentResults.filter(({ killedBy }) => killedBy.length === 0).map(keyOf)
  const untriedKeys = mutantRuns.filter((mutantRun) => results.get(keyOf(mutantRun))?.of !== mutantRun.of).map(keyOf)
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
