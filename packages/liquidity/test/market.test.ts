/** Tests the market against a node: after every change there, memory equals a fresh reading. */
import { toAddress } from '@sluice/chains'
import { countRoundTrips, startAnvil } from '@sluice/devnet'
import { createRpc } from '@sluice/rpc'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Market, Snapshot } from '../src/index.ts'
import { createMarket } from '../src/market/market.ts'
import { sqrtRatioAtTick } from '../src/math/ticks.ts'
import { addPair, addPool, addPosition, type Fixture, NEVER, startFixture } from './fixture.ts'
import { random } from './random.ts'

const E18 = 10n ** 18n
const FEE = 3000
/** Pairs of the first DEX, by the numbers of their tokens. */
const V2_WAYS = [
  [0, 1],
  [1, 0],
  [1, 2],
  [2, 1],
] as const

let f: Fixture
let market: Market
beforeAll(async () => {
  f = await startFixture(4)
  const [a, b, c] = f.tokens
  await addPair(f, a!, b!, 1_000n * E18, 2_000n * E18)
  await addPair(f, b!, c!, 500n * E18, 300n * E18)
  await addPool(f, a!, b!, FEE, sqrtRatioAtTick(0))
  await mint(-600, 600)
  await mint(-60_000, 60_000)
  market = createMarket({ chain: f.chain, rpc: f.rpc })
  await market.ensure([a!.address, b!.address, c!.address])
})
afterAll(async () => {
  await market?.stop()
  await f?.stop()
})

const mint = (tickLower: number, tickUpper: number) =>
  addPosition(
    f,
    { token0: f.tokens[0]!, token1: f.tokens[1]!, fee: FEE },
    { tickLower, tickUpper, amount0: E18, amount1: E18 },
  )
const swapV2 = (from: number, to: number, amountIn: bigint) =>
  f.v2Router.send('swapExactTokensForTokens', [
    amountIn,
    0n,
    [f.tokens[from]!.address, f.tokens[to]!.address],
    f.me,
    NEVER,
  ])
const swapV3 = (zeroForOne: boolean, amountIn: bigint) => {
  const [a, b] = [f.tokens[0]!.address, f.tokens[1]!.address]
  const [tokenIn, tokenOut] = zeroForOne ? [a, b] : [b, a]
  return f.v3Router.send('exactInputSingle', [
    {
      tokenIn,
      tokenOut,
      fee: FEE,
      recipient: f.me,
      deadline: NEVER,
      amountIn,
      amountOutMinimum: 0n,
      sqrtPriceLimitX96: 0n,
    },
  ])
}
const burn = (id: number, liquidity: bigint) => f.positions.send('decreaseLiquidity', [[id, liquidity, 0n, 0n, NEVER]])

/** The snapshot that a market which has just been made reads at the node's head. */
async function freshly(tokens = f.tokens.slice(0, 3)): Promise<Snapshot> {
  const fresh = createMarket({ chain: f.chain, rpc: f.rpc })
  const snapshot = await fresh.ensure(tokens.map(({ address }) => address))
  await fresh.stop()
  return snapshot
}

async function expectInStep(): Promise<Snapshot> {
  const [ours, theirs] = [await market.sync(), await freshly()]
  expect(ours.block).toEqual(theirs.block)
  expect(sorted(ours)).toEqual(sorted(theirs))
  return ours
}

test.each([
  ['uniswap-v2', 3],
  ['uniswap-v3', 4],
])(
  'pools of %s of a new token are available after at most %i round trips, including the check of the token',
  async (family, maxRoundTrips) => {
    const { rpc, roundTrips } = countRoundTrips(f.rpc)
    const dexes = f.chain.dexes.filter((row) => row.family === family)
    const cold = createMarket({ chain: { ...f.chain, dexes }, rpc })
    await cold.ensure(f.chain.hubs)
    const before = roundTrips()
    const { pools } = await cold.ensure([f.tokens[1]!.address])
    await cold.stop()
    expect([...pools.values()].map((pool) => pool.family)).toContain(family)
    expect(roundTrips() - before).toBeLessThanOrEqual(maxRoundTrips)
  },
)
const sorted = ({ pools }: Snapshot) => [...pools.values()].sort((a, b) => (a.id < b.id ? -1 : 1))

