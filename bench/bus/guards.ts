/**
 * `npm run bench -- bus guards [words of names, separated by commas]`: removes the guards of the bus one at a time.
 * A guard is a check in the code against a fault. Records which tests fail: the fault test (by wrong states or stuck
 * workers) and the unit tests. Fails if no test notices a removed guard. Source files do not change; processes and
 * tests load edited versions of them.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { runFaults } from '@sluice/bus/testing'
import { root, run } from '../../scripts/lib/run.ts'
import { lastRecord, record } from '../record.ts'

/** Duration of each fault test. */
const SECONDS = 22
const SEED = 3

type Edit = { readonly file: string; readonly from: string; readonly to: string }
type Guard = {
  readonly name: string
  readonly edits: readonly Edit[]
  /** Faults that the guard prevents. */
  readonly faults: readonly string[]
}

const edit = (file: string, from: string, to = ''): Edit => ({ file: join(root, 'packages/bus/src', file), from, to })

// Checks in the Redis scripts: that the writer holds the lease, that its previous write is the last one (by its tag), and
// that the numbers of fields and of pairs are right.
const LEASE_CHECK = "if redis.call('GET', KEYS[1]) ~= ARGV[1] then return {'LOST'} end"
const TAG_CHECK = "if head[1] ~= ARGV[3] then return {'CHANGED'} end"
const FIELD_COUNT_CHECK = "if redis.call('HLEN', KEYS[3]) ~= tonumber(head[3]) then return {'DAMAGED'} end"
const PAIR_COUNT_CHECK = "if redis.call('SCARD', KEYS[5]) ~= tonumber(head[4]) then return {'DAMAGED'} end"

const guards: readonly Guard[] = [
  {
    name: 'entries written during a scan are applied before the state is used',
    edits: [edit('join.ts', 'if (!(await replay(connection, keys, head.id, end.id, fields, pairs))) return null')],
    faults: ['a worker is killed', 'pools are evicted'],
  },
  {
    name: 'the number of fields is counted',
    edits: [
      edit('join.ts', 'if (fields.count !== end.size) return null'),
      edit('join.ts', ' || state.size + nextPools.fieldCountChange !== blockFields.size'),
      edit('scripts.ts', FIELD_COUNT_CHECK),
    ],
    faults: ['pools are evicted', 'a worker is killed'],
  },
  {
    name: 'the number of pairs is counted',
    edits: [edit('scripts.ts', PAIR_COUNT_CHECK)],
    faults: ['Redis runs out of memory and evicts keys', 'the owner leaves'],
  },
  {
    name: 'a write holds the lease and follows the last write',
    edits: [edit('scripts.ts', LEASE_CHECK), edit('scripts.ts', TAG_CHECK)],
    faults: ['the owner is held with a write in its hands'],
  },
  {
    name: 'a write holds the lease',
    edits: [edit('scripts.ts', LEASE_CHECK)],
    faults: ['the owner is held with a write in its hands'],
  },
  {
    name: 'a write follows the last write',
    edits: [edit('scripts.ts', TAG_CHECK)],
    faults: ['the owner is held with a write in its hands'],
  },
  {
    name: 'an entry follows the one that was applied before',
    edits: [
      edit('join.ts', 'if (texts.prev !== state.id) return null'),
      edit('join.ts', 'if (prev !== offset) return false'),
    ],
    faults: ['a worker stands still', 'all entries are trimmed', "a worker's network is cut"],
  },
  {
    name: 'the head is read when no entry arrives',
    edits: [edit('follower.ts', 'if (!(await this.isInStep(connection)))', 'if (false)')],
    faults: ['the clock goes back a minute'],
  },
  {
    name: 'a write is remembered before it is sent',
    edits: [
      edit('publisher.ts', 'this.remember(tag, state.pools)\n    for', 'this.tag = tag\n    for'),
      edit(
        'publisher.ts',
        'this.accept(word, tag)',
        'this.accept(word, tag)\n      this.written.set(tag, state.pools)',
      ),
    ],
    faults: ['Redis is killed and loses a second'],
  },
  {
    name: 'all state is written again if the stored state is incomplete',
    edits: [edit('indexer.ts', 'attempts: MAX_JOIN_ATTEMPTS, ')],
    faults: ['pools are evicted', 'both indexers are killed'],
  },
  {
    name: 'pairs are not remembered without their pools',
    edits: [edit('memory.ts', ' && savedPools >= Number(savedFields.known)')],
    faults: ['the memory of owners is evicted', 'the owner leaves'],
  },
  {
    name: 'a chain without news is not quoted',
    edits: [edit('followed-market.ts', "if (stale) throw new MarketError('BEHIND', stale)")],
    faults: ['both indexers are killed'],
  },
]

const words = process.argv.slice(2).join(' ').split(',')
const chosenGuards = guards.filter(({ name }) => words.some((word) => name.includes(word)))
const baseline = await runFaults({ seconds: SECONDS, seed: SEED })
if (baseline.wrong.length + baseline.stuck.length > 0)
  throw new Error(`the fault test fails with all guards: ${JSON.stringify(baseline)}`)
/** Results by guard. Keeps results of guards that are not selected in this run. */
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

/** Returns a module hook that loads the files with the edits. */
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
