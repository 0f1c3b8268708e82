/** Classifies errors that nodes and providers returned, each with its public source. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { toRpcError } from '../src/node-error.ts'

type Row = Readonly<Record<string, string>>

const [head = '', ...lines] = readFileSync(new URL('fixtures/provider-messages.tsv', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .filter((line) => !line.startsWith('#'))
const names = head.split('\t')
const rows: readonly Row[] = lines.map((line) => {
  const values = line.split('\t')
  return Object.fromEntries(names.map((name, k) => [name, values[k]!]))
})

test('there are at least 120 messages, each with a public source', () => {
  expect(new Set(rows.map(({ method, message }) => `${method} ${message}`)).size).toBeGreaterThanOrEqual(120)
  for (const { source } of rows) expect(source).toMatch(/^https:\/\/\S+$/)
})

test.each(rows)('$who: $method: $message is $means', ({ method, code, message, data, means, blocks }) => {
  const error = toRpcError(method!, {
    message: message!,
    ...(code && { code: Number(code) }),
    ...(data && { data: JSON.parse(data) as unknown }),
  })
  expect({ code: error.code, blocks: error.grantedBlocks }).toEqual({
    code: means,
    blocks: blocks ? Number(blocks) : undefined,
  })
})
