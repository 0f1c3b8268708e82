/** Tests how reads are packed into calls, and what a refused call becomes, with a node in memory. */
import { ReadBatch__factory } from '@sluice/bindings'
import { type Address, type Hex, toAddress } from '@sluice/chains'
import { type CallOptions, type CallRequest, type Rpc, RpcError } from '@sluice/rpc'
import { describe, expect, test, vi } from 'vitest'
import { batchedReads } from '../../test/batched-reads.ts'
import type { Read, Reads } from '../family.ts'
import { runReads } from './reads.ts'

const batch = ReadBatch__factory.createInterface()
const at = (n: number): Address => toAddress(`0x${n.toString(16).padStart(40, '0')}`)
const read = (n: number, rest: Partial<Read> = {}): Read => ({
  to: at(n),
  data: `0x${n.toString(16).padStart(8, '0')}`,
  ...rest,
})
function* one(of: Read): Reads<Hex | null> {
  return (yield [of])[0]!
}
/** A generator that asks for the reads at once. */
function* all(of: readonly Read[]): Reads<readonly (Hex | null)[]> {
  return yield of
}

function* twice(of: Read): Reads<readonly (Hex | null)[]> {
  return [...(yield [of]), ...(yield [of])]
}

type Call = { readonly calls: readonly { readonly to: Address; readonly data: Hex }[]; readonly options: CallOptions }
/** A node that answers a read with its own data, except of those that revert, and refuses some calls. */
function nodeOf({
  reverting = [] as readonly number[],
  empty = [] as readonly number[],
  refuse = (_: Call): RpcError | undefined => undefined,
} = {}) {
  const calls: Call[] = []
  const rpc = {
    call: async ({ data }: CallRequest, block: unknown, options: CallOptions) => {
      expect(block).toEqual({ blockHash: '0x01' })
      const call = { calls: batchedReads(data!), options }
      calls.push(call)
      const error = refuse(call)
      if (error) throw error
      const numberOf = (data: Hex) => Number(BigInt(data.slice(0, 10)))
      const answers = call.calls.map(({ data }) => ({
        ok: !reverting.includes(numberOf(data)),
        data: empty.includes(numberOf(data)) ? '0x' : data,
      }))
      return batch.encodeFunctionResult('run', [answers])
    },
  } as unknown as Rpc
  const run = <T>(generators: readonly Reads<T>[], options = {}) =>
    runReads(rpc, { blockHash: '0x01' }, generators, options)
  const sizes = () => calls.map(({ calls }) => calls.length)
  return { calls, run, sizes }
}
const reads = (count: number, rest: Partial<Read> = {}) => Array.from({ length: count }, (_, n) => read(n + 1, rest))

/** A read that overrides code, of so many bytes in all. */
const ofBytes = (of: Read, bytes: number): Read => ({ ...of, code: `0x${'60'.repeat(bytes - of.data.length / 2 - 1)}` })

describe('reads', () => {
  test('of one round share a call, with the time limit of a busy node; a revert and an account without code are null', async () => {
    const { run, calls, sizes } = nodeOf({ reverting: [2], empty: [3] })
    expect(await run(reads(4).map(one))).toEqual([read(1).data, null, null, read(4).data])
    expect([sizes(), calls[0]!.options.timeoutMs]).toEqual([[4], 15_000])
    // Only the contracts that run the reads, and call each statically, have other code than on chain.
    expect(Object.keys(calls[0]!.options.overrides!)).toHaveLength(2)
    await run([one(read(1))], { timeoutMs: 5, priority: 'lookup' })
    expect(calls[1]!.options).toMatchObject({ timeoutMs: 5, priority: 'lookup' })
  })

  test('that several generators yield in a round run once, unless they override something', async () => {
    const { run, calls, sizes } = nodeOf()
    const wanted = [read(7), read(8), read(7), { ...read(7), to: at(8) }]
    const answers = [7, 8, 7, 7].map((n) => read(n).data)
    expect(await run([all(wanted), all(wanted.toReversed())])).toEqual([answers, answers.toReversed()])
    expect(sizes()).toEqual([3])
    const overriding = read(9, { balance: 5n })
    await run([all([overriding, read(9), read(9)]), all([overriding])])
    expect(calls[1]!.calls).toHaveLength(3)
    // A later round reads again.
    await run([twice(read(4))])
    expect(sizes().slice(2)).toEqual([1, 1])
  })

  test('are asked for until all generators are done', async () => {
    const { run, sizes } = nodeOf()
    function* rounds(count: number): Reads<number> {
      let total = 0
      for (let round = 1; round <= count; round++) total += (yield reads(round)).length
      return total
    }
    expect(await run([rounds(1), rounds(3), rounds(0)])).toEqual([1, 6, 0])
    // The first two share the read of the first round.
    expect(sizes()).toEqual([1, 2, 3])
    expect(await run([])).toEqual([])
  })

  test('fill calls of up to 20 million gas, 30,000 each by default', async () => {
    const { run, sizes } = nodeOf()
    await run([all([read(1, { gas: 19_970_000 }), read(2), read(3)])])
    expect(sizes()).toEqual([2, 1])
    const own = nodeOf()
    await own.run([all([...reads(2, { gas: 10_000_000 }), read(3, { gas: 1 }), read(4, { gas: 30_000_000 })])])
    expect(own.sizes()).toEqual([2, 1, 1])
  })

  test('fill calls of up to 256,000 bytes; code that several use counts once', async () => {
    const { run, sizes } = nodeOf()
    const large = reads(5).map((of) => ofBytes(of, 64_000))
    await run([all(large)])
    expect(sizes()).toEqual([4, 1])
    const code = `0x${'60'.repeat(200_000 - 1)}` as Hex
    const shared = nodeOf()
    await shared.run([all([1, 2, 3].map((n) => ({ ...read(n), to: at(9), code })))])
    expect(shared.sizes()).toEqual([3])
    expect(shared.calls[0]!.options.overrides?.[at(9)]).toEqual({ code })
    // Two codes of one address, or with and without code, are two calls.
    const other = nodeOf()
    await other.run([all([{ ...read(1), code: '0x6001' }, { ...read(1), code: '0x6002' }, read(1)] as Read[])])
    expect(other.sizes()).toEqual([1, 1, 1])
    // Without code first, the override of the second read would also apply to the first read.
    const plainFirst = nodeOf()
    await plainFirst.run([all([read(1), { ...read(1), code: '0x6001' }, read(2)] as Read[])])
    expect(plainFirst.sizes()).toEqual([1, 2])
  })

  test('count code that an earlier call had, too, because each call carries its own', async () => {
    const { run, calls, sizes } = nodeOf()
    // The gas of the first two reads fills two calls. The code of the second call leaves no room for the third read.
    const shared = { ...ofBytes(read(1), 200_000), gas: 15_000_000 }
    await run([all([shared, shared, ofBytes(read(2), 100_000)])])
    expect(sizes()).toEqual([1, 1, 1])
    expect(calls[1]!.options.overrides?.[at(1)]).toEqual({ code: shared.code })
  })
})

