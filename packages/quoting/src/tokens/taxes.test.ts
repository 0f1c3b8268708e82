/** Tests when taxes of tokens are measured, and what is recorded, with a node in memory. */
import { TokenProbe__factory } from '@sluice/bindings'
import { type Address, toAddress } from '@sluice/chains'
import type { Pool, Snapshot } from '@sluice/liquidity'
import { RpcError } from '@sluice/rpc'
import { createSimulationContext } from '@sluice/simulation'
import { toBeHex } from 'ethers'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { TaxRecords, type TaxSource } from './taxes.ts'
import { TokenReports } from './token-reports.ts'

const at = (n: number): Address => toAddress(`0x${n.toString(16).padStart(40, '0')}`)
const [TOKEN, OTHER] = [at(0xa), at(0xb)]
const probe = TokenProbe__factory.createInterface()
const poolOf = (n: number, reserve = 10n ** 9n): Pool => ({
  ...{ id: `pool ${n}`, address: at(n), family: 'uniswap-v2', dex: 'test', tokens: [OTHER, TOKEN] },
  state: { reserve0: 1n, reserve1: reserve, feePpm: 3_000 },
})

/** Taxes of a token in ppm; null for a transfer that fails. */
type Taxed = {
  readonly buy?: number | null
  readonly pass?: number | null | 'rounded'
  readonly sell?: number | null
  readonly surcharge?: number
}
const UNIT = 1_000_000n
function legOf(ppm: number | null | undefined | 'rounded', surcharge = 0) {
  if (ppm === 'rounded') return { ok: true, sent: 3n, received: 2n, debited: 3n }
  if (ppm === null) return { ok: false, sent: 0n, received: 0n, debited: 0n }
  return { ok: true, sent: UNIT, received: UNIT - BigInt(ppm ?? 0), debited: UNIT + BigInt(surcharge) }
}

/** A node on which tokens are taxed by pool. */
function sourceOf(taxOf: (pool: Address) => Taxed | Error) {
  const orders: { readonly token: string; readonly pool: Address; readonly sizes: readonly bigint[] }[] = []
  const rpc = {
    getCode: async () => '0x6009',
    call: async ({ data }: { readonly data: string }) => {
      const [{ token, pool, sizes }] = probe.decodeFunctionData('run', data) as unknown as [(typeof orders)[0]]
      orders.push({ token: token.toLowerCase(), pool: pool.toLowerCase() as Address, sizes: [...sizes] })
      const taxed = taxOf(pool.toLowerCase() as Address)
      if (taxed instanceof Error) throw taxed
      const { buy, pass, sell, surcharge } = taxed
      const rounds = [{ buy: legOf(buy), pass: legOf(pass, surcharge), sell: legOf(sell) }]
      return probe.encodeFunctionResult('run', [
        { rounds, decimals: toBeHex(18, 32), symbol: '0x', approves: true, needsApprovalReset: false },
      ])
    },
  }
  const simulation = createSimulationContext({ timeoutMs: 77 })
  const shape = { kind: 'plain', shift: 0, width: 256 } as const
  simulation.slots.learn(TOKEN, { balance: { mapping: { order: 'solidity', base: 0n, contract: TOKEN }, shape } })
  const source = { rpc, simulation, block: 5, signal: new AbortController().signal } as unknown as TaxSource
  return { orders, source }
}

beforeEach(() => void vi.useFakeTimers({ now: 10_000_000 }))
afterEach(() => void vi.useRealTimers())

