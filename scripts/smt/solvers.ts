/** SMT solvers that check the handwritten models: Z3 from npm, and cvc5 if it is installed. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../lib/run.ts'

/** Timeout of one query. */
const QUERY_MS = 120_000
/** Timeout of a whole script. */
const SCRIPT_MS = 600_000

export type Solver = {
  readonly name: string
  readonly version: string
  /** Returns the answers of a script's queries, in order: `sat`, `unsat`, or `unknown`. */
  readonly solve: (script: string) => readonly string[]
}

/** Returns Z3 from npm. */
export function z3(): Solver {
  const { version } = JSON.parse(readFileSync(join(root, 'node_modules/z3-solver/package.json'), 'utf8'))
  const runner = join(import.meta.dirname, 'z3.ts')
  return { name: 'Z3', version, solve: (script) => answersOf('Z3', process.execPath, [runner], script) }
}

/** Returns cvc5; undefined if it is not installed. */
export function cvc5(): Solver | undefined {
  const { stdout, error } = spawnSync('cvc5', ['--version'], { encoding: 'utf8' })
  if (error) return undefined
  const version = /version (\S+)/.exec(stdout)?.[1] ?? 'unknown'
  const args = ['--lang=smt2', '--incremental', `--tlimit-per=${QUERY_MS}`, '-']
  return { name: 'cvc5', version, solve: (script) => answersOf('cvc5', 'cvc5', args, script) }
}

function answersOf(name: string, command: string, args: readonly string[], script: string): readonly string[] {
  const { stdout, stderr, error } = spawnSync(command, args, { input: script, encoding: 'utf8', timeout: SCRIPT_MS })
  if (error) throw new Error(`${name} failed: ${error.message}`)
  const lines = stdout.split('\n').filter((line) => line !== '')
  const other = lines.find((line) => !['sat', 'unsat', 'unknown'].includes(line))
  if (other !== undefined || lines.length === 0) throw new Error(`${name} failed: ${other ?? stderr}`)
  return lines
}
