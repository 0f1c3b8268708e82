import { ReadBatch__factory } from '@sluice/bindings'
import { type Address, type Hex, toAddress } from '@sluice/chains'
import type { Pool } from '@sluice/liquidity'
import { Prices } from '@sluice/pricing'
import { describe, expect, test, vi } from 'vitest'
import type { HoldingsSource } from '../view/holdings.ts'
import { TokenEvidence } from './token-evidence.ts'

const account = (n: number): Address => toAddress(`0x${n.toString(16).padStart(40, '0')}`)
const [LISTED, ONE, TWO, THREE] = [account(1), account(2), account(3), account(4)]
const batch = ReadBatch__factory.createInterface()
const LONG = 60_000

/** A chain with a pool of each unlisted token and the listed one, whose node and measurements the test controls. */
function gathering() {
  const chain = {
    reads: 0,
    measured: [] as Address[],
    news: 0,
    isNew: true,
    failure: undefined as Error | undefined,
    measuring: undefined as Promise<void> | undefined,
    /** Intermediates of tokens; null if there are too many. */
    intermediates: new Map<Address, readonly Address[] | null>(),
    /** Pools that decide the prices of tokens. */
    decidingPools: new Map<Address, readonly Pool[]>(),
    soldTo: [] as Address[],
    onMeasured: (_token: Address) => {},
  }
  const poolOf = (token: Address): Pool => ({
    ...{ id: token, address: token, family: 'uniswap-v2', dex: 'test', tokens: [token, LISTED] },
    state: { reserve0: 5n, reserve1: 5n, feePpm: 3_000 },
  })
  const source = {
    snapshot: { block: { hash: '0x07' }, pools: { get: (id: Address) => poolOf(id) } },
    prices: {
      poolsOf: (token: Address) => [poolOf(token)],
      decidingPoolsOf: (token: Address) => chain.decidingPools.get(token) ?? [],
      usd: () => 1,
      intermediatesOf: (token: Address) => (chain.intermediates.has(token) ? chain.intermediates.get(token) : []),
      setMissing: () => chain.isNew,
    },
    rpc: {
      call: async ({ data }: { data: Hex }) => {
        chain.reads++
        if (chain.failure) throw chain.failure
        const [reads] = batch.decodeFunctionData('run', data) as unknown as [unknown[]]
        return batch.encodeFunctionResult('run', [reads.map(() => ({ ok: false, data: '0x' }))])
      },
    },
  } as unknown as HoldingsSource
  const evidence = new TokenEvidence({
    allowListed: new Set([LISTED]),
    testSales: async (token, pools) => {
      chain.measured.push(token)
      chain.soldTo.push(...pools.map(({ address }) => address))
      await chain.measuring
      chain.onMeasured(token)
    },
    onNewEvidence: () => {
      chain.news++
    },
  })
  return {
    chain,
    evidence,
    poolOf,
    source,
    gather: (tokens: readonly Address[], ms = LONG) => evidence.gather(tokens, source, ms),
  }
}

test('an unlisted token is checked once: its pool balances, and a test sale', async () => {
  const { chain, evidence, gather } = gathering()
  expect(await gather([LISTED, ONE, ONE])).toEqual(new Set())
  expect(chain).toMatchObject({ reads: 1, measured: [ONE], news: 1 })
  await gather([ONE])
  expect(chain).toMatchObject({ reads: 1, measured: [ONE], news: 1 })
  expect(evidence.counts).toMatchObject({ held: { entries: 1 }, sold: { entries: 1 } })
})

test('a sale is tested to the pools that decide the price, else to the pool with the largest reserve', async () => {
  const { chain, poolOf, gather } = gathering()
  chain.decidingPools.set(ONE, [poolOf(TWO), poolOf(THREE)])
  await gather([ONE])
  expect(chain.soldTo).toEqual([TWO, THREE])
  await gather([TWO])
  expect(chain.soldTo).toEqual([TWO, THREE, TWO])
})

test('balances that change no price trigger no update', async () => {
  const { chain, gather } = gathering()
  chain.isNew = false
  await gather([ONE])
  expect(chain).toMatchObject({ reads: 1, news: 0 })
})

test('a failed check is repeated', async () => {
  const { chain, gather } = gathering()
  chain.failure = new Error('node failure')
  expect(await gather([ONE])).toEqual(new Set())
  chain.failure = undefined
  await gather([ONE])
  expect(chain).toMatchObject({ reads: 2, measured: [ONE], news: 1 })
})

