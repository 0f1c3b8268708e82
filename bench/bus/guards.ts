/**
 * `npm run bench -- bus guards [words of names, separated by commas]`: removes one guard of the bus at a time. A guard
 * is a check in the code against a fault. Records if the fault test has wrong states or stuck workers, and which unit
 * tests fail. Fails if no test notices that a guard is removed. Source files do not change: processes and tests load
 * edited copies of them.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { runFaults } from '@sluice/bus/testing'
import { root, run } from '../../scripts/lib/run.ts'
import { lastRecord, record } from '../record.ts'
import { type Edit, guards } from './guard-list.ts'

/** Duration of each fault test, in seconds. */
const SECONDS = 22
const SEED = 3

const words = process.argv.slice(2).join(' ').split(',')
const chosenGuards = guards.filter(({ name }) => words.some((word) => name.includes(word)))
const baseline = await runFaults({ seconds: SECONDS, seed: SEED })
if (baseline.wrong.length + baseline.stuck.length > 0)
  throw new Error(`the fault test fails with all guards: ${JSON.stringify(baseline)}`)
/** Results by guard, including earlier results of guards that this run does not select. */
const results = new Map<string, object>(lastResults().map((result) => [result.without, result]))
let survivorCount = 0
for (const { name, edits, faults } of chosenGuards) {
  for (const { file, from } of edits)
    if (!readFileSync(file, 'utf8').includes(from))
      throw new Error(`"${name}": ${file} no longer contains the code to remove`)
  const { wrong, stuck, shown, unanswered } = await runFaults({
    ...{ seconds: SECONDS, seed: SEED, only: faults },
    execArgv: ['--import', `data:text/javascript,${encodeURIComponent(hookSource(edits))}`],
  })
  const tests = await failedTests(edits)
  const isNoticed = wrong.length + stuck.length + unanswered + tests.length > 0
  if (!isNoticed) survivorCount++
  console.log(
    `${isNoticed ? 'noticed ' : 'SURVIVED'}  ${name}: ${wrong.length} wrong, ${stuck.length} stuck; ${tests.join(', ')}`,
  )
  results.set(name, { without: name, faults, shown, wrong: wrong.length, example: wrong[0], stuck, unanswered, tests })
  write()
}
if (survivorCount > 0) process.exitCode = 1

function write(): void {
  const guardResults = guards.flatMap(({ name }) => results.get(name) ?? [])
  record(
    'bus-guards',
    { seconds: SECONDS, seed: SEED, allGuards: { shown: baseline.shown, wrong: 0, stuck: [] }, guards: guardResults },
    { isPrinted: false },
  )
}

function lastResults(): readonly { readonly without: string }[] {
  return lastRecord<{ guards: readonly { without: string }[] }>('bus-guards')?.guards ?? []
}

/** Returns the source of a Node module hook that edits the files when they are loaded. */
function hookSource(edits: readonly Edit[]): string {
  const byUrl = edits.map(({ file, from, to }) => [pathToFileURL(file).href, from, to])
  return `import { registerHooks } from 'node:module'
    const edits = ${JSON.stringify(byUrl)}
    registerHooks({ load(url, context, next) {
      const loaded = next(url, context)
      let source
      for (const [of, from, to] of edits) if (of === url) source = (source ?? String(loaded.source)).replaceAll(from, () => to)
      return source === undefined ? loaded : { ...loaded, source }
    } })`
}

/** Returns the unit tests that fail. */
async function failedTests(edits: readonly Edit[]): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-guard-'))
  const report = join(folder, 'report.json')
  const files = ['bus', 'followed', 'contract'].map((name) => `packages/bus/test/${name}.test.ts`)
  const config = join(root, 'scripts/mutants/vitest.config.ts')
  try {
    const args = ['run', '--config', config, '--reporter=json', `--outputFile=${report}`, ...files]
    await run('vitest', args, { quiet: true, env: { ...process.env, MUTANT_OF: JSON.stringify(edits) } })
    const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as {
      testResults: { assertionResults: { title: string; status: string }[] }[]
    }
    const tests = testResults.flatMap(({ assertionResults }) => assertionResults)
    return tests.filter(({ status }) => status === 'failed').map(({ title }) => title)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
