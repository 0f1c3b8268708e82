import { type Address, type Chain, toAddress } from '@sluice/chains'
import type { Pool, Snapshot } from '@sluice/liquidity'
import { afterEach, expect, test, vi } from 'vitest'
import type { TokenMeasurements } from './token-reports.ts'
import { type MeasureToken, TrustTracker } from './trust-tracker.ts'

const account = (n: number): Address => toAddress(`0x${n.toString(16).padStart(40, '0')}`)
const [WETH, USDC, TOKEN, OTHER] = [account(1), account(2), account(3), account(4)]
const token = (address: Address, symbol: string) => ({ address, symbol, decimals: 6 })
const chain = {
  ...{ blockTimeMs: 12_000, hubs: [WETH], tokens: [], dexes: [] },
  ...{ wrappedNative: token(WETH, 'WETH'), stables: [token(USDC, 'USDC')] },
} as unknown as Chain
const pair = (n: number, tokens: readonly Address[]): Pool => {
  const state = { reserve0: 300_000n * 10n ** 6n, reserve1: 1n, feePpm: 3_000 }
  return { id: account(n), address: account(n), family: 'uniswap-v2', dex: 'test', tokens, state }
}
const poolsOf = (token: Address, from: number) => [
  pair(from, [WETH, token]),
  pair(from + 1, [WETH, token]),
  pair(from + 2, [USDC, token]),
]
const BLOCKS = 10

const clean = {
  ...{ buyTaxPpm: 0, sellTaxPpm: 0, transferTaxPpm: 0, rebasing: false, sellable: true, sizeLimited: false },
}
const reportOf = (fault: object = {}, pool: Pool | undefined = pair(9, [WETH, TOKEN])): TokenMeasurements =>
  [{ pool, report: { ...clean, ...fault } }] as unknown as TokenMeasurements

afterEach(() => {
  vi.restoreAllMocks()
})

/** A trust tracker of a chain whose blocks and clock the test controls. */
function trackerOnChain(measure: MeasureToken = async () => reportOf(), pools = poolsOf(TOKEN, 11)) {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(1_000)
  const measured: Address[] = []
  const standings = new TrustTracker({
    ...{ chain, earnBlocks: BLOCKS, decimals: (token) => (token === OTHER ? undefined : 6) },
    measure: (token, snapshot) => {
      measured.push(token)
      return measure(token, snapshot)
    },
  })
  standings.setPrices({ usd: () => 1, isPricedByListedTokens: () => true })
  const poolsById = new Map(pools.map((pool) => [pool.id, pool]))
  const snapshot = (number: number): Snapshot => {
    const changed = number === 1 ? [...poolsById.keys()] : []
    return {
      chainId: 1,
      block: { number, timestamp: number } as Snapshot['block'],
      pools: poolsById,
      changedIds: changed,
    }
  }
  const see = async (from: number, to = from) => {
    for (let number = from; number <= to; number++) await standings.observe(snapshot(number))
    await Promise.resolve()
    await Promise.resolve()
  }
  const wait = (ms: number) => clock.mockReturnValue(performance.now() + ms)
  return { standings, measured, see, snapshot, wait }
}

test('a token earns trust after enough blocks and one clean measurement', async () => {
  const { standings, measured, see } = trackerOnChain()
  const before = standings.trust('earned')
  await see(1, BLOCKS - 1)
  expect(measured).toEqual([])
  expect(standings.standingOf(TOKEN).standing).toBe('stranger')
  expect(standings.trust('earned')).toBe(before)
  await see(BLOCKS)
  expect(measured).toEqual([TOKEN])
  expect(standings.standingOf(TOKEN).standing).toBe('earned')
  expect(standings.trust('earned')!.tokens.has(TOKEN)).toBe(true)
  expect(standings.trust('named')!.tokens.has(TOKEN)).toBe(false)
  expect(standings.trust('any')).toBeUndefined()
  expect(standings.counts).toMatchObject({ watched: 1, earnedTokens: 1 })
})

test.each([
  ['balances that change by themselves', reportOf({ rebasing: true })],
  ['balances that change by themselves', reportOf({ rebasing: null })],
  ['a tax on transfers', reportOf({ transferTaxPpm: 1 })],
  ['a tax on transfers', reportOf({ transferTaxPpm: null })],
  ['a tax on transfers', reportOf({ buyTaxPpm: 1 })],
  ['a tax on transfers', reportOf({ buyTaxPpm: null })],
  ['a tax on transfers', reportOf({ sellTaxPpm: 1 })],
  ['a tax on transfers', reportOf({ sellTaxPpm: null })],
  ['a sale that failed', reportOf({ sellable: false })],
  ['a sale that failed', reportOf({ sellable: null })],
  ['a limit on the size of transfers', reportOf({ sizeLimited: true })],
  ['a limit on the size of transfers', reportOf({ sizeLimited: null })],
  ['a limit on the size of transfers', [...reportOf(), ...reportOf({ sizeLimited: true })]],
  ['no pool to measure it in', [{ ...reportOf()[0]!, pool: undefined }]],
  ['transfers that cannot be measured', null],
])('a token with %s loses trust', async (fault, report) => {
  const { standings, see } = trackerOnChain(async () => report)
  await see(1, BLOCKS)
  expect(standings.standingOf(TOKEN)).toEqual({ standing: 'stranger', reason: fault })
})

test('one pool of several suffices to measure a token', async () => {
  const { standings, see } = trackerOnChain(async () => [{ ...reportOf()[0]!, pool: undefined }, ...reportOf()])
  await see(1, BLOCKS)
  expect(standings.standingOf(TOKEN).standing).toBe('earned')
})

