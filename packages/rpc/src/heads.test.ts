import type { Hex } from '@sluice/chains'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Abort } from './abort.ts'
import type { SendContext } from './calls.ts'
import type { RawBlock } from './encode.ts'
import { RpcError } from './errors.ts'
import { Heads, readBlock } from './heads.ts'
import { orBadAnswer } from './results.ts'
import type { Upstream } from './upstream.ts'

const hashAt = (number: number, fork = 'a'): Hex => `0x${fork}${number.toString(16).padStart(63, '0')}`
const block = (number: number, fork = 'a', parent: Hex = hashAt(number - 1, fork)): RawBlock => ({
  ...{ number: `0x${number.toString(16)}`, hash: hashAt(number, fork), parentHash: parent },
  ...{ timestamp: `0x${(1_000_000 + 12 * number).toString(16)}`, gasLimit: '0x1' },
})
const send: SendContext = { signal: new Abort(), priority: 'quote' }

/** A fake endpoint that answers requests for a parent block with `parent`. */
function fake({ head = -1, isEjected = false, parent = null as Partial<RawBlock> | null } = {}) {
  const upstream = {
    ...{ head, isEjected, seen: [] as number[], ejections: 0, asked: [] as unknown[][] },
    recordHead: (number: number) => void upstream.seen.push(number),
    recordLaggingHead: (number: number) => {
      upstream.seen.push(number)
      upstream.ejections++
    },
    endpoint: {
      request: async (...request: unknown[]) => {
        upstream.asked.push(request)
        return parent
      },
    },
  }
  return upstream
}
const headsOf = (...fakes: readonly ReturnType<typeof fake>[]) => new Heads(fakes as unknown as readonly Upstream[])
const accept = (heads: Heads, upstream: ReturnType<typeof fake>, raw: RawBlock) =>
  heads.accept(upstream as unknown as Upstream, raw, send)

beforeEach(() => void vi.useFakeTimers({ now: 1_001_212_000 }))
afterEach(() => void vi.useRealTimers())

test('the first head is believed and known from then on', async () => {
  const endpoint = fake()
  const heads = headsOf(endpoint)
  expect(heads.newest).toBeUndefined()
  const header = await accept(heads, endpoint, block(100))
  expect(header).toMatchObject({ number: 100, hash: hashAt(100) })
  expect(heads.newest).toBe(header)
  expect([heads.numberOf(hashAt(100)), heads.numberOf(hashAt(99))]).toEqual([100, undefined])
  expect([endpoint.seen, endpoint.asked, endpoint.ejections]).toEqual([[100], [], 0])
})

test('a header that was read elsewhere is known, and is no head', () => {
  const heads = headsOf()
  const header = readBlock(block(7))
  expect(heads.remember(header)).toBe(header)
  expect(heads.numberOf(hashAt(7))).toBe(7)
  expect(heads.newest).toBeUndefined()
})

test('an endpoint more than five blocks behind another one is passed over', async () => {
  const [slow, fast] = [fake(), fake({ head: 105 })]
  const heads = headsOf(slow, fast)
  await accept(heads, slow, block(100))
  await expect(accept(heads, slow, block(99))).rejects.toMatchObject({ code: 'LAGGING' })
  expect([slow.seen, slow.ejections]).toEqual([[100, 99], 1])
  expect(heads.newest?.number).toBe(100)
  expect(heads.numberOf(hashAt(99))).toBeUndefined()
})

test('heads of endpoints that are passed over, and its own, are not compared', async () => {
  const endpoint = fake({ head: 900 })
  const heads = headsOf(endpoint, fake({ head: 900, isEjected: true }))
  expect((await accept(heads, endpoint, block(100))).number).toBe(100)
  expect(endpoint.ejections).toBe(0)
})

test('the same head again is the same object, whatever the case of its hash', async () => {
  const endpoint = fake()
  const heads = headsOf(endpoint)
  const first = await accept(heads, endpoint, block(0xabc))
  const upper = { ...block(0xabc), hash: `0x${hashAt(0xabc).slice(2).toUpperCase()}` as Hex }
  expect(await accept(heads, endpoint, upper)).toBe(first)
  expect(await accept(heads, endpoint, { ...block(0xabc), number: '0xabb' })).not.toBe(first)
})

test('the habit of the chain is learned from heads', async () => {
  const endpoint = fake()
  const heads = headsOf(endpoint)
  await accept(heads, endpoint, block(100))
  expect(heads.cadence.clock.intervalMs).toBeNull()
  await accept(heads, endpoint, block(101))
  expect(heads.cadence.clock.intervalMs).toBe(12_000)
})

