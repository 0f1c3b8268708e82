/**
 * Runs every test of the repository that has not passed with the same inputs before, and prints the reasons for skipped
 * tests and a total. `npm test -- --long` sets LONG=1: longer fuzz, fault, and soak profiles. `--units` runs only the
 * tests next to their sources. `--costs` records the cost of each file in bench/results/test-costs.json. `--all`, each
 * other option, and named files also repeat tests that have passed before.
 */
import { join } from 'node:path'
import { record } from '../bench/record.ts'
import { root } from './lib/run.ts'
import { groupKeys } from './lib/test/groups.ts'
import { PassedResults } from './lib/test/passed-results.ts'
import {
  type Cache,
  closingLine,
  type Outcome,
  runSolidityTests,
  runTypescriptTests,
  sumOf,
} from './lib/test/run-tests.ts'

const has = (flag: string) => process.argv.includes(flag)
const env = { ...process.env, ...(has('--long') ? { LONG: '1' } : {}) }
const testFilters = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
const unitsOnly = has('--units')
const isShort = !env.LONG && testFilters.length === 0
const cache = isShort && !unitsOnly && !has('--costs') && !has('--all') ? openCache() : undefined

// Run in parallel with the TypeScript tests, which use little of the processor while they wait.
const solidityOutcomes = testFilters.length === 0 && !unitsOnly ? bothBuilds() : []
const args = [...(unitsOnly ? ['--project=units'] : []), ...(isShort ? ['--tagsFilter=!long'] : []), ...testFilters]
const { files, ...outcome } = await runTypescriptTests(args, { env, cache })
const total = sumOf([...(await solidityOutcomes), outcome])

for (const { reason, enable, tests } of total.skips) console.log(`${tests} skipped: ${reason} (to run them: ${enable})`)
if (has('--costs')) record('test-costs', { files }, { isPrinted: false })
console.log(closingLine(total))
process.exit(total.failed === 0 ? 0 : 1)

/** Runs the Solidity tests of one build after the other, and prints the output of each at its end. */
async function bothBuilds(): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = []
  for (const build of ['cancun', 'london']) {
    const { output, ...outcome } = await runSolidityTests(build, { env, cache })
    if (output !== '') console.log(`\nSolidity tests, ${build} build\n${output}`)
    outcomes.push(outcome)
  }
  return outcomes
}

/** Opens the stored results. Absent if the inputs of tests cannot be hashed, as in a folder without git. */
function openCache(): Cache | undefined {
  const currentKeys = () => groupKeys(root, env)
  try {
    const results = new PassedResults(join(root, 'node_modules/.cache/sluice-tests'))
    return { keys: currentKeys(), currentKeys, results }
  } catch (error) {
    console.error(`Running all tests, because their inputs cannot be hashed: ${(error as Error).message}`)
    return undefined
  }
}
