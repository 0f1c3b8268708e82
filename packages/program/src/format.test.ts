import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ops } from './index.ts'
import type { OpField, OpFields } from './ops/fields.ts'
import { formatReference } from './reference.ts'

const read = (path: string) => readFileSync(join(import.meta.dirname, path), 'utf8')
const program = read('../../../contracts/src/libraries/Program.sol')

/** Returns the sizes in a row of Program.sol's table, such as `pool 20, feePpm 3`. */
function sizesIn(name: string): readonly number[] {
  const rows = program.slice(program.indexOf('opcode             fields'), program.indexOf('Functions here take'))
  const row = rows.match(new RegExp(`0x[0-9a-f]{2} ${name} [^]*?(?=0x[0-9a-f]{2} |$)`))?.[0] ?? ''
  const plain = row
    .replaceAll('///', ' ')
    .replace(name, ' ')
    .replaceAll(/flag bit \d/g, ' ')
  return [...plain.matchAll(/[a-z]\w* (\d+)/gi)].map(([, size]) => Number(size))
}

const sizeOf = (field: OpField) =>
  field.kind === 'address' ? 20 : field.kind === 'bytes32' ? 32 : field.kind === 'uint' ? field.bytes : 1
const sizesOf = (fields: OpFields) => Object.values(fields).map(sizeOf)

describe('the format', () => {
  test('is the one in FORMAT.md (npm run docs)', () => {
    expect(read('../FORMAT.md')).toBe(formatReference())
  })

  test('gives every operation a name and a code of its own', () => {
    expect(new Set(ops.map(({ name }) => name)).size).toBe(ops.length)
    expect(new Set(ops.map(({ code }) => code)).size).toBe(ops.length)
  })

  test.each(ops)('has $name in Program.sol with the same code and sizes', ({ name, code, fields, hops }) => {
    const constant = name.toUpperCase().replaceAll('-', '_')
    expect(program).toContain(`constant ${constant} = 0x${code.toString(16).padStart(2, '0')};`)
    expect(sizesIn(name)).toEqual([...sizesOf(fields), ...(hops ? [1, ...sizesOf(hops)] : [])])
  })

  test('has no operation in Program.sol that is not in the table', () => {
    const constants = [...program.matchAll(/constant \w+ = 0x[0-9a-f]{2};/g)].filter(([line]) => !/_AT =/.test(line))
    expect(constants).toHaveLength(ops.length)
  })
})
