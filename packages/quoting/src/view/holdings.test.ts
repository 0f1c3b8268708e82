import { ReadBatch__factory } from '@sluice/bindings'
import { type Address, type Hex, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import type { Pool, Snapshot } from '@sluice/liquidity'
import { batchedReads } from '@sluice/liquidity/testing'
import type { Prices } from '@sluice/pricing'
import type { Rpc } from '@sluice/rpc'
import { toBeHex } from 'ethers'
import { describe, expect, test } from 'vitest'
import { deepestPools, readHoldings, tokensToCheck } from './holdings.ts'

const account = (n: number): Address => toAddress(`0x${n.toString(16).padStart(40, '0')}`)
const [TOKEN, OTHER] = [account(1), account(2)]
const pair = (
  n: number,
  ownBalance: bigint,
  { tokens = [TOKEN, OTHER], family = 'uniswap-v2', other = 10n ** 9n } = {},
) => {
  const tokenIndex = tokens.indexOf(TOKEN)
  const state = {
    reserve0: tokenIndex === 0 ? ownBalance : other,
    reserve1: tokenIndex === 0 ? other : ownBalance,
    feePpm: 3_000,
  }
  return { id: account(n), address: account(n), family, dex: 'test', tokens, state } as Pool
}
const pricesOf = (pools: readonly Pool[], overrides: object = {}) =>
  ({ poolsOf: () => pools, usd: () => 1, isUnsellable: () => false, ...overrides }) as unknown as Prices

const snapshotOf = (pools: readonly Pool[]) =>
  ({ block: { hash: '0x07' }, pools: new Map(pools.map((pool) => [pool.id, pool])) }) as unknown as Snapshot

const batch = ReadBatch__factory.createInterface()
const word = (value: bigint) => toBeHex(value, 32) as Hex
/** A node that answers batched reads one by one; null reverts. */
function nodeOf(answer: (to: Address, data: Hex) => Hex | null) {
  const readCalls: { readonly to: Address; readonly data: Hex; readonly block: unknown; readonly options: object }[] =
    []
  const call = async ({ data }: { data: Hex }, block: unknown, options: object) => {
    const answers = batchedReads(data).map(({ to: address, data }) => {
      readCalls.push({ to: address, data, block, options })
      const result = answer(address, data)
      return { ok: result !== null, data: result ?? '0x' }
    })
    return batch.encodeFunctionResult('run', [answers]) as Hex
  }
  return { rpc: { call } as unknown as Rpc, readCalls }
}

describe('the deepest pools of a token', () => {
  test('are ordered by their balance of it, on either side of the pool', () => {
    const pools = [pair(11, 5n), pair(12, 9n, { tokens: [OTHER, TOKEN], other: 1n }), pair(13, 7n), pair(14, 6n)]
    expect(deepestPools(TOKEN, pricesOf(pools)).map(({ id }) => id)).toEqual([12, 13, 14, 11].map(account))
  })

  test('are at most sixteen, of known families whose pools hold their own tokens', () => {
    const many = Array.from({ length: 20 }, (_, k) => pair(100 + k, BigInt(k)))
    expect(deepestPools(TOKEN, pricesOf(many)).map(({ id }) => id)).toEqual(
      Array.from({ length: 16 }, (_, k) => account(119 - k)),
    )
    const others = [
      pair(11, 5n, { family: 'unheard-of' }),
      pair(12, 5n, { tokens: [OTHER, ZERO_ADDRESS] }),
      { ...pair(13, 5n), family: 'uniswap-v4' },
    ]
    expect(deepestPools(TOKEN, pricesOf(others))).toEqual([])
  })
})

describe('balances of pools', () => {
  type Balances = Readonly<Record<Address, bigint | null>>
  const read = async (balances: Balances, reserves = { held: 10n ** 9n, other: 10n ** 9n }) => {
    const pool = pair(11, reserves.held, reserves)
    const lacks: unknown[] = []
    const setMissing = (id: string, missing: readonly number[]) => lacks.push([id, missing]) > 0
    const { rpc, readCalls } = nodeOf((to) => (balances[to] === null ? null : word(balances[to]!)))
    const snapshot = snapshotOf([pool])
    const isNew = await readHoldings(TOKEN, { snapshot, prices: pricesOf([pool], { setMissing }), rpc })
    return { isNew, lacks, readCalls }
  }

  test('are read for every token of the pool, at the block of the snapshot', async () => {
    const { readCalls, isNew, lacks } = await read({ [TOKEN]: 10n ** 9n, [OTHER]: 10n ** 9n })
    expect(readCalls.map(({ to }) => to)).toEqual([TOKEN, OTHER])
    expect(readCalls[0]).toMatchObject({ block: { blockHash: '0x07' }, options: { priority: 'lookup' } })
    expect(readCalls[0]!.data).toBe(`0x70a08231${account(11).slice(2).padStart(64, '0')}`)
    expect(lacks).toEqual([[account(11), [0, 0]]])
    expect(isNew).toBe(true)
  })

  test('below the reserves count as missing, apart from rounding by a millionth', async () => {
    const whole = 10n ** 9n
    const lacks = async (balance: bigint | null) => (await read({ [TOKEN]: balance, [OTHER]: whole })).lacks[0]
    expect(await lacks(whole / 4n)).toEqual([account(11), [0.75e9, 0]])
    expect(await lacks(whole - 1_000n)).toEqual([account(11), [0, 0]])
    expect(await lacks(whole - 1_001n)).toEqual([account(11), [1_001, 0]])
    expect(await lacks(whole * 2n)).toEqual([account(11), [0, 0]])
    expect(await lacks(0n)).toEqual([account(11), [1e9, 0]])
    // A token that does not answer is assumed to lack nothing.
    expect(await lacks(null)).toEqual([account(11), [0, 0]])
  })

  test('are compared with the reserves of the same block, also if the prices are of a later one', async () => {
    const lacks: unknown[] = []
    const [earlier, later, created] = [pair(11, 1_000n), pair(11, 5_000n), pair(12, 9n)]
    const prices = pricesOf([later, created], { setMissing: (...report: unknown[]) => lacks.push(report) > 0 })
    const { rpc } = nodeOf((to) => word(to === TOKEN ? 1_000n : 10n ** 9n))
    await readHoldings(TOKEN, { snapshot: snapshotOf([earlier]), prices, rpc })
    expect(lacks).toEqual([[account(11), [0, 0]]])
  })

  test('change no price if the missing amounts were known', async () => {
    const { rpc } = nodeOf(() => word(0n))
    const pools = [pair(11, 5n), pair(12, 4n)]
    const snapshot = snapshotOf(pools)
    const unchanged = pricesOf(pools, { setMissing: () => false })
    expect(await readHoldings(TOKEN, { snapshot, prices: unchanged, rpc })).toBe(false)
    const second = pricesOf(pools, { setMissing: (id: string) => id === account(12) })
    expect(await readHoldings(TOKEN, { snapshot, prices: second, rpc })).toBe(true)
    expect(await readHoldings(TOKEN, { snapshot, prices: pricesOf([]), rpc })).toBe(false)
  })

  test('are the first word of an answer, and a shorter answer is ignored', async () => {
    const lacksOf = async (answer: Hex) => {
      const lacks: (readonly number[])[] = []
      const pools = [pair(11, 1_000n, { other: 1_000n })]
      const prices = pricesOf(pools, {
        setMissing: (_id: string, missing: readonly number[]) => lacks.push(missing) > 0,
      })
      await readHoldings(TOKEN, { snapshot: snapshotOf(pools), prices, rpc: nodeOf(() => answer).rpc })
      return lacks[0]
    }
    expect(await lacksOf('0x12')).toEqual([0, 0])
    expect(await lacksOf(`${word(400n)}ffff`)).toEqual([600, 600])
  })
})

describe('tokens of a request whose holdings are checked', () => {
  const listed = new Set([OTHER])
  test('are the unlisted ones with a price, without duplicates', () => {
    const prices = pricesOf([], { usd: (token: Address) => (token === account(9) ? null : 1) })
    const tokens = [OTHER, TOKEN, ZERO_ADDRESS, TOKEN, account(9), account(8)]
    expect(tokensToCheck(tokens, listed, prices)).toEqual([TOKEN, account(8)])
    expect(tokensToCheck(tokens, listed, prices, (token) => token !== TOKEN)).toEqual([account(8)])
  })

  test('include those without a price because they could not be sold', () => {
    const prices = pricesOf([], { usd: () => null, isUnsellable: (token: Address) => token === TOKEN })
    expect(tokensToCheck([TOKEN, account(8)], listed, prices)).toEqual([TOKEN])
  })

  test('are all of them, since a token that is not checked must have no price', () => {
    const tokens = Array.from({ length: 200 }, (_, k) => account(20 + k))
    expect(tokensToCheck(tokens, listed, pricesOf([]))).toEqual(tokens)
  })
})
