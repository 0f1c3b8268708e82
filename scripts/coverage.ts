/**
 * `npm run coverage`: measures the coverage of Guard and Executor by the Solidity tests. Hardhat measures lines and
 * forge measures branches. Writes bench/results/coverage.json. Fails if a line or branch of the Guard is not covered.
 *
 * Both tools compile without the optimizer, which preserves line information and is fast. The variable COVERAGE skips
 * the tests of opcodes and gas, which do not apply to such code. A few random cases per property (RUNS) are enough:
 * more cases do not cover more code.
 */
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { record } from '../bench/record.ts'
import { forge } from './lib/forge.ts'
import { type CommandResult, root, run } from './lib/run.ts'

/** Number of covered lines or branches, and number of all of them (`of`). */
type Ratio = { readonly covered: number; readonly of: number }
/** Coverage of one source file. */
type CoveredCode = {
  /** True for lines that were run, by line number. */
  readonly lines: Map<number, boolean>
  readonly branches: readonly { line: number; isTaken: boolean }[]
}

const RUNS = process.env.RUNS ?? '30'
const SEED = process.env.SEED ?? '0x51ce'
const contracts = join(root, 'contracts')
const GUARD_SOURCES = [
  'src/core/GuardCore.sol',
  'src/core/Loan.sol',
  'src/libraries/Orders.sol',
  'src/libraries/Permits.sol',
  'src/libraries/Transfers.sol',
  'src/slots/StorageSlots.sol',
  'src/slots/TransientSlots.sol',
]

const env = {
  ...process.env,
  COVERAGE: 'true',
  RUNS,
  SEED,
  // Longer sequences of calls in the model would exceed the 2^30 gas that forge gives a test.
  MODEL_CALLS: '2',
  FOUNDRY_FUZZ_RUNS: RUNS,
  FOUNDRY_FUZZ_SEED: SEED,
  FOUNDRY_INVARIANT_RUNS: RUNS,
  FOUNDRY_INVARIANT_DEPTH: '20',
}
const report = join(contracts, 'cache/forge/lcov.info')
mkdirSync(join(contracts, 'cache/forge'), { recursive: true })

await requireSuccess(run('hardhat', ['test', 'solidity', '--coverage'], { cwd: contracts, env }))
const hardhatCoverage = parseLcov(readFileSync(join(contracts, 'coverage/lcov.info'), 'utf8'))
await requireSuccess(forge(['coverage', '--report', 'lcov', '--report-file', report], { env }))
const forgeCoverage = parseLcov(readFileSync(report, 'utf8'))

const files = [...hardhatCoverage].map(([file, { lines }]) => {
  const branches = forgeCoverage.get(file)?.branches
  if (!branches) throw new Error(`forge did not measure ${file}`)
  return {
    file,
    lines: ratioOf([...lines.values()]),
    branches: ratioOf(branches.map(({ isTaken }) => isTaken)),
    missedLines: [...lines].filter(([, hit]) => !hit).map(([line]) => line),
    missedBranches: branches.filter(({ isTaken }) => !isTaken).map(({ line }) => line),
  }
})
const sumOfFiles = (fileFigures: typeof files) => ({
  lines: sumOf(fileFigures.map(({ lines }) => lines)),
  branches: sumOf(fileFigures.map(({ branches }) => branches)),
})
const guardFiles = files.filter(({ file }) => GUARD_SOURCES.includes(file))
if (guardFiles.length !== GUARD_SOURCES.length) throw new Error(`not measured: one of ${GUARD_SOURCES.join(', ')}`)

record('coverage', { casesOfEachProperty: Number(RUNS), guard: sumOfFiles(guardFiles), all: sumOfFiles(files), files })
console.table(
  Object.fromEntries(
    files.map(({ file, lines, branches, missedLines, missedBranches }) => [
      file,
      {
        lines: formatPercent(lines),
        branches: formatPercent(branches),
        missed: [...new Set([...missedLines, ...missedBranches])].join(' '),
      },
    ]),
  ),
)
const incompleteFiles = guardFiles.filter(
  ({ missedLines, missedBranches }) => missedLines.length + missedBranches.length > 0,
)
if (incompleteFiles.length > 0) {
  console.error(`The tests do not cover all of the Guard: ${incompleteFiles.map(({ file }) => file).join(', ')}`)
  process.exitCode = 1
}

async function requireSuccess(tests: Promise<CommandResult>): Promise<void> {
  if ((await tests).code !== 0) throw new Error('the coverage is invalid because a test failed')
}

function ratioOf(hits: readonly boolean[]): Ratio {
  return { covered: hits.filter(Boolean).length, of: hits.length }
}

function sumOf(ratios: readonly Ratio[]): Ratio {
  return ratios.reduce((sum, { covered, of }) => ({ covered: sum.covered + covered, of: sum.of + of }))
}

function formatPercent({ covered, of }: Ratio): string {
  return of === 0 ? 'none' : `${((100 * covered) / of).toFixed(1)} % of ${of}`
}

/**
 * Parses an lcov file. Returns the coverage by path of the source. @see
 * https://manpages.debian.org/lcov/geninfo.1.en.html#FILES
 */
function parseLcov(lcov: string): Map<string, CoveredCode> {
  const sections = lcov.split('end_of_record').flatMap((section): [string, CoveredCode][] => {
    const file = section.match(/^SF:(src\/.*)$/m)?.[1]
    if (!file) return []
    const lines = [...section.matchAll(/^DA:(\d+),(\d+)/gm)].map(
      ([, line, hits]) => [Number(line), hits !== '0'] as const,
    )
    const branches = [...section.matchAll(/^BRDA:(\d+),\d+,\d+,(.*)$/gm)].map(([, line, hits]) => ({
      line: Number(line),
      isTaken: hits !== '-' && hits !== '0',
    }))
    return [[file, { lines: new Map(lines), branches }]]
  })
  return new Map(sections.sort(([a], [b]) => a.localeCompare(b)))
}
