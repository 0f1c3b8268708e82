/**
 * Worker thread that runs one engine of solc's SMTChecker on the Guard. solc recurses deeply, so it needs a thread with
 * a large stack.
 */
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { root } from '../lib/run.ts'

export type Job = {
  readonly engine: string
  readonly queryTimeoutMs: number
  /** Time since the start after which queries are no longer sent to the solver. */
  readonly totalTimeoutMs: number
  readonly standardJson: StandardJson
}
export type StandardJson = { readonly settings: { readonly evmVersion: string } }
export type EngineResult = {
  /** Number of queries by the solver's answer. */
  readonly answers: Readonly<Record<string, number>>
  /** Messages of solc. */
  readonly messages: readonly string[]
}

type Output = { readonly errors?: readonly { readonly formattedMessage: string }[] }
type Solc = { compile(input: string, callbacks: { smtSolver: (query: string) => { contents: string } }): string }

const TARGETS = ['assert', 'underflow', 'overflow', 'divByZero', 'balance', 'popEmptyArray', 'outOfBounds']
const MAX_ANSWER_BYTES = 64 * 2 ** 20

const { engine, queryTimeoutMs, totalTimeoutMs, standardJson } = workerData as Job
const start = performance.now()
const solc = createRequire(join(root, 'contracts/package.json'))('solc') as Solc
const answers: Record<string, number> = {}

const smtSolver = (query: string) => {
  if (performance.now() - start > totalTimeoutMs) {
    count(`not run: limit of ${totalTimeoutMs / 1000} s reached`)
    return { contents: '' }
  }
  const { stdout = '' } = spawnSync(process.execPath, [join(import.meta.dirname, 'z3.ts')], {
    ...{ input: query, encoding: 'utf8', timeout: queryTimeoutMs, maxBuffer: MAX_ANSWER_BYTES },
  })
  count(answerOf(stdout))
  return { contents: stdout }
}
const settings = {
  evmVersion: standardJson.settings.evmVersion,
  modelChecker: {
    ...{ engine, targets: TARGETS, contracts: { 'project/src/Guard.sol': ['Guard'] }, solvers: ['smtlib2'] },
    ...{ showProvedSafe: true, showUnproved: true, showUnsupported: true },
  },
}
let messages: readonly string[]
try {
  const output = JSON.parse(solc.compile(JSON.stringify({ ...standardJson, settings }), { smtSolver })) as Output
  messages = (output.errors ?? []).map(({ formattedMessage }) => formattedMessage)
} catch (error) {
  messages = [`solc failed: ${(error as Error).message}`]
}
parentPort!.postMessage({ answers, messages } satisfies EngineResult)

function count(answer: string): void {
  answers[answer] = (answers[answer] ?? 0) + 1
}

function answerOf(answer: string): string {
  const [line = ''] = answer.split('\n')
  if (line === '') return `no result within ${queryTimeoutMs / 1000} s`
  return line.startsWith('(error') ? 'error: undeclared name in the query' : line
}
