/** Pairs of Liquidity Book 2.0, whose swap rules are unknown here: found as those of later versions, and sampled. */
import { type Address, type DexRow, type Hex, toAddress } from '@sluice/chains'
import { accounts, createBuilder } from '@sluice/devnet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { familyOf, type Pool } from '../src/index.ts'
import { runReads } from '../src/market/reads.ts'
import { run } from './fuzz/trials.ts'
import { deal, startLocal, type World } from './fuzz/world.ts'
import { compileModels } from './models/compile.ts'

const RESERVE = 10n ** 24n

let world: World
let row: DexRow
let tokens: readonly [tokenX: Address, tokenY: Address]
let pairAddress: Address

beforeAll(async () => {
  world = await startLocal()
  const models = compileModels('LiquidityBook.sol')
  const builder = createBuilder(world.chain.rpcUrls[0]!, toAddress(accounts()[0]!.address))
  const coins = [await builder.deploy(models.DecimalCoin as never, [18])]
  coins.push(await builder.deploy(models.DecimalCoin as never, [18]))
  tokens = [coins[0]!.address, coins[1]!.address]
  const pair = await builder.deploy(models.OldBookPair as never, tokens)
  for (const coin of coins) await coin.send('mint', [pair.address, RESERVE])
  await pair.send('sync', [])
  pairAddress = pair.address
  const { address } = await builder.deploy(models.OldBookFactory as never, [pair.address])
  row = { family: 'liquidity-book', brand: 'test', role: 'factory', address, version: '2.0' }
  await deal(world.request, tokens)
}, 300_000)
afterAll(() => world?.stop())

test('a pair of version 2.0 is found with its direction, and has no exact state', async () => {
  const family = familyOf('liquidity-book')!
  expect(family.rowsOf!(row)).toEqual([row])
  const [pools] = await runReads(world.rpc, 'latest', [family.findPools!(row, [[tokens[1], tokens[0]]])])
  expect(pools).toMatchObject([{ id: pairAddress, tokens }])
  const [states] = await runReads(world.rpc, 'latest', [family.readStates(row, pools!)])
  expect(states).toEqual([null])
})

test('the twin samples a pair of version 2.0, and the Executor receives what was sampled', async () => {
  const twin = familyOf('liquidity-book-sampled')!
  const twinRow = twin.rowsOf!(row)[0]!
  const identity = { id: pairAddress, family: twin.id, dex: twinRow.brand, address: pairAddress, tokens }
  const statelessPool: Pool<null> = { ...identity, fixed: { exact: undefined }, state: null }
  const [fixed] = await runReads(world.rpc, 'latest', [twin.readFixed!(twinRow, [statelessPool], 0)])
  const [states] = await runReads(world.rpc, 'latest', [twin.readStates(twinRow, [fixed![0]!])])
  const pool: Pool = { ...fixed![0]!, state: states![0]! }
  const { hash } = await world.request<{ hash: Hex }>('eth_getBlockByNumber', ['latest', false])
  for (const [tokenIn, tokenOut] of [tokens, tokens.toReversed()] as [Address, Address][]) {
    const amountIn = RESERVE / 1_000n
    const { amountOut } = twin.quoteExactInput(pool, tokenIn, tokenOut, amountIn)
    // Between two samples, a quote is at most what the pair pays.
    expect(amountOut).toBeLessThanOrEqual((amountIn * 998n) / 1_000n)
    expect(amountOut).toBeGreaterThan((amountIn * 997n) / 1_000n)
    const trial = { pool, swaps: [{ tokenIn, tokenOut, amountIn }] }
    const [outcomes] = await run({ ...world, blockHash: () => hash }, [trial])
    expect(outcomes).toMatchObject([{ ok: true, amountOut: (amountIn * 998n) / 1_000n, left: 0n }])
  }
})
