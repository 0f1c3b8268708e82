/** Tests what is cached of tokens, and when it is read again, with a node in memory. */
import { ReadBatch__factory, TokenLens__factory } from '@sluice/bindings'
import { type Address, type Chain, type Hex, NATIVE, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { type Rpc, RpcError } from '@sluice/rpc'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { defaultMarketLimits } from './limits.ts'
import { TokenFacts } from './token-facts.ts'

const at = (n: number): Address => toAddress(`0x${n.toString(16).padStart(40, '0')}`)
const [WRAPPER, STABLE, HUB] = [at(1), at(2), at(3)]
const chain = {
  ...{ nativeCurrency: { symbol: 'X', decimals: 9 }, wrappedNative: { address: WRAPPER, decimals: 18 } },
  ...{ stables: [{ address: STABLE, decimals: 6 }], tokens: [], hubs: [HUB], dexes: [] },
} as unknown as Chain
const batch = ReadBatch__factory.createInterface()
const lens = TokenLens__factory.createInterface()
const IS_TOKEN = 0x10000n
/** Word of a token with decimals. */
const wordOf = (decimals: number) => IS_TOKEN | 0x100n | BigInt(decimals)

/** A node with words by address; a call looks at up to `reach` addresses. */
function worldOf({ reach = 1_000, limits = {} } = {}) {
  const words = new Map<Address, bigint>()
  const looks: (readonly Address[])[] = []
  const learned: [Address, number | undefined][] = []
  const world = { failure: null as Error | null }
  const rpc = {
    call: async ({ data }: { readonly data: Hex }) => {
      if (world.failure) throw world.failure
      const [calls] = batch.decodeFunctionData('run', data) as unknown as [{ data: Hex }[]]
      const answers = calls.map((call) => {
        const [accounts] = lens.decodeFunctionData('look', call.data) as unknown as [string[]]
        const readAccounts = accounts.map((account) => toAddress(account))
        looks.push(readAccounts)
        const wordsRead = readAccounts.slice(0, reach).map((account) => words.get(account) ?? 0n)
        return { ok: true, data: lens.encodeFunctionResult('look', [wordsRead]) }
      })
      return batch.encodeFunctionResult('run', [answers])
    },
  } as unknown as Rpc
  const facts = new TokenFacts(chain, { ...defaultMarketLimits, ...limits })
  facts.onChecked = (...fact) => learned.push(fact)
  return { facts, rpc, words, looks, learned, world }
}
const [ONE, TWO, THREE, ACCOUNT] = [at(11), at(12), at(13), at(14)]

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }))
afterEach(() => void vi.restoreAllMocks().useRealTimers())

test('the chain’s own tokens are known without a look', async () => {
  const { facts, rpc, looks } = worldOf()
  expect([WRAPPER, STABLE, NATIVE, ZERO_ADDRESS].map((token) => facts.decimals(token))).toEqual([18, 6, 9, 9])
  await facts.check([WRAPPER, STABLE, NATIVE], rpc)
  expect(looks).toEqual([])
  expect([facts.isToken(STABLE), facts.isToken(HUB), facts.isToken(ONE)]).toEqual([true, true, undefined])
})