test('code, balance, and storage are overrides of the same call, whose sender is not the zero address', async () => {
  const requests: { request: CallRequest; options: CallOptions }[] = []
  const rpc = {
    call: async (request: CallRequest, _: unknown, options: CallOptions) => {
      requests.push({ request, options })
      return batch.encodeFunctionResult('run', [[{ ok: true, data: '0x01' }]])
    },
  } as unknown as Rpc
  const slot: Hex = `0x${'00'.repeat(31)}07`
  const of = read(1, { code: '0x6001', balance: 5n, storage: { [at(1)]: { [slot]: slot }, [at(2)]: { [slot]: slot } } })
  expect(await runReads(rpc, { blockHash: '0x01' }, [one(of)])).toEqual(['0x01'])
  const [{ request, options }] = requests as [(typeof requests)[0]]
  expect(options.overrides).toMatchObject({
    [at(1)]: { code: '0x6001', balance: 5n, stateDiff: { [slot]: slot } },
    [at(2)]: { stateDiff: { [slot]: slot } },
  })
  expect(BigInt(request.from!)).toBeGreaterThan(0n)
})

test('reads of one call may override different slots of one account', async () => {
  const { run, calls } = nodeOf()
  const slotOf = (n: number): Hex => `0x${n.toString(16).padStart(64, '0')}`
  const overriding = [1, 2].map((n) => read(n, { storage: { [at(7)]: { [slotOf(n)]: slotOf(10 + n) } } }))
  await run([all(overriding)])
  expect(calls.map(({ options }) => options.overrides?.[at(7)])).toEqual([
    { stateDiff: { [slotOf(1)]: slotOf(11), [slotOf(2)]: slotOf(12) } },
  ])
})

test('reads of one lens keep the slots and the balance that each of them overrides', async () => {
  const { run, calls } = nodeOf()
  const slotOf = (n: number): Hex => `0x${n.toString(16).padStart(64, '0')}`
  const lens = { to: at(7), code: '0x6001' } as const
  await run([
    all([
      read(1, { ...lens, balance: 5n, storage: { [at(7)]: { [slotOf(1)]: slotOf(11) } } }),
      read(2, { ...lens, storage: { [at(7)]: { [slotOf(2)]: slotOf(12) } } }),
    ]),
  ])
  expect(calls.map(({ options }) => options.overrides?.[at(7)])).toEqual([
    { code: '0x6001', balance: 5n, stateDiff: { [slotOf(1)]: slotOf(11), [slotOf(2)]: slotOf(12) } },
  ])
})

test('storage overrides count as bytes of a call', async () => {
  const { run, sizes } = nodeOf()
  // 2,000 words of a key and a value each: 132,000 bytes.
  const words: Record<Hex, Hex> = {}
  for (let n = 0; n < 2_000; n++) words[`0x${n.toString(16).padStart(64, '0')}`] = `0x${'00'.repeat(32)}`
  await run([all(reads(3).map((of): Read => ({ ...of, storage: { [of.to]: words } })))])
  expect(sizes()).toEqual([1, 1, 1])
  await run([all([{ ...read(1), storage: { [at(1)]: words } }, read(2)] as Read[])])
  expect(sizes().slice(3)).toEqual([2])
})