describe('taxes', () => {
  test('are measured at two sizes of the reserve, once a minute for each pool', async () => {
    const { orders, source } = sourceOf(() => ({ buy: 10_000, pass: 5_000, sell: 20_000 }))
    const records = new TaxRecords()
    const place = { token: TOKEN, pool: poolOf(1) }
    expect(await records.learn([place, place], source)).toBe(true)
    expect(orders).toEqual([{ token: TOKEN, pool: at(1), sizes: [10_001n, 1_000_001n] }])
    const tax = { buyPpm: 10_000, sellPpm: 20_000, transferPpm: 5_000, surchargePpm: 0 }
    expect(records.taxedTokens.get(TOKEN)).toEqual({ usual: tax, inPool: new Map([['pool 1', tax]]) })
    expect([records.transferPpm(TOKEN), records.transferPpm(OTHER)]).toEqual([5_000n, 0n])
    vi.advanceTimersByTime(60_001)
    // The same tax again changes nothing.
    expect([await records.learn([place], source), orders.length]).toEqual([false, 2])
    vi.advanceTimersByTime(60_000)
    expect([await records.learn([place], source), orders.length]).toEqual([false, 2])
    vi.advanceTimersByTime(1)
    expect([await records.learn([place], source), orders.length]).toEqual([false, 3])
    expect(await records.learn([{ token: TOKEN, pool: poolOf(2) }], source)).toBe(false)
    expect(orders).toHaveLength(4)
    // After the clock was set back, too.
    vi.setSystemTime(Date.now() - 3_600_000)
    expect([await records.learn([place], source), orders.length]).toEqual([false, 5])
  })

  test('that have just changed are measured again after ten seconds, until a measurement changes nothing', async () => {
    let buy = 300_000
    const { orders, source } = sourceOf(() => ({ buy }))
    const records = new TaxRecords()
    const learn = () => records.learn([{ token: TOKEN, pool: poolOf(1) }], source)
    expect(await learn()).toBe(true)
    buy = 100_000
    vi.advanceTimersByTime(10_000)
    expect([await learn(), orders.length]).toEqual([false, 1])
    vi.advanceTimersByTime(1)
    expect([await learn(), orders.length]).toEqual([true, 2])
    expect(records.taxedTokens.get(TOKEN)?.inPool.get('pool 1')?.buyPpm).toBe(100_000)
    vi.advanceTimersByTime(10_001)
    expect([await learn(), orders.length]).toEqual([false, 3])
    vi.advanceTimersByTime(10_001)
    expect([await learn(), orders.length]).toEqual([false, 3])
  })

  test.each([
    ['buyPpm', { buy: 7 }],
    ['sellPpm', { sell: 7 }],
    ['surchargePpm', { surcharge: 7 }],
  ] as const)('a token with %s only is taxed', async (name, tax) => {
    const { source } = sourceOf(() => tax)
    const records = new TaxRecords()
    expect(await records.learn([{ token: TOKEN, pool: poolOf(1) }], source)).toBe(true)
    expect(records.taxedTokens.get(TOKEN)?.usual).toMatchObject({ [name]: 7 })
  })

  test('of other transfers only are known, but none of pools', async () => {
    const { source } = sourceOf(() => ({ pass: 7 }))
    const records = new TaxRecords()
    expect(await records.learn([{ token: TOKEN, pool: poolOf(1) }], source)).toBe(true)
    expect([records.taxedTokens.size, records.transferPpm(TOKEN)]).toEqual([0, 7n])
  })

  test('differ between pools; the pool that was measured last counts for others', async () => {
    const { source } = sourceOf((pool) => ({ sell: pool === at(1) ? 100 : 200 }))
    const records = new TaxRecords()
    for (const n of [1, 2]) {
      await records.learn([{ token: TOKEN, pool: poolOf(n) }], source)
      vi.advanceTimersByTime(1)
    }
    const { usual, inPool } = records.taxedTokens.get(TOKEN)!
    expect([usual.sellPpm, inPool.get('pool 1')?.sellPpm, inPool.get('pool 2')?.sellPpm]).toEqual([200, 100, 200])
    const copy = records.copy()
    expect(copy.taxedTokens).toEqual(records.taxedTokens)
    // Independent, and due for measurement.
    copy.record(TOKEN, 'pool 3', { surchargePpm: 0, ...usual }, 5)
    expect(records.taxedTokens.get(TOKEN)!.inPool.has('pool 3')).toBe(false)
    expect(copy.counts.measured.entries).toBe(1)
  })

  test('a direction that cannot be measured costs the transfer tax; a pool that keeps its tokens elsewhere is left out', async () => {
    const sold: unknown[] = []
    const { source } = sourceOf(() => ({ buy: 0, pass: 9, sell: null }))
    const records = new TaxRecords()
    records.onSaleTested = (...result) => sold.push(result)
    await records.learn([{ token: TOKEN, pool: poolOf(1) }], source)
    expect(records.taxedTokens.get(TOKEN)?.usual).toMatchObject({ buyPpm: 0, sellPpm: 9, transferPpm: 9 })
    expect(sold).toEqual([[TOKEN, false]])
    const vault = sourceOf((pool) =>
      pool === at(0) ? { buy: null, pass: 4, sell: null } : { buy: null, pass: null, sell: null },
    )
    await new TaxRecords().learn([{ token: TOKEN, pool: poolOf(1) }], vault.source)
    expect(vault.orders.map(({ pool, sizes }) => [pool, sizes])).toEqual([
      [at(1), [10_001n, 1_000_001n]],
      [at(0), [1_000n, 1_000_000n]],
    ])
  })

  test('a pool that holds a few units says nothing about its token', async () => {
    const { source, orders } = sourceOf((pool) => (BigInt(pool) > 0n ? { buy: 9_000, pass: null } : {}))
    const records = new TaxRecords()
    expect(await records.learn([{ token: TOKEN, pool: poolOf(1, 999_999n) }], source)).toBe(false)
    expect(orders.map(({ pool }) => BigInt(pool))).toEqual([0n])
    expect([records.taxedTokens.has(TOKEN), records.isStuck(TOKEN)]).toEqual([false, false])
    expect(await records.learn([{ token: TOKEN, pool: poolOf(2, 1_000_000n) }], source)).toBe(true)
    expect(records.isStuck(TOKEN)).toBe(true)
  })

  test('a transfer whose tax is unknown because of rounding is not stuck', async () => {
    const { source } = sourceOf(() => ({ pass: 'rounded' }))
    const records = new TaxRecords()
    expect(await records.learn([{ token: TOKEN, pool: poolOf(1) }], source)).toBe(false)
    expect(records.isStuck(TOKEN)).toBe(false)
  })

  test('a token that was bought but cannot be passed on is stuck until it can', async () => {
    let pass: number | null = null
    const { source } = sourceOf(() => ({ pass }))
    const records = new TaxRecords()
    const learn = () => {
      vi.advanceTimersByTime(60_001)
      return records.learn([{ token: TOKEN, pool: poolOf(1) }], source)
    }
    expect([await learn(), records.isStuck(TOKEN), records.counts.stuck.entries]).toEqual([true, true, 1])
    expect([await learn(), records.copy().isStuck(TOKEN)]).toEqual([false, true])
    pass = 0
    expect([await learn(), records.isStuck(TOKEN)]).toEqual([true, false])
  })

  test('a token that cannot be measured keeps its record, and a failing node is reported', async () => {
    let answer: Taxed | Error = { sell: 50 }
    const { source, orders } = sourceOf(() => answer)
    const records = new TaxRecords()
    const places = [{ token: TOKEN, pool: poolOf(1) }]
    await records.learn(places, source)
    vi.advanceTimersByTime(60_001)
    answer = new RpcError('REVERTED', 'no')
    expect(await records.learn(places, source)).toBe(false)
    expect(records.taxedTokens.get(TOKEN)?.usual.sellPpm).toBe(50)
    expect([await records.learn(places, source), orders.length]).toEqual([false, 2])
    vi.advanceTimersByTime(60_001)
    answer = new RpcError('UNREACHABLE', 'down')
    await expect(records.learn(places, source)).rejects.toThrow('down')
  })

  test('an older record of another process is ignored, and one from the future does not stop measurements', async () => {
    const { source, orders } = sourceOf(() => ({}))
    const records = new TaxRecords()
    const tax = { buyPpm: 1, sellPpm: 1, transferPpm: 0, surchargePpm: 0 }
    records.record(TOKEN, 'pool 1', tax, 20_000_000)
    records.record(TOKEN, 'pool 1', { ...tax, buyPpm: 2 }, 9_000_000)
    expect(records.taxedTokens.get(TOKEN)?.inPool.get('pool 1')?.buyPpm).toBe(1)
    vi.advanceTimersByTime(60_001)
    expect([await records.learn([{ token: TOKEN, pool: poolOf(1) }], source), orders.length]).toEqual([true, 1])
    expect(records.taxedTokens.has(TOKEN)).toBe(false)
  })
})

