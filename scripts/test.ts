/**
 * Every test of the repository, one suite after the other (two cores are the yardstick), and one line that adds them up.
 * `npm test -- --long` sets LONG=1: longer fuzz, fault and soak profiles.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root, run } from './lib/run.ts'

type Tally = { passed: number; failed: number; skipped: number }

const env = { ...process.env, ...(process.argv.includes('--long') ? { LONG: '1' } : {}) }
const only = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))

const tallies: Tally[] = []
if (only.length === 0) for (const build of ['cancun', 'london']) tallies.push(await solidity(build))
tallies.push(await vitest())

const sum = (key: keyof Tally) => tallies.reduce((total, tally) => total + tally[key], 0)
const skipped = sum('skipped')
console.log(`${sum('passed')} passed, ${sum('failed')} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
process.exit(sum('failed') === 0 ? 0 : 1)

/** Hardhat's own runner for the Solidity tests. A run that cannot be counted is a failure, not a silence. */
async function solidity(build: string): Promise<Tally> {
  console.log(`\nSolidity tests, ${build} build`)
  const { code, output } = await run('hardhat', ['test', 'solidity'], {
    cwd: join(root, 'contracts'),
    capture: true,
    env: { ...env, BUILD: build },
  })
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal colours are control characters
  const plain = output.replace(/\u001b\[[0-9;]*m/g, '')
  const count = (word: string) => Number(plain.match(new RegExp(`(\\d+) ${word}`))?.[1] ?? 0)
  const tally = { passed: count('passing'), failed: count('failing'), skipped: count('skipped') }
  if (tally.passed === 0 || (code !== 0 && tally.failed === 0)) tally.failed += 1
  return tally
}

/** All TypeScript tests: packages, contracts and the whole system. */
async function vitest(): Promise<Tally> {
  console.log('\nTypeScript tests')
  const folder = mkdtempSync(join(tmpdir(), 'sluice-test-'))
  const file = join(folder, 'report.json')
  try {
    const { code } = await run(
      'vitest',
      ['run', '--reporter=default', '--reporter=json', `--outputFile=${file}`, ...only],
      { env },
    )
    const report = JSON.parse(readFileSync(file, 'utf8')) as {
      numPassedTests: number
      numFailedTests: number
      numPendingTests: number
      numTodoTests: number
      numFailedTestSuites: number
    }
    const failed = report.numFailedTests || (code === 0 ? 0 : Math.max(1, report.numFailedTestSuites))
    return { passed: report.numPassedTests, failed, skipped: report.numPendingTests + report.numTodoTests }
  } catch (error) {
    console.error('vitest left no report:', error)
    return { passed: 0, failed: 1, skipped: 0 }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
