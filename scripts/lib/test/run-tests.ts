/** Runs the tests of the repository. Skips groups of tests that passed before with the same inputs. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type FileCost, type FileResult, groupSkips, type Skip, type Summary } from '../../../test/src/summary.ts'
import { root, run } from '../run.ts'
import type { PassedResult, PassedResults } from './passed-results.ts'

/** Numbers of tests. `unchanged` is the part of `passed` that was not run again. */
export type Outcome = {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly unchanged: number
  readonly skips: readonly Skip[]
}

/** Stored results of earlier runs. A group that passed is not run again while its key stays the same. */
export type Cache = {
  readonly results: PassedResults
  /** Key of each group by its folder, at the start of the run. */
  readonly keys: ReadonlyMap<string, string>
  /** Computes the keys again, since files may change during a run. */
  readonly currentKeys: () => ReadonlyMap<string, string>
}

export type TestOptions = {
  /** Root of the repository. */
  readonly folder?: string
  readonly env: NodeJS.ProcessEnv
  /** Hides the output of vitest. */
  readonly quiet?: boolean
  /** If absent, every test runs and no result is stored. */
  readonly cache?: Cache | undefined
}

const CONTRACTS = 'contracts'

/** Runs the Solidity tests against one build of the contracts. Output without test counts is a failure. */
export async function runSolidityTests(
  build: string,
  { env, cache }: TestOptions,
): Promise<Outcome & { readonly output: string }> {
  const key = cache?.keys.get(CONTRACTS)
  const stored = key && cache?.results.get(`${key}-${build}`)
  if (stored) return { ...unchangedOutcome(CONTRACTS, stored), output: '' }
  const { code, output } = await run('hardhat', ['test', 'solidity'], {
    cwd: join(root, CONTRACTS),
    quiet: true,
    env: { ...env, BUILD: build },
  })
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal colors are control characters.
  const uncoloredOutput = output.replace(/\u001b\[[0-9;]*m/g, '')
  const count = (word: string) => Number(uncoloredOutput.match(new RegExp(`(\\d+) ${word}`))?.[1] ?? 0)
  const [passed, skipped] = [count('passing'), count('skipped')]
  const failed = count('failing') || (passed === 0 || code !== 0 ? 1 : 0)
  if (key && failed === 0 && cache?.currentKeys().get(CONTRACTS) === key)
    cache.results.set(`${key}-${build}`, { passed, skipped, skips: [] })
  return { passed, failed, skipped, unchanged: 0, skips: [], output }
}

/**
 * Runs the TypeScript tests of all groups with one vitest, so that workers share modules and the longest files start
 * first. Stores the results of groups that passed and whose files did not change during the run.
 *
 * @param args - further arguments of vitest
 */
export async function runTypescriptTests(
  args: readonly string[],
  { folder = root, env, quiet = false, cache }: TestOptions,
): Promise<Outcome & { readonly files: readonly FileCost[] }> {
  const keys = cache?.keys ?? new Map<string, string>()
  const stored = new Map(
    [...keys].flatMap(([group, key]) => {
      const result = cache?.results.get(key)
      return result ? [[group, result] as const] : []
    }),
  )
  const unchanged = [...stored].map(([group, result]) => unchangedOutcome(group, result))
  if (keys.size > 0 && stored.size === keys.size) return { ...sumOf(unchanged), files: [] }
  const { summary, code } = await runVitest(args, {
    cwd: folder,
    env: { ...env, UNCHANGED_FOLDERS: [...stored.keys()].join(',') },
    quiet,
  })
  if (!summary) return { ...sumOf([...unchanged, FAILED]), files: [] }
  const runOutcome = outcomeOf(summary.results, code)
  if (cache && summary.isComplete) {
    const keysAfterRun = cache.currentKeys()
    for (const [group, key] of keys) {
      const results = summary.results.filter(({ file }) => file.startsWith(`${group}/`))
      const isPassed = results.length > 0 && results.every(({ isComplete }) => isComplete)
      if (!stored.has(group) && isPassed && keysAfterRun.get(group) === key)
        cache.results.set(key, outcomeOf(results, 0))
    }
  }
  return { ...sumOf([...unchanged, runOutcome]), files: summary.files }
}

/** Returns the sum of outcomes, with their reasons for skipped tests in one list. */
export function sumOf(outcomes: readonly Outcome[]): Outcome {
  const sum = (key: 'passed' | 'failed' | 'skipped' | 'unchanged') =>
    outcomes.reduce((total, outcome) => total + outcome[key], 0)
  return {
    passed: sum('passed'),
    failed: sum('failed'),
    skipped: sum('skipped'),
    unchanged: sum('unchanged'),
    skips: groupSkips(outcomes.flatMap(({ skips }) => skips)),
  }
}

/** Returns the line that ends a run. */
export function closingLine({ passed, failed, skipped, unchanged }: Outcome): string {
  const unchangedNote =
    unchanged > 0 ? ` (${unchanged} of them passed before with the same inputs and were not run again)` : ''
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}${unchangedNote}`
}

const FAILED: Outcome = { passed: 0, failed: 1, skipped: 0, unchanged: 0, skips: [] }

function unchangedOutcome(group: string, { passed, skipped, skips }: PassedResult): Outcome {
  console.log(`${group}: ${passed} passed, unchanged`)
  return { passed, failed: 0, skipped, unchanged: passed, skips }
}

function outcomeOf(results: readonly FileResult[], code: number): Outcome {
  const sum = (count: (result: FileResult) => number) => results.reduce((total, result) => total + count(result), 0)
  const skips = groupSkips(results.flatMap((result) => result.skips))
  const failedFiles = results.filter(({ isComplete }) => !isComplete).length
  const failed = sum((result) => result.failed) || (code === 0 ? 0 : Math.max(1, failedFiles))
  const skipped = skips.reduce((total, { tests }) => total + tests, 0)
  return { passed: sum((result) => result.passed), failed, skipped, unchanged: 0, skips }
}

/** Runs vitest. `summary` is absent if vitest did not write one. */
async function runVitest(
  args: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly quiet: boolean },
): Promise<{ readonly summary?: Summary; readonly code: number }> {
  const temporaryDir = mkdtempSync(join(tmpdir(), 'sluice-test-'))
  const summaryFile = join(temporaryDir, 'summary.json')
  try {
    const { code } = await run('vitest', ['run', '--reporter=default', '--reporter=./test/src/summary.ts', ...args], {
      ...options,
      env: { ...options.env, SUMMARY_FILE: summaryFile },
    })
    return { code, summary: JSON.parse(readFileSync(summaryFile, 'utf8')) as Summary }
  } catch (error) {
    console.error('vitest left no report:', error)
    return { code: 1 }
  } finally {
    rmSync(temporaryDir, { recursive: true, force: true })
  }
}