test('a slow check is pending for its first caller, and awaited by later ones', async () => {
  const { chain, gather } = gathering()
  const { promise, resolve } = Promise.withResolvers<void>()
  chain.measuring = promise
  expect(await gather([ONE], 0)).toEqual(new Set([ONE]))
  expect(await gather([LISTED], 0)).toEqual(new Set())
  expect(await gather([ONE], 0)).toEqual(new Set([ONE]))
  let hasEnded = false
  const again = gather([ONE, TWO]).finally(() => {
    hasEnded = true
  })
  await vi.waitFor(() => expect(chain.measured).toEqual([ONE, TWO]), 30_000)
  expect(hasEnded).toBe(false)
  resolve()
  expect(await again).toEqual(new Set())
  expect(await gather([ONE, TWO], 0)).toEqual(new Set())
  expect(chain).toMatchObject({ measured: [ONE, TWO], reads: 2 })
})

test('every token of a request is pending until it is checked, also those for which the queue has no room', async () => {
  const { chain, gather } = gathering()
  const { promise, resolve } = Promise.withResolvers<void>()
  chain.measuring = promise
  const tokens = Array.from({ length: 420 }, (_, k) => account(100 + k))
  expect(await gather(tokens, 0)).toEqual(new Set(tokens))
  resolve()
  expect(await gather(tokens)).toEqual(new Set(tokens.slice(400)))
  expect(chain.measured).toHaveLength(400)
  expect(await gather(tokens)).toEqual(new Set())
  expect(new Set(chain.measured)).toEqual(new Set(tokens))
  expect(chain).toMatchObject({ reads: 420 })
})

describe('a price that depends on other tokens', () => {
  test('is pending until these are checked, which callers wait for', async () => {
    const { chain, gather } = gathering()
    chain.intermediates.set(LISTED, [ONE])
    const { promise, resolve } = Promise.withResolvers<void>()
    chain.measuring = promise
    expect(await gather([LISTED, TWO], 0)).toEqual(new Set([LISTED, TWO]))
    const gathered = gather([LISTED])
    resolve()
    expect(await gathered).toEqual(new Set())
    expect(chain.measured.toSorted()).toEqual([ONE, TWO])
    expect(await gather([LISTED], 0)).toEqual(new Set())
    expect(chain).toMatchObject({ reads: 2, measured: { length: 2 } })
  })

  test('is checked again if it depends on others after a check', async () => {
    const { chain, gather } = gathering()
    chain.intermediates.set(LISTED, [ONE])
    chain.onMeasured = (token) => chain.intermediates.set(LISTED, token === ONE ? [TWO] : [])
    expect(await gather([LISTED])).toEqual(new Set())
    expect(chain.measured).toEqual([ONE, TWO])
  })

  test('is pending if each check leads to another token, until a later call has tested all', async () => {
    const { chain, gather } = gathering()
    const tokens = Array.from({ length: 5 }, (_, k) => account(100 + k))
    chain.intermediates.set(LISTED, [tokens[0]!])
    chain.onMeasured = () => chain.intermediates.set(LISTED, tokens.slice(0, chain.measured.length + 1))
    expect(await gather([LISTED])).toEqual(new Set([LISTED]))
    expect(chain.measured).toEqual(tokens.slice(0, 3))
    expect(await gather([LISTED])).toEqual(new Set())
    expect(chain.measured).toEqual(tokens)
  })

  test('is pending if it depends on too many tokens', async () => {
    const { chain, gather } = gathering()
    chain.intermediates.set(LISTED, null)
    expect(await gather([LISTED, ONE])).toEqual(new Set([LISTED]))
  })

  test('needs no check of listed tokens, and is not pending after a failed check', async () => {
    const { chain, gather } = gathering()
    chain.intermediates.set(THREE, [LISTED])
    expect(await gather([THREE])).toEqual(new Set())
    expect(chain.measured).toEqual([THREE])
    chain.intermediates.set(THREE, [ONE])
    chain.failure = new Error('node failure')
    expect(await gather([THREE])).toEqual(new Set())
    chain.failure = undefined
    expect(await gather([THREE])).toEqual(new Set())
    expect(chain).toMatchObject({ reads: 3, measured: [THREE, ONE] })
  })
})

test('intermediates alone are checked only if there are any', async () => {
  const { chain, evidence, source } = gathering()
  expect(await evidence.gatherIntermediates([LISTED, ONE], source, LONG)).toBe(true)
  expect(chain.measured).toEqual([])
  chain.intermediates.set(LISTED, [TWO])
  const { promise, resolve } = Promise.withResolvers<void>()
  chain.measuring = promise
  expect(await evidence.gatherIntermediates([LISTED, ONE], source, 0)).toBe(false)
  resolve()
  expect(await evidence.gatherIntermediates([LISTED, ONE], source, LONG)).toBe(true)
  expect(chain.measured).toEqual([TWO])
  chain.intermediates.set(ONE, null)
  expect(await evidence.gatherIntermediates([LISTED, ONE], source, LONG)).toBe(false)
})