/** Counts requests for parent blocks when a head follows block 100. */
async function countParentRequests(raw: RawBlock, previousBlocks: readonly RawBlock[] = []): Promise<number> {
  const endpoint = fake({ parent: { number: `0x${(Number(raw.number) - 1).toString(16)}` as Hex } })
  const heads = headsOf(endpoint)
  for (const rawBlock of previousBlocks) heads.remember(readBlock(rawBlock))
  await accept(heads, endpoint, block(100))
  const header = await accept(heads, endpoint, raw)
  expect(heads.newest).toBe(header)
  for (const request of endpoint.asked) expect(request).toEqual(['eth_getBlockByHash', [raw.parentHash, false], send])
  return endpoint.asked.length
}

test.each([
  ['the next block', block(101), 0],
  ['five blocks further', block(105), 0],
  ['two blocks further', block(102), 0],
  ['six blocks further', block(106), 1],
  ['the next block with another parent', block(101, 'b'), 1],
  ['another block of the same height', block(100, 'b'), 1],
  ['another block of the same height with the same parent', block(100, 'b', hashAt(99)), 1],
  ['an earlier block', block(99), 1],
])('a head that is %s needs a proof: %#', async (_, raw, proofs) => {
  expect(await countParentRequests(raw)).toBe(proofs)
})

test('a head that is known, or whose parent is, needs no proof unless it leaps', async () => {
  expect(await countParentRequests(block(100, 'b'), [block(99, 'b')])).toBe(0)
  expect(await countParentRequests(block(100, 'b'), [block(100, 'b')])).toBe(0)
  expect(await countParentRequests(block(99), [block(98)])).toBe(0)
  expect(await countParentRequests(block(106), [block(105)])).toBe(1)
  expect(await countParentRequests(block(106), [block(106)])).toBe(0)
})

test('the first block of a chain has no parent to show', async () => {
  const endpoint = fake()
  const heads = headsOf(endpoint)
  await accept(heads, endpoint, block(3))
  expect((await accept(heads, endpoint, block(0, 'b', hashAt(9, 'c')))).number).toBe(0)
  expect(endpoint.asked).toEqual([])
})

test.each([[null], [{ number: '0xc9' }], [{ number: '0xc6' }], [{ number: '0xc8' }], [{}]] as const)(
  'a head that leaps and whose parent is %j is not believed',
  async (parent) => {
    const endpoint = fake({ parent })
    const heads = headsOf(endpoint)
    await accept(heads, endpoint, block(100))
    await expect(accept(heads, endpoint, block(200))).rejects.toMatchObject({ code: 'BAD_ANSWER' })
    expect([heads.newest?.number, endpoint.seen, heads.numberOf(hashAt(200))]).toEqual([100, [100], undefined])
  },
)

test.each([
  { number: '0x20000000000000' },
  { number: 'many' },
  { timestamp: '0x20000000000000' },
  { timestamp: 'late' },
  { hash: `0x${'a'.repeat(63)}` },
  { hash: `0x${'a'.repeat(65)}` },
  { hash: `0x${'g'.repeat(64)}` },
  { hash: `00x${'a'.repeat(64)}` },
  { hash: undefined },
  { gasLimit: 'much' },
  { miner: '0x12' },
])('a block with %j is none', (part) => {
  expect(() => readBlock({ ...block(5), ...part } as RawBlock)).toThrow(expect.objectContaining({ code: 'BAD_ANSWER' }))
})

test('a block with a hash in upper case is read', () => {
  expect(readBlock({ ...block(5), hash: `0x${'A'.repeat(64)}` }).hash).toBe(`0x${'a'.repeat(64)}`)
})

test('an answer that cannot be read is bad, with the reason', () => {
  expect(orBadAnswer(() => 5)).toBe(5)
  const cause = new TypeError('no')
  const read = () =>
    orBadAnswer(() => {
      throw cause
    })
  expect(read).toThrow(RpcError)
  expect(read).toThrow(expect.objectContaining({ code: 'BAD_ANSWER', cause }))
})

test('a head whose hash is no text is a failure of the endpoint', async () => {
  const endpoint = fake()
  const heads = headsOf(endpoint)
  await accept(heads, endpoint, block(100))
  const raw = { ...block(101), hash: 7 } as unknown as RawBlock
  await expect(accept(heads, endpoint, raw)).rejects.toMatchObject({ name: 'RpcError', code: 'BAD_ANSWER' })
})
