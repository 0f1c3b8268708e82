import { describe, expect, test } from 'vitest'
import { decodeProgram, encodeProgram, ops } from './index.ts'
import { golden } from './testing/golden.ts'

describe('golden programs, which the Executor runs in contracts/test/Golden.t.sol', () => {
  test.each(golden)('$name', ({ steps, bytes, pulledToken }) => {
    expect(encodeProgram(steps)).toBe(bytes)
    expect(decodeProgram(bytes, pulledToken)).toEqual(steps)
  })

  test('there is one for every opcode', () => {
    const covered = new Set(golden.flatMap(({ steps }) => steps.map(({ op }) => op)))
    expect([...covered].sort()).toEqual(ops.map(({ name }) => name).sort())
  })
})
