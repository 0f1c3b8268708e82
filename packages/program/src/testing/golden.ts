/** Programs with hand-written bytes; contracts/test/Golden.t.sol runs them in the Executor. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Step } from '../ops/index.ts'

/** A program and its encoding. */
export type Golden = {
  readonly name: string
  /** Input token of the sender, which steps that pull take. */
  readonly pulledToken: `0x${string}`
  readonly steps: readonly Step[]
  readonly bytes: `0x${string}`
}

const file = join(import.meta.dirname, '../../golden/programs.json')

// Amounts are decimal strings in the file and bigint in a step.
export const golden: readonly Golden[] = JSON.parse(readFileSync(file, 'utf8'), (key, value) =>
  key === 'amount' && typeof value === 'string' ? BigInt(value) : value,
)
