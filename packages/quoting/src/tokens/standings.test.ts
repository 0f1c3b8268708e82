import { type Address, type Chain, toAddress } from '@sluice/chains'
import type { Pool, Snapshot } from '@sluice/liquidity'
import type { PriceBook } from '@sluice/pricing'
import { afterEach, expect, test, vi } from 'vitest'
import { type MeasureToken, Standings } from './standings.ts'
import type { MeasuredToken } from './token-reports.ts'

const account = (n: number): Address => toAddress(`0x${n.toString(16).padStart(40, '0')}`)
const [WETH, USDC, STRANGER, OTHER] = [account(1), account(2), account(3), account(4)]
const token = (address: Address, symbol: string) => ({ address, symbol, decimals: 6 })
const chain = {
  ...{ blockTimeMs: 12_000, hubs: [WETH], tokens: [], dexes: [] },
  ...{ wrappedNative: token(WETH, 'WETH'), stables: [token(USDC, 'USDC')] },
} as unknown as Chain
const pair = (n: number, tokens: readonly Address[]): Pool => {
  const state = { reserve0: 300_000n * 10n ** 6n, reserve1: 1n, feePpm: 3_000 }
  return { id: account(n), address: account(n), family: 'uniswap-v2', dex: 'test', tokens, state }
}
const poolsOf = (of: Address, from: number) => [
  pair(from, [WETH, of]),
  pair(from + 1, [WETH, of]),
  pair(from + 2, [USDC, of]),
]
const BLOCKS = 10

const clean = {
  ...{ buyTaxPpm: 0, sellTaxPpm: 0, transferTaxPpm: 0, rebasing: false, sellable: true, sizeLimited: false },
}
const reportOf = (found: object = {}, pool: Pool | undefined = pair(9, [WETH, STRANGER])): MeasuredToken =>
  [{ pool, report: { ...clean, ...found } }] as unknown as MeasuredToken

afterEach(() => {
  vi.restoreAllMocks()
})

/** Standings of a chain whose blocks the test adds, by a clock that the test moves. */
function watched(measure: MeasureToken = async () => reportOf(), pools = poolsOf(STRANGER, 11)) {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(1_000)
  const asked: Address[] = []
  const standings = new Standings({
    ...{ chain, earnBlocks: BLOCKS, decimals: (of) => (of === OTHER ? undefined : 6) },
    measure: (of, snapshot) => {
      asked.push(of)
      return measure(of, snapshot)
    },
  })
  standings.price({ usd: () => 1 } as unknown as PriceBook)
  const known = new Map(pools.map((pool) => [pool.id, pool]))
  const snapshot = (number: number): Snapshot => {
    const changed = number === 1 ? [...known.keys()] : []
    return { chainId: 1, block: { number, timestamp: number } as Snapshot['block'], pools: known, changed }
  }
  const see = async (from: number, to = from) => {
    for (let number = from; number <= to; number++) await standings.observe(snapshot(number))
    await Promise.resolve()
    await Promise.resolve()
  }
  const wait = (ms: number) => clock.mockReturnValue(performance.now() + ms)
  return { standings, asked, see, snapshot, wait }
}

test('a token earns trust by enough blocks and one clean measurement', async () => {
  const { standings, asked, see } = watched()
  const before = standings.trust('earned')
  await see(1, BLOCKS - 1)
  expect(asked).toEqual([])
  expect(standings.of(STRANGER).standing).toBe('stranger')
  expect(standings.trust('earned')).toBe(before)
  await see(BLOCKS)
  expect(asked).toEqual([STRANGER])
  expect(standings.of(STRANGER).standing).toBe('earned')
  expect(standings.trust('earned')!.tokens.has(STRANGER)).toBe(true)
  expect(standings.trust('named')!.tokens.has(STRANGER)).toBe(false)
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
])('a token with %s is trusted no more', async (fault, report) => {
  const { standings, see } = watched(async () => report)
  await see(1, BLOCKS)
  expect(standings.of(STRANGER)).toEqual({ standing: 'stranger', reason: fault })
})

test('one pool of several is enough to have measured a token in', async () => {
  const { standings, see } = watched(async () => [{ ...reportOf()[0]!, pool: undefined }, ...reportOf()])
  await see(1, BLOCKS)
  expect(standings.of(STRANGER).standing).toBe('earned')
})