describe('a token that others price through unsellable tokens', () => {
  const stable = { address: LISTED, symbol: 'USD', decimals: 18 }
  const priceChain = { stables: [stable], hubs: [LISTED], tokens: [], wrappedNative: null, nativeCurrency: stable }
  const [TARGET] = [account(0x1000)]
  const thousands = (n: number) => BigInt(n) * 10n ** 21n
  const pair = (n: number, [a, b]: readonly [Address, Address], [x, y]: readonly [number, number]): Pool => ({
    ...{ id: account(0x9000 + n), address: account(0x9000 + n), family: 'uniswap-v2', dex: 'test', tokens: [a, b] },
    state: { reserve0: thousands(x), reserve1: thousands(y), feePpm: 3_000 },
  })
  const honest = pair(0, [TARGET, LISTED], [500, 500])

  /**
   * Prices of the pools, where only the target can be sold, and all tokens to the decoy; and the price of the target
   * after a gathering.
   */
  async function gathered(pools: readonly Pool[], decoy?: Pool) {
    const unsellable = new Set<Address>()
    const prices = new Prices(priceChain as never, {
      decimals: () => 18,
      isUnsellable: (token) => unsellable.has(token),
    })
    const block = { hash: '0x07' }
    const snapshot = { block, pools: new Map([honest, ...pools].map((pool) => [pool.id, pool])) }
    prices.applyNow(snapshot as never)
    const before = prices.usd(TARGET)
    const evidence = new TokenEvidence({
      allowListed: new Set([LISTED]),
      testSales: async (token, soldTo) => {
        if (token === TARGET || soldTo.every((pool) => pool === decoy)) return
        unsellable.add(token)
        await prices.updateSellability(token)
      },
      onNewEvidence: () => {},
    })
    const rpc = { call: () => Promise.reject(new Error('balances are unknown')) }
    const gather = () => evidence.gather([TARGET], { snapshot, prices, rpc } as never, LONG)
    const pending = await gather()
    return { before, after: prices.usd(TARGET), pending, unsellable, gather }
  }

  test('has the price of its other pools once they were tested', async () => {
    const { before, after, pending, unsellable } = await gathered([
      ...[pair(1, [ONE, LISTED], [650, 650]), pair(2, [ONE, TARGET], [650, 65])],
    ])
    expect([before, after]).toEqual([expect.closeTo(10, 6), expect.closeTo(1, 6)])
    expect([pending, unsellable]).toEqual([new Set(), new Set([ONE])])
  })

  test('also if a token can be sold to a pool that does not decide its price', async () => {
    const decoy = pair(3, [ONE, LISTED], [900_000, 1])
    const { before, after, unsellable } = await gathered(
      [pair(1, [ONE, LISTED], [650, 650]), pair(2, [ONE, TARGET], [650, 65]), decoy],
      decoy,
    )
    expect([before, after, unsellable]).toEqual([expect.closeTo(10, 6), expect.closeTo(1, 6), new Set([ONE])])
  })

  test('also if there are two in a row', async () => {
    const { before, after, unsellable } = await gathered([
      ...[pair(1, [ONE, LISTED], [650, 650]), pair(2, [TWO, ONE], [650, 650]), pair(3, [TWO, TARGET], [650, 65])],
    ])
    expect([before, after]).toEqual([expect.closeTo(10, 6), expect.closeTo(1, 6)])
    expect(unsellable).toEqual(new Set([ONE, TWO]))
  })

  test('also if each has too little weight alone, but is pending while others may still decide it', async () => {
    const attackers = Array.from({ length: 12 }, (_, k) => account(0x2000 + k))
    const { before, after, pending, unsellable, gather } = await gathered(
      attackers.flatMap((token, k) => [
        pair(2 * k + 1, [token, LISTED], [650, 650]),
        pair(2 * k + 2, [token, TARGET], [100, 10]),
      ]),
    )
    expect([before, after]).toEqual([expect.closeTo(10, 6), expect.closeTo(1, 6)])
    expect(pending).toEqual(new Set([TARGET]))
    expect(await gather()).toEqual(new Set())
    // Once the rest of the attacker's pools have less weight than the honest pool, they need no test.
    expect(unsellable.size).toBe(8)
  })
})
