/** Tests what is known of a chain's tokens: symbols for display, and which tokens cannot be sold. */
import { ReadBatch__factory, TokenProbe__factory } from '@sluice/bindings'
import { type Address, type Chain, type Hex, NATIVE, toAddress } from '@sluice/chains'
import { batchedReads } from '@sluice/liquidity/testing'
import { type Rpc, RpcError, type RpcErrorCode } from '@sluice/rpc'
import { createSimulationContext } from '@sluice/simulation'
import { AbiCoder } from 'ethers'
import { describe, expect, test } from 'vitest'
import { ChainTokens } from './chain-tokens.ts'

const at = (digit: string): Address => toAddress(`0x${digit.repeat(40)}`)
const [LISTED, A, B] = ['1', 'a', 'b'].map(at) as [Address, Address, Address]
const listed = { address: LISTED, symbol: 'LST', decimals: 18 }
const chain = {
  ...{ chainId: 1, nativeCurrency: { symbol: 'ETH', name: 'Ether', decimals: 18 }, wrappedNative: null },
  ...{ hubs: [LISTED], stables: [], tokens: [listed], dexes: [] },
} as unknown as Chain
const batch = ReadBatch__factory.createInterface()
const SYMBOL = '0x95d89b41'

const tokensOf = () => new ChainTokens({ chain, earnBlocks: 5, sourceAt: () => ({}) as never })

describe('symbols', () => {
  const node = (answer: () => Promise<void> = async () => {}) => {
    const reads: string[] = []
    const call = async ({ data }: { data: Hex }) => {
      await answer()
      const results = batchedReads(data).map((read) => {
        const token = read.to
        reads.push(token)
        const ok = read.data === SYMBOL && token === A
        return { ok, data: ok ? AbiCoder.defaultAbiCoder().encode(['string'], ['A A']) : '0x' }
      })
      return batch.encodeFunctionResult('run', [results]) as Hex
    }
    return { rpc: { call } as unknown as Rpc, reads }
  }

  test('are read of tokens that neither the file nor an earlier read has', async () => {
    const tokens = tokensOf()
    const { rpc, reads } = node()
    expect([...(await tokens.symbols([LISTED, A, B, NATIVE], rpc))]).toEqual([
      [LISTED, 'LST'],
      [A, 'AA'],
      [NATIVE, 'ETH'],
    ])
    expect(new Set(reads)).toEqual(new Set([A, B]))
    reads.length = 0
    expect([...(await tokens.symbols([A, LISTED], rpc))]).toEqual([
      [A, 'AA'],
      [LISTED, 'LST'],
    ])
    expect(reads).toEqual([])
  })

  test('are absent if the node fails or hangs', async () => {
    const failing = node(() => Promise.reject(new RpcError('UNREACHABLE', 'down')))
    expect([...(await tokensOf().symbols([A, LISTED], failing.rpc))]).toEqual([[LISTED, 'LST']])
    const hanging = node(() => new Promise(() => {}))
    expect([...(await tokensOf().symbols([A, LISTED], hanging.rpc))]).toEqual([[LISTED, 'LST']])
  })
})

describe('a token that cannot be sold', () => {
  test('has no price, unless the file names it, and new evidence is reported', () => {
    const tokens = tokensOf()
    let reports = 0
    const changedTokens: Address[] = []
    tokens.onNewEvidence = () => {
      reports++
    }
    tokens.onSellabilityChanged = (token) => changedTokens.push(token)
    expect(tokens.isUnsellable(A)).toBe(false)
    tokens.taxes.onSaleTested(A, false)
    tokens.taxes.onSaleTested(LISTED, false)
    expect([tokens.isUnsellable(A), tokens.isUnsellable(LISTED), reports]).toEqual([true, false, 2])
    tokens.taxes.onSaleTested(A, true)
    expect([tokens.isUnsellable(A), reports, changedTokens]).toEqual([false, 3, [A, LISTED, A]])
  })

  test('is not measured if the address is no token', async () => {
    const tokens = tokensOf()
    tokens.facts.isToken = () => false
    expect(await tokens.report(A, {} as never)).toBeNull()
  })
})

test('trust is earned with the depth of whole tokens', async () => {
  const twoNamed = { ...chain, hubs: [LISTED, B], tokens: [listed, { ...listed, address: B }] }
  const { trustTracker } = new ChainTokens({ chain: twoNamed, earnBlocks: 5, sourceAt: () => ({}) as never })
  trustTracker.setPrices({ usd: () => 1, isPricedByListedTokens: () => true })
  const pools = [LISTED, LISTED, B].map((named, k) => {
    const state = { reserve0: 300_000n * 10n ** 18n, reserve1: 1n, feePpm: 3_000 }
    const id = at(String(k + 5))
    return { ...{ id, address: id, family: 'uniswap-v2', dex: 'test', tokens: [named, A] }, state }
  })
  const byId = new Map(pools.map((pool) => [pool.id, pool]))
  const block = { number: 1, timestamp: 1 }
  await trustTracker.observe({ chainId: 1, block, pools: byId, changedIds: [...byId.keys()] } as never)
  expect(trustTracker.counts).toMatchObject({ watched: 1 })
})