test('after the clock was set back, newer measurements still replace a record, also for pools without one', () => {
  const records = new TaxRecords()
  const tax = { buyPpm: 1, sellPpm: 1, transferPpm: 0, surchargePpm: 0 }
  records.record(TOKEN, 'pool 1', tax, Date.now())
  vi.setSystemTime(Date.now() - 3_600_000)
  records.record(TOKEN, 'pool 1', { ...tax, buyPpm: 2 }, Date.now())
  const taxes = records.taxedTokens.get(TOKEN)!
  expect([taxes.usual.buyPpm, taxes.inPool.get('pool 1')?.buyPpm]).toEqual([2, 2])
})

describe('reports of a token', () => {
  const snapshotOf = (pools: readonly Pool[]) =>
    ({ pools: new Map(pools.map((pool) => [pool.id, pool])) }) as unknown as Snapshot

  test('are made in the three pools that hold most of it, and cached for a minute', async () => {
    const { source, orders } = sourceOf((pool) => ({ sell: 100 * Number(BigInt(pool)) }))
    const reports = new TokenReports()
    const snapshot = snapshotOf([
      poolOf(1, 10n ** 6n),
      poolOf(2, 4n * 10n ** 6n),
      poolOf(3, 3n * 10n ** 6n),
      poolOf(4, 2n * 10n ** 6n),
    ])
    const [measured, again] = await Promise.all([
      reports.reportOf(TOKEN, snapshot, source),
      reports.reportOf(TOKEN, snapshot, source),
    ])
    expect(again).toBe(measured)
    expect(measured!.map(({ pool, report }) => [pool?.id, report.sellTaxPpm])).toEqual([
      ['pool 2', 200],
      ['pool 3', 300],
      ['pool 4', 400],
    ])
    expect([orders.length, reports.count.entries]).toEqual([3, 1])
  })

  test('without a pool measure transfers, and are null for what is no token', async () => {
    const { source, orders } = sourceOf(() => ({ buy: null, sell: null, pass: 3 }))
    const [only] = (await new TokenReports().reportOf(TOKEN, snapshotOf([]), source))!
    expect([only!.pool, only!.report.transferTaxPpm, orders[0]!.sizes]).toEqual([undefined, 3, [1_000n, 1_000_000n]])
    const failing = sourceOf(() => new RpcError('REVERTED', 'no'))
    expect(await new TokenReports().reportOf(TOKEN, snapshotOf([]), failing.source)).toBeNull()
  })

  test('that fail with the node are not cached', async () => {
    let answer: Taxed | Error = new RpcError('UNREACHABLE', 'down')
    const { source } = sourceOf(() => answer)
    const reports = new TokenReports()
    await expect(reports.reportOf(TOKEN, snapshotOf([]), source)).rejects.toThrow('down')
    answer = {}
    expect(await reports.reportOf(TOKEN, snapshotOf([]), source)).toHaveLength(1)
  })

  test('a token that can be bought but not sold is unsellable until some pool sells it', async () => {
    const unsellableTokens: Address[] = []
    const { source } = sourceOf(() => ({ sell: null }))
    const reports = new TokenReports()
    reports.onSellabilityChanged = (token) => unsellableTokens.push(token)
    await reports.reportOf(TOKEN, snapshotOf([poolOf(1)]), source)
    expect([reports.isUnsellable(TOKEN), reports.isUnsellable(OTHER), unsellableTokens]).toEqual([true, false, [TOKEN]])
    reports.recordSales(TOKEN, [false])
    reports.recordSales(TOKEN, [null])
    expect([reports.isUnsellable(TOKEN), unsellableTokens.length]).toEqual([true, 1])
    reports.recordSales(TOKEN, [false, true])
    expect([reports.isUnsellable(TOKEN), unsellableTokens.length]).toEqual([false, 2])
  })
})
