/** Tests that logged quotes can be found and made again, with a file on disk and a real search. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Address, toAddress } from '@sluice/chains'
import { families, findRecord, type Pool, PoolMap, type Snapshot } from '@sluice/liquidity'
import { buildGraph, encodeSwap, findRoute, type RouteRequest } from '@sluice/routing'
import { afterAll, describe, expect, test, vi } from 'vitest'
import type { QuoteRecord } from '../quote/quote-record.ts'
import { QuoteLog } from './quote-log.ts'
import { replayRecord } from './record.ts'

const at = (n: number): Address => toAddress(`0x${n.toString(16).padStart(40, '0')}`)
const [A, B, WETH, SENDER] = [at(0xa), at(0xb), at(0xe), at(0x5e)]
const E18 = 10n ** 18n
const dir = mkdtempSync(join(tmpdir(), 'sluice-quote-log-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const pair = (n: number, perMille: bigint): Pool => ({
  ...{ id: at(n), address: at(n), family: 'uniswap-v2', dex: 'test', tokens: [A, B] },
  state: { reserve0: 1_000n * E18, reserve1: E18 * perMille, feePpm: 3_000 },
})
const snapshotOf = (number: number, pools: readonly Pool[]): Snapshot => ({
  ...{ chainId: 1, changedIds: null, pools: PoolMap.empty.with(pools, []) },
  block: {
    ...{
      number,
      hash: `0x${number.toString(16).padStart(64, '0')}`,
      parentHash: `0x${'0'.repeat(64)}`,
      timestamp: number,
    },
    ...{ gasLimit: 30_000_000n, baseFeePerGas: 1n, miner: A },
  },
})

/** Makes a quote as the service does, of the first route of the search. */
function quoteOn(snapshot: Snapshot, id: string, alternativeIndex = 0): QuoteRecord {
  const searchRequest: RouteRequest = {
    ...{ tokenIn: A, tokenOut: B, amountIn: E18, wrappedNative: WETH, gasPriceWei: 0n },
    taxes: new Map([
      [at(0x77), { usual: { buyPpm: 1, sellPpm: 2, transferPpm: 3, surchargePpm: 4 }, inPool: new Map() }],
    ]),
    trust: { level: 'earned', tokens: new Set([A, B]), accounts: new Set(), pools: new Set() },
  }
  const searched = findRoute(buildGraph(snapshot), searchRequest)
  if (!searched.ok) throw new Error('no route')
  const { route } = searched
  const terms = {
    ...{ guard: at(0x91), executor: at(0x92), wrappedNative: WETH, from: SENDER, feePpm: 0n },
    ...{ deadline: 99n, minOutput: route.amountOut - 1n, direct: false },
  }
  const swap = encodeSwap({ ...terms, route, families: new Map(families.map((family) => [family.id, family])) })
  const quote = { id, route, amountOut: route.amountOut, swap }
  return {
    quote,
    from: SENDER,
    searchRequest,
    alternativeIndex,
    terms,
    dependsOnSenderCode: false,
    usesOwnBalance: false,
  } as unknown as QuoteRecord
}
const openLog = (name: string, maxBytes = 10_000_000) => {
  const path = join(dir, name, 'quotes.sqlite')
  const warnings: unknown[] = []
  return { path, warnings, log: new QuoteLog({ path, maxBytes }, { warn: (fields) => warnings.push(fields) }) }
}

