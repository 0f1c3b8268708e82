/**
 * Runs every test of the repository, and prints the reasons for skipped tests and a total. `npm test -- --long` sets
 * LONG=1: longer fuzz, fault, and soak profiles. `--units` runs only the tests next to their sources. `--costs` records
 * the cost of each file in bench/results/test-costs.json.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { record } from '../bench/record.ts'
import type { Summary } from '../test/src/summary.ts'
import { root, run } from './lib/run.ts'

type Tally = { passed: number; failed: number; skipped: number }

const env = { ...process.env, ...(process.argv.includes('--long') ? { LONG: '1' } : {}) }
const only = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))

const tallies: Tally[] = []
const units = process.argv.includes('--units')
const short = !env.LONG && only.length === 0
if (only.length === 0 && !units) for (const build of ['cancun', 'london']) tallies.push(await solidity(build))
tallies.push(await vitest())

const sum = (key: keyof Tally) => tallies.reduce((total, tally) => total + tally[key], 0)
const skipped = sum('skipped')
console.log(`${sum('passed')} passed, ${sum('failed')} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
process.exit(sum('failed') === 0 ? 0 : 1)

/** Runs the Solidity tests with Hardhat. Output without test counts is a failure. */
async function solidity(build: string): Promise<Tally> {
  console.log(`\nSolidity tests, ${build} build`)
  const { code, output } = await run('hardhat', ['test', 'solidity'], {
    cwd: join(root, 'contracts'),
    capture: true,
    env: { ...env, BUILD: build },
  })
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal colors are control characters.
  const plain = output.replace(/\u001b\[[0-9;]*m/g, '')
  const count = (word: string) => Number(plain.match(new RegExp(`(\\d+) ${word}`))?.[1] ?? 0)
  const tally = { passed: count('passing'), failed: count('failing'), skipped: count('skipped') }
  if (tally.passed === 0 || (code !== 0 && tally.failed === 0)) tally.failed += 1
  return tally
}

/** Runs all TypeScript tests: packages, contracts, and the whole system. */
async function vitest(): Promise<Tally> {
  console.log('\nTypeScript tests')
  const folder = mkdtempSync(join(tmpdir(), 'sluice-test-'))
  const file = join(folder, 'report.json')
  const summaryFile = join(folder, 'summary.json')
  try {
    const { code } = await run(
      'vitest',
      [
        ...['run', '--reporter=default', '--reporter=json', '--reporter=./test/src/summary.ts'],
        ...[`--outputFile=${file}`, ...(units ? ['--project=units'] : []), ...(short ? ['--tagsFilter=!long'] : [])],
        ...only,
      ],
      { env: { ...env, SUMMARY_FILE: summaryFile } },
    )
    report(JSON.parse(readFileSync(summaryFile, 'utf8')) as Summary)
    const results = JSON.parse(readFileSync(file, 'utf8')) as {
      numPassedTests: number
      numFailedTests: number
      numPendingTests: number
      numTodoTests: number
      numFailedTestSuites: number
    }
    const failed = results.numFailedTests || (code === 0 ? 0 : Math.max(1, results.numFailedTestSuites))
    return { passed: results.numPassedTests, failed, skipped: results.numPendingTests + results.numTodoTests }
  } catch (error) {
    console.error('vitest left no report:', error)
    return { passed: 0, failed: 1, skipped: 0 }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function report({ skips, files }: Summary): void {
  for (const { reason, enable, tests } of skips) console.log(`${tests} skipped: ${reason} (to run them: ${enable})`)
  if (process.argv.includes('--costs')) record('test-costs', { files }, { shown: false })
}