describe('a call', () => {
  const tooMuch = (code: 'REVERTED' | 'SIZE' | 'GAS_CAP', max: number) => ({
    refuse: ({ calls }: Call) => (calls.length > max ? new RpcError(code, 'no') : undefined),
  })

  test.each(['REVERTED', 'SIZE', 'GAS_CAP'] as const)(
    'that the node refuses as %s is halved until it passes',
    async (code) => {
      const { run, sizes } = nodeOf(tooMuch(code, 3))
      const list = reads(10)
      expect(await run([all(list)])).toEqual([list.map(({ data }) => data)])
      expect(sizes()[0]).toBe(10)
      expect(
        sizes()
          .filter((size) => size <= 3)
          .reduce((sum, size) => sum + size, 0),
      ).toBe(10)
    },
  )

  test('that fails with a single read has no answer for it, and the others have theirs', async () => {
    const refuse = ({ calls }: Call) =>
      calls.some(({ to }) => to === at(3)) ? new RpcError('REVERTED', 'out of gas') : undefined
    const { run } = nodeOf({ refuse })
    expect(await run(reads(5).map(one))).toEqual([1, 2, null, 4, 5].map((n) => n && read(n).data))
  })

  test('with a single read that the node refuses as SIZE is retried once, because the node may be busy', async () => {
    const run = async (refusals: number) => {
      let refusalsLeft = refusals
      const refuse = ({ calls }: Call) =>
        calls.some(({ to }) => to === at(3)) && refusalsLeft-- > 0
          ? new RpcError('SIZE', 'execution timeout')
          : undefined
      const node = nodeOf({ refuse })
      return [await node.run(reads(3).map(one)), node.sizes()]
    }
    const [first, second, third] = reads(3).map(({ data }) => data)
    // The first call with three reads, the call with the second and third, and the third alone.
    expect(await run(3)).toEqual([[first, second, third], expect.arrayContaining([3, 2])])
    const [answers, sizes] = await run(100)
    expect(answers).toEqual([first, second, null])
    expect(sizes).toHaveLength(6)
  })

  test('that is too large makes later ones smaller, down to 16,000 bytes', async () => {
    // 20,000 bytes each; the node takes 50,000 a call.
    const large = reads(8).map((of) => ofBytes(of, 20_000))
    const refuse = ({ calls }: Call) => (calls.length > 2 ? new RpcError('SIZE', 'too large') : undefined)
    const { run, sizes } = nodeOf({ refuse })
    await run([all(large)])
    const before = sizes().length
    await run([all(large)])
    // Half of 40,000 to 80,000 bytes, in which one or two reads fit, without a refusal.
    expect(
      sizes()
        .slice(before)
        .every((size) => size <= 2),
    ).toBe(true)
    const tiny = nodeOf({
      refuse: ({ calls }: Call) => (calls.length > 1 ? new RpcError('SIZE', 'too large') : undefined),
    })
    await tiny.run([all(reads(16))])
    await tiny.run([all(reads(16))])
    // 16 reads of four bytes are less than the lower limit.
    expect(tiny.sizes().filter((size) => size === 16)).toHaveLength(2)
  })

  test('that a busy node refuses makes later ones smaller for ten minutes', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    try {
      const large = reads(8).map((of) => ofBytes(of, 20_000))
      let isBusy = true
      const refuse = ({ calls }: Call) =>
        isBusy && calls.length > 2 ? new RpcError('SIZE', 'execution timeout') : undefined
      const { run, sizes } = nodeOf({ refuse })
      const sizesOfRun = async () => {
        const before = sizes().length
        await run([all(large)])
        return sizes().slice(before)
      }
      await sizesOfRun()
      isBusy = false
      vi.advanceTimersByTime(599_999)
      expect(Math.max(...(await sizesOfRun()))).toBeLessThanOrEqual(2)
      vi.advanceTimersByTime(1)
      expect(await sizesOfRun()).toEqual([8])
    } finally {
      vi.useRealTimers()
    }
  })

  test('that is too large because of a single read does not make later ones smaller', async () => {
    const large = reads(12).map((of) => ofBytes(of, 20_000))
    const refuse = ({ calls }: Call) =>
      calls.some(({ to }) => to === at(3)) ? new RpcError('SIZE', 'response too large') : undefined
    const { run, sizes } = nodeOf({ refuse })
    const expected = large.map(({ data }, n) => (n === 2 ? null : data))
    expect(await run([all(large)])).toEqual([expected])
    const before = sizes().length
    expect(await run([all(large)])).toEqual([expected])
    expect(sizes()[before]).toBe(12)
  })

  test('that fails for another reason fails the reads', async () => {
    const { run } = nodeOf({ refuse: () => new RpcError('UNREACHABLE', 'down') })
    await expect(run([all(reads(2))])).rejects.toThrow('down')
  })
})
