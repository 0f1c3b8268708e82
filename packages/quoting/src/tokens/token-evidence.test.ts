import { ReadBatch__factory } from '@sluice/bindings'
import { type Address, type Hex, toAddress } from '@sluice/chains'
import type { Pool } from '@sluice/liquidity'
import { expect, test, vi } from 'vitest'
import type { HoldingsSource } from '../view/holdings.ts'
import { TokenEvidence } from './token-evidence.ts'

const account = (n: number): Address => toAddress(`0x${n.toString(16).padStart(40, '0')}`)
const [LISTED, ONE, TWO] = [account(1), account(2), account(3)]
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
  }
  const poolOf = (token: Address): Pool => ({
    ...{ id: token, address: token, family: 'uniswap-v2', dex: 'test', tokens: [token, LISTED] },
    state: { reserve0: 5n, reserve1: 5n, feePpm: 3_000 },
  })
  const source = {
    snapshot: { block: { hash: '0x07' }, pools: { get: (id: Address) => poolOf(id) } },
    prices: { poolsOf: (token: Address) => [poolOf(token)], usd: () => 1, setMissing: () => chain.isNew },
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
    testSale: async (token) => {
      chain.measured.push(token)
      await chain.measuring
    },
    onNewEvidence: () => {
      chain.news++
    },
  })
  return { chain, evidence, gather: (tokens: readonly Address[], ms = LONG) => evidence.gather(tokens, source, ms) }
}

test('an unlisted token is checked once: its pool balances, and a test sale', async () => {
  const { chain, evidence, gather } = gathering()
  expect(await gather([LISTED, ONE, ONE])).toEqual(new Set())
  expect(chain).toMatchObject({ reads: 1, measured: [ONE], news: 1 })
  await gather([ONE])
  expect(chain).toMatchObject({ reads: 1, measured: [ONE], news: 1 })
  expect(evidence.counts).toMatchObject({ held: { entries: 1 }, sold: { entries: 1 } })
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
