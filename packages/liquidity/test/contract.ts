/** Tests that each implementation of a market must pass. */
import { type Address, toAddress } from '@sluice/chains'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMarket, type Market, type Snapshot } from '../src/index.ts'
import { sqrtRatioAtTick } from '../src/math/ticks.ts'
import { addPair, addPool, addPosition, type Fixture, NEVER, startFixture } from './fixture.ts'

const E18 = 10n ** 18n
const NOBODY = toAddress(`0x${'12'.repeat(20)}`)

/** Makes markets of a chain, not started, and ends what it has made. */
export type MarketMaker = {
  readonly make: () => Market
  readonly stop: () => Promise<void>
}

/**
 * Long: a list of cases.
 *
 * @param makerOf - called once, with the fixture's chain
 */
export function marketContract(makerOf: (f: Fixture) => Promise<MarketMaker>): void {
  let f: Fixture
  let maker: MarketMaker
  let market: Market
  let tokens: readonly Address[]
  beforeAll(async () => {
    f = await startFixture(4)
    tokens = f.tokens.map(({ address }) => address)
    const [a, b, c] = f.tokens
    await addPair(f, a!, b!, 1_000n * E18, 2_000n * E18)
    await addPair(f, b!, c!, 500n * E18, 300n * E18)
    await addPool(f, a!, b!, 3_000, sqrtRatioAtTick(0))
    const pool = { token0: a!, token1: b!, fee: 3_000 }
    await addPosition(f, pool, { tickLower: -600, tickUpper: 600, amount0: E18, amount1: E18 })
    maker = await makerOf(f)
    market = maker.make()
    market.start()
  })
  afterAll(async () => {
    await market?.stop()
    await maker?.stop()
    await f?.stop()
  })

  const swap = (from: number, to: number, amount: bigint) =>
    f.v2Router.send('swapExactTokensForTokens', [amount, 0n, [tokens[from]!, tokens[to]!], f.me, NEVER])
  const sorted = ({ pools }: Snapshot) => [...pools.values()].sort((x, y) => (x.id < y.id ? -1 : 1))
  /** The market when it stands at the node's head. */
  async function atHead(): Promise<Snapshot> {
    const { hash } = (await f.rpc.getBlock('latest'))!
    await until(() => market.sync().then(({ block }) => block.hash === hash))
    return market.snapshot()
  }
  /** Holds it against a market that has just read all. */
  async function expectInStep(requestedTokens = tokens.slice(0, 3)): Promise<Snapshot> {
    const ours = await atHead()
    const fresh = createMarket({ chain: f.chain, rpc: f.rpc })
    const theirs = await fresh.ensure(requestedTokens)
    await fresh.stop()
    expect(ours.block).toEqual({ ...theirs.block, logsBloom: ours.block.logsBloom })
    expect(sorted(ours)).toEqual(sorted(theirs))
    return ours
  }

  test('has no snapshot before it has seen a block', async () => {
    const untouched = maker.make()
    expect(() => untouched.snapshot()).toThrowError(expect.objectContaining({ code: 'NOT_READY' }))
    expect(untouched.health()).toMatchObject({ head: null, lagMs: null })
    await untouched.stop()
  })

  test('finds the pools of the requested tokens, once', async () => {
    const snapshot = await market.ensure(tokens.slice(0, 3))
    expect([...snapshot.pools.values()].map(({ family }) => family).sort()).toEqual([
      ...['uniswap-v2', 'uniswap-v2', 'uniswap-v3'],
    ])
    const { pools } = await expectInStep()
    expect((await market.ensure(tokens.slice(0, 3))).pools).toBe(pools)
  })

  test('an address without a token is recorded as such, and a token without pools has none', async () => {
    const { pools } = market.snapshot()
    expect((await market.ensure([NOBODY])).pools.size).toBe(pools.size)
    expect(market.tokens.isToken(NOBODY)).toBe(false)
    expect((await market.ensure([tokens[3]!])).pools.size).toBe(pools.size)
    expect(market.tokens.isToken(tokens[3]!)).toBe(true)
  })

  test('follows the chain, and reports the changed pools', async () => {
    const snapshots: Snapshot[] = []
    await atHead()
    const off = market.onSnapshot((snapshot) => snapshots.push(snapshot))
    for (let i = 0; i < 4; i++) await swap(i % 2, 1 - (i % 2), BigInt(i + 1) * E18)
    const { block } = await expectInStep()
    off()
    const pair = toAddress(await f.v2Factory.read<string>('getPair', [tokens[0]!, tokens[1]!]))
    expect(snapshots.at(-1)?.block).toEqual(block)
    expect(snapshots.flatMap(({ changedIds: changed }) => changed ?? [])).toContain(pair)
    expect(market.hasBlock(block)).toBe(true)
    expect(market.health()).toMatchObject({ head: block, error: null })
  })

  test('follows a reorg, and reports the removed blocks', async () => {
    const stays = await atHead()
    const mark = await f.request<string>('evm_snapshot')
    await swap(0, 1, 5n * E18)
    const gone = await atHead()
    await f.request('evm_revert', [mark])
    await swap(1, 0, 7n * E18)
    await swap(1, 2, E18)
    const now = await expectInStep()
    expect(market.hasBlock(gone.block)).toBe(false)
    expect(market.hasBlock(now.block)).toBe(true)
    expect(market.hasBlock(stays.block)).toBe(true)
  })

  test('pools created later between known tokens are added', async () => {
    const before = (await atHead()).pools.size
    await addPair(f, f.tokens[0]!, f.tokens[2]!, 10n * E18, 20n * E18)
    expect((await expectInStep()).pools.size).toBe(before + 1)
  })

  test('a token loaded in the background has its pools with the hubs', async () => {
    await addPair(f, f.tokens[0]!, f.tokens[3]!, 10n * E18, 20n * E18)
    await atHead()
    await market.searchPools([tokens[3]!])
    const pair = toAddress(await f.v2Factory.read<string>('getPair', [tokens[0]!, tokens[3]!]))
    expect(market.snapshot().pools.has(pair)).toBe(true)
  })

  test('waits for a block, up to the time limit', async () => {
    const { block } = await atHead()
    await expect(market.waitForBlock(block.number + 1, 150)).rejects.toMatchObject({ code: 'BEHIND' })
    const waiting = market.waitForBlock(block.number + 1, 10_000)
    await f.request('evm_mine')
    expect((await waiting).block.number).toBe(block.number + 1)
  })

  test('an aborted call returns at once', async () => {
    const signal = AbortSignal.abort(new Error('enough'))
    await expect(market.ensure([toAddress(`0x${'34'.repeat(20)}`)], { signal })).rejects.toThrow('enough')
  })
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 15_000
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error('it did not come about')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
