/** A PancakeSwap stable pool of the native token: discovered by its wrapper, and paid to the unit in both directions. */
import { IPancakeStableFactory__factory } from '@sluice/bindings'
import { type DexRow, type Hex, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { accounts, createBuilder } from '@sluice/devnet'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { familyOf, nullIfRefused } from '../src/index.ts'
import { createMarket } from '../src/market/market.ts'
import { run } from './fuzz/trials.ts'
import { deal, startLocal, type World } from './fuzz/world.ts'
import { compileModels } from './models/compile.ts'
import { random } from './random.ts'

const SWAPS = process.env.LONG ? 2_000 : 60
const DEPTH = 1n << 66n

let world: World
beforeAll(async () => {
  world = await startLocal()
}, 300_000)
afterAll(() => world?.stop())

test('a pool of the native token is discovered by its wrapper, and pays every quote', async () => {
  const models = compileModels('PancakeStable.sol')
  const builder = createBuilder(world.chain.rpcUrls[0]!, toAddress(accounts()[0]!.address))
  const coin = await builder.deploy(models.DecimalCoin as never, [18])
  const stablePool = await builder.deploy(models.NativeStablePool as never, [coin.address])
  await coin.send('mint', [stablePool.address, DEPTH])
  await world.request('anvil_setBalance', [stablePool.address, `0x${(DEPTH + (DEPTH >> 2n)).toString(16)}`])
  await stablePool.send('sync', [])
  await deal(world.request, [coin.address])
  const factory = await builder.deploy(models.StableFactory as never, [stablePool.address, coin.address])
  const row: DexRow = { family: 'pancake-stable', brand: 'test', role: 'factory', address: factory.address }
  const market = createMarket({ chain: { ...world.chain, dexes: [row] }, rpc: world.rpc })
  onTestFinished(() => market.stop())
  await market.sync()
  const { pools, block } = await market.ensure([coin.address, world.chain.wrappedNative!.address])
  const pool = pools.get(stablePool.address)!
  expect(pool).toMatchObject({ family: 'pancake-stable', tokens: [ZERO_ADDRESS, coin.address] })

  const firstFactory = await builder.deploy(models.FirstStableFactory as never, [stablePool.address, coin.address])
  const firstRow = { ...row, address: firstFactory.address }
  const firstMarket = createMarket({ chain: { ...world.chain, dexes: [firstRow] }, rpc: world.rpc })
  onTestFinished(() => firstMarket.stop())
  await firstMarket.sync()
  const discovered = await firstMarket.ensure([coin.address, world.chain.wrappedNative!.address])
  expect([...discovered.pools.keys()]).toContain(stablePool.address)

  const r = random(20)
  const trials = Array.from({ length: SWAPS }, () => {
    const [tokenIn, tokenOut] = r.pick([pool.tokens, pool.tokens.toReversed()])
    const swap = { tokenIn: tokenIn!, tokenOut: tokenOut!, amountIn: r.amount(2, 66) }
    const quote = nullIfRefused(() =>
      familyOf(pool.family)!.quoteExactInput(pool, swap.tokenIn, swap.tokenOut, swap.amountIn),
    )
    return { pool, swaps: [swap], amountOut: quote?.amountOut ?? null }
  })
  const outcomes = await run({ ...world, blockHash: () => block.hash }, trials)
  expect(outcomes.map(([outcome]) => (outcome!.ok ? outcome!.amountOut : null))).toEqual(
    trials.map(({ amountOut }) => amountOut),
  )
  expect(trials.filter(({ amountOut }) => amountOut !== null).length).toBeGreaterThan(SWAPS / 2)
})

test('a creation log names the native token as quotes do', () => {
  const { createdPool } = familyOf('pancake-stable')!
  const row: DexRow = { family: 'pancake-stable', brand: 'test', role: 'factory', address: world.chain.hubs[0]! }
  const event = IPancakeStableFactory__factory.createInterface()
  const [pool, coin, lp] = [1, 2, 3].map((n) => `0x${n.toString(16).padStart(40, '0')}`)
  const native = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
  const { data, topics } = event.encodeEventLog('NewStableSwapPair', [pool, coin, native, ZERO_ADDRESS, lp])
  const log = { address: row.address, blockNumber: 1, logIndex: 0, transactionHash: '0x', data, topics }
  expect(createdPool!(row, { ...log, data: data as Hex, topics: topics as Hex[] } as never)).toMatchObject({
    id: pool,
    tokens: [coin, ZERO_ADDRESS],
  })
})