describe('a test sale', () => {
  /** Gathers evidence about a token, on a node that answers the sale to each pool with the result or error. */
  async function sold(
    answer: (call: { readonly data: Hex }) => Promise<string>,
    decidingPools = [B],
    reserve = 10n ** 9n,
  ) {
    const simulation = createSimulationContext({ timeoutMs: 77 })
    const shape = { kind: 'plain', shift: 0, width: 256 } as const
    simulation.slots.learn(A, { balance: { mapping: { order: 'solidity', base: 0n, contract: A }, shape } })
    const block = { number: 5, hash: '0x05' }
    const measured: unknown[] = []
    const rpc = { getCode: async () => '0x6009', call: answer }
    const source = (snapshot: unknown) => {
      measured.push(snapshot)
      return { rpc, simulation, block: { blockHash: '0x05' } }
    }
    const tokens = new ChainTokens({ chain, earnBlocks: 5, sourceAt: source as never })
    const pool = {
      ...{ id: 'pool', address: B, family: 'uniswap-v2', dex: 'test', tokens: [A, LISTED] },
      state: { reserve0: reserve, reserve1: 10n ** 9n, feePpm: 3_000 },
    }
    const unreadable = { call: () => Promise.reject(new RpcError('UNREACHABLE', 'down')) }
    const snapshot = { block, pools: new Map() }
    const prices = {
      ...{ poolsOf: () => [pool], decidingPoolsOf: () => decidingPools.map((address) => ({ ...pool, address })) },
      ...{ usd: () => 1, intermediatesOf: () => [], setMissing: () => false },
    }
    let news = 0
    tokens.onNewEvidence = () => news++
    await tokens.evidence.gather([A, LISTED], { snapshot, prices, rpc: unreadable } as never, 60_000)
    expect(measured).toEqual([snapshot])
    return { isUnsellable: tokens.isUnsellable(A), remembered: tokens.counts.sold.entries, news }
  }
  const leg = (ok: boolean) => ({ ok, sent: ok ? 10n : 0n, received: ok ? 10n : 0n, debited: ok ? 10n : 0n })
  const answered = async (sells: boolean, received = 10n) => {
    const sell = sells ? { ...leg(true), received } : leg(false)
    const rounds = [{ buy: leg(true), pass: leg(true), sell }]
    const decimals = `0x${'12'.padStart(64, '0')}`
    return TokenProbe__factory.createInterface().encodeFunctionResult('run', [
      { rounds, decimals, symbol: '0x', approves: true, needsApprovalReset: false },
    ])
  }

  test('that fails takes the price of an unlisted token', async () => {
    expect(await sold(() => answered(false))).toEqual({ isUnsellable: true, remembered: 1, news: 1 })
    expect(await sold(() => answered(true))).toEqual({ isUnsellable: false, remembered: 1, news: 0 })
  })

  test('fails if the token takes more than half of it', async () => {
    expect(await sold(() => answered(true, 4n))).toMatchObject({ isUnsellable: true })
    expect(await sold(() => answered(true, 5n))).toMatchObject({ isUnsellable: false })
  })

  test('must succeed in each pool that decides the price of the token', async () => {
    const probe = TokenProbe__factory.createInterface()
    const sellsTo = (pools: readonly Address[]) => (call: { readonly data: Hex }) => {
      const [{ pool }] = probe.decodeFunctionData('run', call.data) as unknown as [{ pool: string }]
      return answered(pools.includes(toAddress(pool.toLowerCase())))
    }
    expect(await sold(sellsTo([B]), [B, LISTED])).toEqual({ isUnsellable: true, remembered: 1, news: 1 })
    expect(await sold(sellsTo([B, LISTED]), [B, LISTED])).toEqual({ isUnsellable: false, remembered: 1, news: 0 })
  })

  test('is tried at sizes that suit the reserve of the pool, however few units it is', async () => {
    const probe = TokenProbe__factory.createInterface()
    const sizes: bigint[][] = []
    const answer = ({ data }: { readonly data: Hex }) => {
      const [order] = probe.decodeFunctionData('run', data) as unknown as [{ sizes: bigint[] }]
      sizes.push([...order.sizes])
      return answered(false)
    }
    for (const reserve of [5n, 999_999n, 10n ** 6n])
      expect(await sold(answer, [B], reserve)).toMatchObject({ isUnsellable: true })
    expect(sizes).toEqual([
      [1n, 1n],
      [1_000n, 100_000n],
      [11n, 1_001n],
    ])
  })

  test('that cannot be tried says nothing, and is tried again only after a failure of the node', async () => {
    const fail = (code: RpcErrorCode) => () => Promise.reject(new RpcError(code, 'no'))
    expect(await sold(fail('REVERTED'))).toEqual({ isUnsellable: false, remembered: 1, news: 0 })
    expect(await sold(fail('UNREACHABLE'))).toEqual({ isUnsellable: false, remembered: 0, news: 0 })
  })
})