test('finds the pools of every DEX for the requested tokens, only once', async () => {
  const { pools } = await expectInStep()
  expect([...pools.values()].map(({ family }) => family).sort()).toEqual(['uniswap-v2', 'uniswap-v2', 'uniswap-v3'])
  const before = market.snapshot()
  expect(await market.ensure(f.tokens.slice(0, 3).map(({ address }) => address))).toBe(before)
})

test('follows swaps, mints and burns of several blocks from their logs alone', async () => {
  const r = random(3)
  for (let i = 0; i < 8; i++) {
    for (let n = r.integer(4); n >= 0; n--) {
      const what = r.integer(4)
      if (what === 0) await swapV2(...r.pick<readonly [number, number]>(V2_WAYS), r.amount(40, 66))
      else if (what === 1) await swapV3(r.integer(2) === 0, r.amount(10, 58))
      else if (what === 2) await mint(-60 * (1 + r.integer(50)), 60 * (1 + r.integer(50)))
      else await burn(1 + r.integer(2), r.amount(10, 50))
    }
    await expectInStep()
  }
})

test('a tick whose last liquidity is burned is removed', async () => {
  await mint(-1_260, 1_380)
  const id = Number(await f.positions.read<bigint>('totalSupply'))
  await expectInStep()
  const position = await f.positions.readAll('positions', [id])
  await burn(id, position.liquidity)
  await expectInStep()
})

test('a snapshot names the pools that changed in it', async () => {
  await market.sync()
  await swapV2(0, 1, E18)
  const { changedIds: changed, pools } = await market.sync()
  expect(changed!.map((id) => pools.get(id)!.family)).toEqual(['uniswap-v2'])
})

describe('after a reorg', () => {
  let mark: string
  beforeEach(async () => {
    await market.sync()
    mark = await f.request<string>('evm_snapshot')
  })

  test('undoes the removed blocks', async () => {
    const before = market.snapshot()
    await swapV2(0, 1, 5n * E18)
    await swapV3(true, E18 / 100n)
    await market.sync()
    await f.request('evm_revert', [mark])
    const after = await expectInStep()
    expect(after.block).toEqual(before.block)
    expect([...after.changedIds!].length).toBe(2)
  })

  test('follows a branch of equal or greater length', async () => {
    await swapV2(0, 1, 5n * E18)
    await swapV3(true, E18 / 100n)
    await market.sync()
    await f.request('evm_revert', [mark])
    await swapV2(1, 0, 7n * E18)
    await swapV3(false, E18 / 50n)
    await expectInStep()
    await swapV2(1, 2, E18)
    await expectInStep()
  })

  test('a pool found on the removed branch is read again on the new one', async () => {
    await swapV2(0, 1, E18)
    const fresh = createMarket({ chain: f.chain, rpc: f.rpc })
    await fresh.sync()
    await fresh.ensure(f.tokens.slice(0, 3).map(({ address }) => address))
    await f.request('evm_revert', [mark])
    await swapV2(1, 0, E18)
    expect(sorted(await fresh.sync())).toEqual(sorted(await freshly()))
    await fresh.stop()
  })

  test('a fork at the oldest stored block is undone exactly', async () => {
    for (let i = 0; i < 64; i++) {
      if (i % 8 === 0) await swapV2(0, 1, E18)
      else await f.request('evm_mine')
      if (i % 16 === 0) await market.sync()
    }
    const { block } = await market.sync()
    await f.request('evm_revert', [mark])
    await swapV2(1, 0, 3n * E18)
    const ours = await expectInStep()
    expect(block.number - ours.block.number).toBe(63)
    expect(ours.changedIds).not.toBeNull()
  })

  test('a fork below the oldest stored block triggers a full reread', async () => {
    await f.request('anvil_mine', ['0x60'])
    await swapV2(0, 1, E18)
    const ours = await expectInStep()
    expect(ours.changedIds).toBeNull()
    await f.request('evm_revert', [mark])
    await expectInStep()
  })
})

test('pools created later between known tokens are added at their creation', async () => {
  const [a, , c] = f.tokens
  await market.sync()
  const before = market.snapshot().pools.size
  await addPair(f, a!, c!, 10n * E18, 20n * E18)
  expect((await expectInStep()).pools.size).toBe(before + 1)
  const pool = { token0: a!, token1: c!, fee: 500 }
  await addPool(f, a!, c!, 500, sqrtRatioAtTick(100))
  await addPosition(f, pool, { tickLower: -1_000, tickUpper: 2_000, amount0: E18, amount1: E18 })
  expect((await expectInStep()).pools.size).toBe(before + 2)
})

