import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { decodeProgram, encodeProgram, opcodes, type Step } from './index.ts'

type Golden = { name: string; pulledToken?: `0x${string}`; steps: unknown[]; bytes: `0x${string}` }
const file = join(import.meta.dirname, '../golden/programs.json')
// Amounts are decimal strings in the file, bigint in a step.
const golden = JSON.parse(readFileSync(file, 'utf8'), (key, value) =>
  key === 'amount' && typeof value === 'string' ? BigInt(value) : value,
) as Golden[]

describe('golden programs, which the Executor runs in contracts/test/Golden.t.sol', () => {
  test.each(golden)('$name', ({ steps, bytes, pulledToken }) => {
    expect(encodeProgram(steps as Step[])).toBe(bytes)
    expect(decodeProgram(bytes, pulledToken)).toEqual(steps)
  })

  test('there is one for every opcode', () => {
    const covered = new Set(golden.flatMap(({ steps }) => (steps as Step[]).map(({ op }) => op)))
    expect([...covered].sort()).toEqual(Object.keys(opcodes).sort())
  })
})
