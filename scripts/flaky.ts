/**
 * `npm run flaky [-- --resume] [folders]`: runs the TypeScript tests ten times with two busy loops in parallel, and ten
 * times pinned to one core. Records the failed tests of each run and their messages in bench/results/flaky.json. Fails
 * if any test failed. The environment variable RUNS changes the number of runs. Twenty runs take hours, so `--resume`
 * continues the recorded series. The commit of each run is recorded, because a series may cover several commits.
 * Pinning needs `taskset` of util-linux.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, stripVTControlCharacters } from 'node:util'
import { lastRecord, record, rounded } from '../bench/record.ts'
import { root, run } from './lib/run.ts'

const RUNS = Number(process.env.RUNS ?? '10')
const BUSY_LOOPS = 2
const MAX_MESSAGE_CHARS = 1_000
const CONDITIONS = ['busy', 'pinned'] as const
type Condition = (typeof CONDITIONS)[number]

type Report = {
  readonly numPassedTests: number
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly message: string
    readonly assertionResults: readonly {
      readonly fullName: string
      readonly status: string
      readonly failureMessages: readonly string[]
    }[]
  }[]
}
type RunResult = {
  readonly condition: Condition
  readonly commit: string
  readonly seconds: number
  readonly passed: number
  readonly failed: readonly string[]
}

const { values: flags, positionals: testFolders } = parseArgs({
  options: { resume: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const results = flags.resume ? [...(lastRecord<{ readonly results: RunResult[] }>('flaky')?.results ?? [])] : []
for (let runNumber = 1; runNumber <= RUNS; runNumber++) {
  for (const condition of CONDITIONS) {
    if (results.filter((result) => result.condition === condition).length >= runNumber) continue
    const result = await runOnce(condition)
    results.push(result)
    console.log(`${condition} ${runNumber}/${RUNS}: ${result.passed} passed, ${result.failed.length} failed`)
    record('flaky', { only: testFolders, results }, { isPrinted: false })
  }
}
process.exitCode = results.some(({ failed, passed }) => failed.length > 0 || passed === 0) ? 1 : 0

async function runOnce(condition: Condition): Promise<RunResult> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-flaky-'))
  const file = join(folder, 'report.json')
  const loops =
    condition === 'busy'
      ? Array.from({ length: BUSY_LOOPS }, () => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }))
      : []
  const start = performance.now()
  try {
    const vitest = ['vitest', 'run', '--tagsFilter=!long', '--reporter=json', `--outputFile=${file}`, ...testFolders]
    const [command, ...args] = condition === 'pinned' ? ['taskset', '-c', '0', ...vitest] : vitest
    await run(command!, args, { quiet: true })
    const { numPassedTests: passed, testResults } = JSON.parse(readFileSync(file, 'utf8')) as Report
    const failures = testResults.flatMap(({ name, status, message, assertionResults }) => {
      const path = name.slice(root.length + 1)
      const tests = assertionResults.filter((test) => test.status === 'failed')
      // A file can also fail outside of its tests, for example at an import.
      return status === 'failed' && tests.length === 0
        ? [`${path}: ${startOf(message)}`]
        : tests.map(({ fullName, failureMessages }) => `${path} > ${fullName}: ${startOf(failureMessages.join('; '))}`)
    })
    const { output } = await run('git', ['rev-parse', '--short', 'HEAD'], { quiet: true })
    return {
      condition,
      commit: output.trim(),
      seconds: rounded((performance.now() - start) / 1_000),
      passed,
      failed: failures,
    }
  } finally {
    for (const loop of loops) loop.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
}

function startOf(message: string): string {
  return stripVTControlCharacters(message).slice(0, MAX_MESSAGE_CHARS)
}