test('a node that fails says nothing of a token, which is measured again ten seconds later', async () => {
  let fails = true
  const { standings, asked, see, wait } = watched(async () => {
    if (fails) throw new Error('node failure')
    return reportOf()
  })
  await see(1, BLOCKS)
  expect(standings.of(STRANGER)).toEqual({ standing: 'stranger', reason: 'not measured yet' })
  fails = false
  wait(9_999)
  await see(BLOCKS + 1)
  expect(asked).toHaveLength(1)
  wait(1)
  await see(BLOCKS + 2)
  expect(asked).toHaveLength(2)
  expect(standings.of(STRANGER).standing).toBe('earned')
})

test('one token is measured at a time', async () => {
  const { promise, resolve } = Promise.withResolvers<MeasuredToken>()
  const { asked, see, wait } = watched(() => promise, [...poolsOf(STRANGER, 11), ...poolsOf(account(5), 21)])
  await see(1, BLOCKS)
  wait(60_000)
  await see(BLOCKS + 1)
  expect(asked).toEqual([STRANGER])
  resolve(reportOf())
  await see(BLOCKS + 2)
  await see(BLOCKS + 3)
  expect(asked).toEqual([STRANGER, account(5)])
})

test.each<[string, (standings: Standings) => void]>([
  ['a tax that anybody measured', (standings) => standings.learn(new Map([[STRANGER, {} as never]]))],
  ['a route through it that failed', (standings) => standings.blame([STRANGER])],
  ['a chain that sleeps', (standings) => standings.forget()],
])('trust is lost by %s', async (_name, happens) => {
  const { standings, see } = watched()
  await see(1, BLOCKS)
  expect(standings.of(STRANGER).standing).toBe('earned')
  happens(standings)
  expect(standings.of(STRANGER).standing).toBe('stranger')
  expect(standings.counts.earnedTokens).toBe(0)
})

test('tokens and pools that nobody watches may be blamed', () => {
  const { standings } = watched()
  standings.blame([OTHER, 'pool'])
  standings.learn(new Map())
  expect(standings.of(OTHER)).toEqual({ standing: 'stranger', reason: 'not seen yet' })
})

test('depth counts in whole tokens at their prices; without decimals or a price there is none', async () => {
  for (const [usd, isDeep] of [
    [0.28, true],
    [0.27, false],
    [null, false],
  ] as const) {
    const { standings, see } = watched()
    // Three times 300,000 whole tokens.
    standings.price({ usd: () => usd } as unknown as PriceBook)
    await see(1)
    expect(standings.of(STRANGER).reason.startsWith('seen to behave')).toBe(isDeep)
  }
})

test('blocks that come while one is taken in are taken in after it', async () => {
  const { standings, snapshot } = watched()
  const first = standings.observe(snapshot(1))
  for (let number = 2; number < BLOCKS; number++) void standings.observe(snapshot(number))
  await first
  expect(standings.of(STRANGER).reason).toContain(`for ${BLOCKS - 1} blocks`)
})

test('with more than 64 blocks waiting nothing is known of what happened', async () => {
  for (const waiting of [64, 65]) {
    const { standings, snapshot } = watched()
    // A clock that jumps makes every slice of work end after its first step.
    let now = 1_000
    vi.spyOn(performance, 'now').mockImplementation(() => (now += 1_000))
    const first = standings.observe(snapshot(1))
    for (let k = 1; k <= waiting; k++) void standings.observe(snapshot(1 + k))
    await first
    const { standing } = standings.of(STRANGER)
    expect([waiting, standing === 'earned']).toEqual([waiting, waiting === 64])
  }
})

test('a day of blocks earns trust, and 600 blocks at least, if the operator does not say otherwise', async () => {
  for (const [blockTimeMs, blocks] of [
    [12_000, 7_200],
    [1_000_000, 600],
  ] as const) {
    const standings = new Standings({
      ...{ chain: { ...chain, blockTimeMs }, earnBlocks: undefined, decimals: () => 6 },
      measure: async () => null,
    })
    standings.price({ usd: () => 1 } as unknown as PriceBook)
    const pools = new Map(poolsOf(STRANGER, 11).map((pool) => [pool.id, pool]))
    const block = { number: 1, timestamp: 1 } as Snapshot['block']
    await standings.observe({ chainId: 1, block, pools, changed: [...pools.keys()] })
    expect(standings.of(STRANGER).reason).toContain(`of ${blocks} at least`)
  }
})