test('a pool without a price is added once it has one', async () => {
  const [a, b] = f.tokens
  await f.v3Factory.send('createPool', [a!.address, b!.address, 10_000])
  const { pools } = await market.sync()
  const address = toAddress(await f.v3Factory.read<string>('getPool', [a!.address, b!.address, 10_000]))
  expect(pools.has(address)).toBe(false)
  await addPool(f, a!, b!, 10_000, sqrtRatioAtTick(-5))
  expect((await expectInStep()).pools.has(address)).toBe(true)
})

test('a sync requested during another sync includes blocks mined since', async () => {
  const running = market.sync()
  await new Promise((resolve) => setTimeout(resolve, 1))
  const number = Number(await f.request<string>('eth_blockNumber'))
  const mining = f.request('evm_mine')
  await running
  const late = market.sync()
  await mining
  const after = market.sync()
  expect((await after).block.number).toBe(number + 1)
  await late
})

test('wrong state in memory is detected by rereads, repaired, and counted', async () => {
  const [a, b] = f.tokens
  const pair = toAddress(await f.v2Factory.read<string>('getPair', [a!.address, b!.address]))
  const audited = createMarket({ chain: f.chain, rpc: f.rpc, auditMs: 20, pollMs: 20 })
  await audited.ensure(f.tokens.slice(0, 3).map(({ address }) => address))
  const before = audited.snapshot().pools.get(pair)
  // Slot 8 of a pair: both reserves and the time. No log reports this.
  const reserves = `0x${1n.toString(16).padStart(8, '0')}${(5n * E18).toString(16).padStart(28, '0')}${(7n * E18).toString(16).padStart(28, '0')}`
  const genuine = await f.request<string>('eth_getStorageAt', [pair, '0x8', 'latest'])
  await f.request('anvil_setStorageAt', [pair, `0x${(8).toString(16).padStart(64, '0')}`, reserves])
  await f.request('evm_mine')
  audited.start()
  await until(() => audited.health().audit.repaired === 1)
  expect(audited.snapshot().pools.get(pair)?.state).not.toEqual(before?.state)
  expect(audited.snapshot().pools.get(pair)?.state).toMatchObject({ reserve0: 7n * E18, reserve1: 5n * E18 })
  const { checked } = audited.health().audit
  await f.request('evm_mine')
  await until(() => audited.health().audit.checked > checked)
  expect(audited.health().audit.repaired).toBe(1)
  await audited.stop()
  await f.request('anvil_setStorageAt', [pair, `0x${(8).toString(16).padStart(64, '0')}`, genuine])
  await f.request('evm_mine')
})

test('waits for a block, up to the time limit', async () => {
  const { block } = await market.sync()
  await expect(market.waitForBlock(block.number + 1, 150)).rejects.toMatchObject({ code: 'BEHIND' })
  const waiting = market.waitForBlock(block.number + 1, 5_000)
  await f.request('evm_mine')
  expect((await waiting).block.number).toBe(block.number + 1)
})

test('has no snapshot before it has read a block', () => {
  const untouched = createMarket({ chain: f.chain, rpc: f.rpc })
  expect(() => untouched.snapshot()).toThrowError(expect.objectContaining({ code: 'NOT_READY' }))
  expect(untouched.health()).toMatchObject({ head: null, lagMs: null, error: null, audit: { checked: 0, repaired: 0 } })
  // No family of this chain is known from logs alone.
  expect(untouched.health().scan).toBeNull()
})

test('retries while the node is down, reports the error, and recovers by itself', async () => {
  const first = await startAnvil()
  const rpc = createRpc({ chainId: 31337, urls: [first.url] })
  const lone = createMarket({ chain: { ...f.chain, dexes: [], hubs: [] }, rpc, pollMs: 20 })
  lone.start()
  await lone.waitForBlock(0, 5_000)
  await first.stop()
  await until(() => lone.health().error !== null)
  expect(lone.snapshot().block.number).toBe(0)
  const second = await startAnvil({ port: first.port })
  await until(() => lone.health().error === null)
  expect(lone.health().lagMs).toBeLessThan(5_000)
  await lone.stop()
  rpc.close()
  await second.stop()
})

test('an aborted call returns at once', async () => {
  const signal = AbortSignal.abort(new Error('enough'))
  await expect(market.ensure([f.tokens[3]!.address], { signal })).rejects.toThrow('enough')
})

async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 15_000
  while (!condition()) {
    if (Date.now() > deadline) throw new Error('it did not come about')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