test('a failing node is no evidence about a token, which is measured again ten seconds later', async () => {
  let fails = true
  const { standings, measured, see, wait } = trackerOnChain(async () => {
    if (fails) throw new Error('node failure')
    return reportOf()
  })
  await see(1, BLOCKS)
  expect(standings.standingOf(TOKEN)).toEqual({ standing: 'stranger', reason: 'not measured yet' })
  fails = false
  wait(9_999)
  await see(BLOCKS + 1)
  expect(measured).toHaveLength(1)
  wait(1)
  await see(BLOCKS + 2)
  expect(measured).toHaveLength(2)
  expect(standings.standingOf(TOKEN).standing).toBe('earned')
})

test('a token whose measurement always fails does not keep others from being measured', async () => {
  const measure: MeasureToken = async (token) => {
    if (token === TOKEN) throw new Error('node failure')
    return reportOf({}, pair(9, [WETH, token]))
  }
  const SECOND = account(5)
  const { standings, measured, see, wait } = trackerOnChain(measure, [...poolsOf(TOKEN, 11), ...poolsOf(SECOND, 21)])
  await see(1, BLOCKS)
  for (let block = BLOCKS + 1; block < BLOCKS + 4; block++) {
    wait(10_000)
    await see(block)
  }
  expect(measured.slice(0, 3)).toEqual([TOKEN, SECOND, TOKEN])
  expect(standings.trust('earned')?.tokens.has(SECOND)).toBe(true)
})

test('one token is measured at a time', async () => {
  const { promise, resolve } = Promise.withResolvers<TokenMeasurements>()
  const { measured, see, wait } = trackerOnChain(() => promise, [...poolsOf(TOKEN, 11), ...poolsOf(account(5), 21)])
  await see(1, BLOCKS)
  wait(60_000)
  await see(BLOCKS + 1)
  expect(measured).toEqual([TOKEN])
  resolve(reportOf())
  await see(BLOCKS + 2)
  await see(BLOCKS + 3)
  expect(measured).toEqual([TOKEN, account(5)])
})

test.each<[string, (standings: TrustTracker) => void]>([
  ['a tax measured anywhere', (standings) => standings.recordTaxes(new Map([[TOKEN, {} as never]]))],
  ['a route through it that failed', (standings) => standings.recordFailure([TOKEN])],
  ['a chain that sleeps', (standings) => standings.forget()],
])('trust is lost by %s', async (_name, happens) => {
  const { standings, see } = trackerOnChain()
  await see(1, BLOCKS)
  expect(standings.standingOf(TOKEN).standing).toBe('earned')
  happens(standings)
  expect(standings.standingOf(TOKEN).standing).toBe('stranger')
  expect(standings.counts.earnedTokens).toBe(0)
})

test('tokens and pools outside the ledger can be reported', () => {
  const { standings } = trackerOnChain()
  standings.recordFailure([OTHER, 'pool'])
  standings.recordTaxes(new Map())
  expect(standings.standingOf(OTHER)).toEqual({ standing: 'stranger', reason: 'not seen yet' })
})

test('depth is the USD value of whole tokens, and zero without decimals or a price of listed tokens', async () => {
  for (const [usd, isDeep, isPricedByListed] of [
    [0.28, true, true],
    [0.27, false, true],
    [null, false, true],
    [0.28, false, false],
  ] as const) {
    const { standings, see } = trackerOnChain()
    // Three pools with 300,000 whole tokens each.
    standings.setPrices({ usd: () => usd, isPricedByListedTokens: () => isPricedByListed })
    await see(1)
    expect(standings.standingOf(TOKEN).reason.startsWith('seen to behave')).toBe(isDeep)
  }
})

test('blocks that arrive during an observation are observed after it', async () => {
  const { standings, snapshot } = trackerOnChain()
  const first = standings.observe(snapshot(1))
  for (let number = 2; number < BLOCKS; number++) void standings.observe(snapshot(number))
  await first
  expect(standings.standingOf(TOKEN).reason).toContain(`for ${BLOCKS - 1} blocks`)
})

test('more than 64 queued blocks reset the ledger', async () => {
  for (const waiting of [64, 65]) {
    const { standings, snapshot } = trackerOnChain()
    // A clock that jumps ends every slice after its first step.
    let now = 1_000
    vi.spyOn(performance, 'now').mockImplementation(() => (now += 1_000))
    const first = standings.observe(snapshot(1))
    for (let k = 1; k <= waiting; k++) void standings.observe(snapshot(1 + k))
    await first
    const { standing } = standings.standingOf(TOKEN)
    expect([waiting, standing === 'earned']).toEqual([waiting, waiting === 64])
  }
})

test('trust takes a day of blocks and at least 600 by default', async () => {
  for (const [blockTimeMs, blocks] of [
    [12_000, 7_200],
    [1_000_000, 600],
  ] as const) {
    const standings = new TrustTracker({
      ...{ chain: { ...chain, blockTimeMs }, earnBlocks: undefined, decimals: () => 6 },
      measure: async () => null,
    })
    standings.setPrices({ usd: () => 1, isPricedByListedTokens: () => true })
    const pools = new Map(poolsOf(TOKEN, 11).map((pool) => [pool.id, pool]))
    const block = { number: 1, timestamp: 1 } as Snapshot['block']
    await standings.observe({ chainId: 1, block, pools, changedIds: [...pools.keys()] })
    expect(standings.standingOf(TOKEN).reason).toContain(`of ${blocks} at least`)
  }
})