describe('a look', () => {
  test('tells tokens from other addresses, and reads decimals of up to 77', async () => {
    const { facts, rpc, words, learned } = worldOf()
    words.set(ONE, wordOf(8)).set(TWO, IS_TOKEN).set(THREE, wordOf(78))
    await facts.check([ONE, TWO, THREE, ACCOUNT, ONE], rpc)
    expect([ONE, TWO, THREE, ACCOUNT].map((address) => facts.isToken(address))).toEqual([true, true, true, false])
    expect([ONE, TWO, THREE].map((address) => facts.decimals(address))).toEqual([8, undefined, undefined])
    expect(learned).toEqual([
      [ONE, 8],
      [TWO, undefined],
      [THREE, undefined],
    ])
    expect(facts.stateCount).toEqual({ entries: 4, evicted: 0 })
    words.set(ACCOUNT, wordOf(77))
    facts.store(ACCOUNT, 77)
    expect([facts.isToken(ACCOUNT), facts.decimals(ACCOUNT), facts.stateCount.entries]).toEqual([true, 77, 4])
  })

  test('is shared by those who ask at once, and not repeated', async () => {
    const { facts, rpc, words, looks } = worldOf()
    words.set(ONE, wordOf(8))
    await Promise.all([facts.check([ONE, TWO], rpc), facts.check([TWO, THREE], rpc), facts.check([], rpc)])
    expect(looks).toEqual([[ONE, TWO], [THREE]])
    await facts.check([ONE, TWO, THREE], rpc)
    expect(looks).toHaveLength(2)
  })

  test('at what is no token is repeated at another block only', async () => {
    const { facts, rpc, looks } = worldOf()
    for (const retryBlock of ['0x01', '0x01', '0x02', '0x02', undefined] as const)
      await facts.check([ONE], rpc, retryBlock && { retryBlock })
    expect(looks).toHaveLength(2)
  })

  test('at more than 200 addresses takes several calls, and continues where the gas ended', async () => {
    const { facts, rpc, words, looks } = worldOf()
    const many = Array.from({ length: 450 }, (_, k) => at(1_000 + k))
    for (const address of many) words.set(address, wordOf(5))
    await facts.check(many, rpc)
    expect(looks.map(({ length }) => length)).toEqual([200, 200, 50])
    expect(many.every((address) => facts.decimals(address) === 5)).toBe(true)
    const slow = worldOf({ reach: 2 })
    for (const address of [ONE, TWO, THREE]) slow.words.set(address, wordOf(5))
    await slow.facts.check([ONE, TWO, THREE], slow.rpc)
    expect(slow.looks).toEqual([[ONE, TWO, THREE], [THREE]])
    // What twelve calls do not reach counts as no token.
    const costly = worldOf({ reach: 1 })
    const list = Array.from({ length: 14 }, (_, k) => at(1_000 + k))
    for (const address of list) costly.words.set(address, wordOf(5))
    await costly.facts.check(list, costly.rpc)
    expect([costly.looks.length, list.map((address) => costly.facts.isToken(address))]).toEqual([
      12,
      list.map((_, k) => k < 12),
    ])
  })

  test('that the node does not answer leaves the addresses unknown', async () => {
    const { facts, rpc, words, world } = worldOf()
    words.set(ONE, wordOf(8))
    world.failure = new RpcError('UNREACHABLE', 'down')
    await expect(facts.check([ONE], rpc)).rejects.toThrow('down')
    expect(facts.isToken(ONE)).toBeUndefined()
    world.failure = null
    await facts.check([ONE], rpc)
    expect(facts.isToken(ONE)).toBe(true)
  })
})

describe('decimals', () => {
  test('are read again after ten minutes, the oldest first; no answer leaves them as they are', async () => {
    const { facts, rpc, words, looks, learned } = worldOf()
    for (const token of [ONE, TWO, THREE]) words.set(token, wordOf(8))
    await facts.check([ONE], rpc)
    vi.advanceTimersByTime(1_000)
    await facts.check([TWO, THREE], rpc)
    facts.store(STABLE, 6)
    learned.length = looks.length = 0
    words.set(ONE, wordOf(18)).set(TWO, 0n)
    await facts.refresh(rpc, performance.now() + 598_999)
    expect(looks).toEqual([])
    await facts.refresh(rpc, performance.now() + 599_000)
    expect([looks, learned]).toEqual([[[ONE]], [[ONE, 18]]])
    await facts.refresh(rpc, performance.now() + 600_000)
    expect(looks[1]!.toSorted()).toEqual([TWO, THREE])
    expect([ONE, TWO, THREE].map((token) => facts.decimals(token))).toEqual([18, 8, 8])
    expect(learned).toHaveLength(1)
  })

  test('of at most 200 tokens are read at a time', async () => {
    const { facts, rpc, looks } = worldOf()
    vi.spyOn(performance, 'now')
    for (let k = 0; k < 210; k++) {
      vi.mocked(performance.now).mockReturnValue(2_000_000 + 210 - k)
      facts.store(at(1_000 + k), 8)
    }
    await facts.refresh(rpc, 10_000_000)
    expect(looks.map(({ length }) => length)).toEqual([200])
    // Those learned last are the oldest here.
    expect(looks[0]![0]).toBe(at(1_209))
    await facts.refresh(rpc, 10_000_000)
    expect(looks[1]).toHaveLength(10)
  })
})