describe('a logged quote', () => {
  const first = snapshotOf(7, [pair(1, 900n), pair(2, 2_000n)])
  const second = snapshotOf(8, [pair(1, 3_000n), pair(2, 2_000n)])

  test('is found by its id, and made again with the pools of its own block', async () => {
    const { log, path, warnings } = openLog('replay')
    const quotes = [quoteOn(first, 'a'), quoteOn(first, 'b'), quoteOn(second, 'c')]
    log.add(first, quotes[0]!, Date.UTC(2030, 0, 1))
    log.add(first, quotes[1]!)
    log.add(second, quotes[2]!)
    expect(log.counts).toEqual({ entries: 3, evicted: 0 })
    await log.close()
    expect([log.counts.entries, warnings]).toEqual([0, []])
    for (const [k, id] of ['a', 'b', 'c'].entries()) {
      const { route, swap, amountOut } = quotes[k]!.quote
      const replayed = replayRecord(findRecord(path, id)!)
      expect(replayed).toMatchObject({ amountIn: E18, amountOut, minOutput: amountOut - 1n, data: swap.data })
      expect([replayed.differences, replayed.block]).toEqual([[], k === 2 ? 8 : 7])
      expect(replayed.route!.legs.map(({ pool }) => pool.id)).toEqual(route.legs.map(({ pool }) => pool.id))
    }
    expect(replayRecord(findRecord(path, 'a')!).at).toBe('2030-01-01T00:00:00.000Z')
    expect(findRecord(path, 'd')).toBeNull()
    // Pools of the second block did not change those of the first one.
    expect(quotes[0]!.quote.amountOut).toBeLessThan(quotes[2]!.quote.amountOut)
  })

  test('that the code makes otherwise now has the names of what differs', async () => {
    const { log, path } = openLog('differences')
    log.add(first, quoteOn(first, 'a'))
    await log.close()
    const logged = findRecord(path, 'a')!
    const changed = (change: (record: Record<string, unknown>) => void) => {
      const record = JSON.parse(logged.text)
      change(record)
      return replayRecord({ ...logged, text: JSON.stringify(record) }).differences
    }
    expect(changed((record) => Object.assign(record, { data: '0x00' }))).toEqual(['data'])
    expect(changed(({ route }) => Object.assign(route as object, { gas: 1, amountOut: '1' }))).toEqual([
      ...['amountOut', 'gas'],
    ])
    expect(changed(({ route }) => Object.assign(route as object, { optimalityGapNetBps: null }))).toEqual([])
    expect(changed((record) => Object.assign(record, { rival: 5 }))).toEqual(['there is no route'])
    const empty = { ...logged, snapshot: snapshotOf(7, []) }
    expect(replayRecord(empty)).toMatchObject({ route: null, differences: ['there is no route'] })
  })

  test('of an alternative is not compared with the first route of the search', async () => {
    const { log, path } = openLog('alternative')
    for (const [k, id] of ['first', 'second', 'third'].entries()) log.add(first, quoteOn(first, id, k))
    await log.close()
    const indexOf = (id: string) => JSON.parse(findRecord(path, id)!.text).rival
    expect([indexOf('first'), indexOf('second'), indexOf('third')]).toEqual([undefined, 1, 2])
    // This search has no alternatives.
    expect(replayRecord(findRecord(path, 'second')!)).toMatchObject({ route: null, differences: ['there is no route'] })
  })

  test('shares texts that many requests have', async () => {
    const { log, path } = openLog('shared')
    log.add(first, quoteOn(first, 'a'))
    await log.close()
    const { text, sharedTextOf } = findRecord(path, 'a')!
    const { parts, request } = JSON.parse(text)
    expect(Object.keys(parts).sort()).toEqual(['taxes', 'trust'])
    for (const hash of Object.values(parts)) expect(sharedTextOf(hash as string)).toBeDefined()
    expect(request).not.toHaveProperty('taxes')
  })
})

describe('the log', () => {
  const snapshot = snapshotOf(7, [pair(2, 2_000n)])
  const quote = quoteOn(snapshot, 'a')

  test('drops quotes while too many wait, and counts them', async () => {
    const { log } = openLog('waiting')
    let count = 0
    while (log.counts.evicted === 0 && count < 100_000) {
      log.add(snapshot, quote)
      count++
    }
    expect(log.counts).toEqual({ entries: count - 1, evicted: 1 })
    await log.close()
    expect(log.counts.entries).toBe(0)
    log.add(snapshot, quote)
    expect(log.counts).toEqual({ entries: 1, evicted: 1 })
    await log.close()
  })

  test('that cannot be written is tried again after a minute, without being closed', async () => {
    const { log, path, warnings } = openLog('full')
    mkdirSync(path, { recursive: true })
    const now = vi.spyOn(performance, 'now')
    try {
      now.mockReturnValue(1_000_000)
      log.add(snapshot, quote)
      await log.write()
      rmSync(path, { recursive: true })
      now.mockReturnValue(1_059_999)
      log.add(snapshot, quote)
      expect([warnings.length, log.counts]).toEqual([1, { entries: 0, evicted: 1 }])
      now.mockReturnValue(1_060_000)
      log.add(snapshot, quote)
      await log.write()
      expect([warnings.length, findRecord(path, 'a') !== null]).toEqual([1, true])
    } finally {
      now.mockRestore()
      await log.close()
    }
  })

  test('whose table was dropped is reported, and is then empty', async () => {
    const { log, path, warnings } = openLog('dropped')
    log.add(snapshot, quote)
    await log.close()
    const db = new DatabaseSync(path)
    db.exec('DROP TABLE pools')
    db.close()
    log.add(snapshot, quoteOn(snapshot, 'b'))
    await log.close()
    expect(warnings).toMatchObject([{ err: { message: expect.stringContaining('it lacks the table pools') } }])
    log.add(snapshot, quoteOn(snapshot, 'c'))
    await log.close()
    expect([warnings.length, findRecord(path, 'a'), findRecord(path, 'c') !== null]).toEqual([1, null, true])
  })

  test('that cannot be written is reported once, and tried again after it was closed', async () => {
    const { log, path, warnings } = openLog('broken')
    mkdirSync(path, { recursive: true })
    log.add(snapshot, quote)
    await log.write()
    expect(warnings).toMatchObject([{ path, err: expect.anything() }])
    log.add(snapshot, quote)
    expect(log.counts).toEqual({ entries: 0, evicted: 1 })
    await log.close()
    rmSync(path, { recursive: true })
    log.add(snapshot, quote)
    await log.close()
    expect([warnings.length, findRecord(path, 'a') !== null]).toEqual([1, true])
  })
})
