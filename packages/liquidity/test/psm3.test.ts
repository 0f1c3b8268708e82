/** The lens, the math, and the program step of psm3 against a model of the module: its own code cannot be had here. */
import { type DexRow, type Hex, toAddress } from '@sluice/chains'
import { type Anvil, accounts, type Contract, createBuilder, request, startAnvil } from '@sluice/devnet'
import { createRpc, type Rpc } from '@sluice/rpc'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { psm3 } from '../src/dexes/psm3/index.ts'
import type { Psm3State } from '../src/dexes/psm3/math.ts'
import { nullIfRefused, type Pool } from '../src/index.ts'
import { runReads } from '../src/market/reads.ts'
import { run } from './fuzz/trials.ts'
import { deal, EXECUTOR, type PoolWorld, standTrader, TRADER } from './fuzz/world.ts'
import { compileModels } from './models/compile.ts'
import { random } from './random.ts'

const SWAPS = process.env.LONG ? 5_000 : 300
const RAY = 10n ** 27n
/** Names the account with the USDC of the second case. */
const POCKET = toAddress(`0x${'90'.repeat(20)}`)

let anvil: Anvil
let rpc: Rpc
let module: Contract
let coins: readonly [Contract, Contract, Contract]
const ask = <T>(method: string, params: readonly unknown[] = []) => request<T>(anvil.url, method, params)
const head = async () => ({ blockHash: (await ask<{ hash: Hex }>('eth_getBlockByNumber', ['latest', false])).hash })

beforeAll(async () => {
  anvil = await startAnvil()
  rpc = createRpc({ chainId: Number(await ask<Hex>('eth_chainId')), urls: [anvil.url] })
  const builder = createBuilder(anvil.url, toAddress(accounts()[0]!.address))
  const models = compileModels('Psm3.sol')
  const coin = (decimals: number) => builder.deploy(models.DecimalCoin as never, [decimals])
  coins = [await coin(6), await coin(18), await coin(18)]
  module = await builder.deploy(
    models.Psm3 as never,
    coins.map(({ address }) => address),
  )
  await standTrader(ask)
  await deal(
    ask,
    coins.map(({ address }) => address),
  )
}, 120_000)
afterAll(async () => {
  rpc?.close()
  await anvil?.stop()
})

const row = (): DexRow => ({ family: 'psm3', brand: 'Spark PSM3', role: 'module', address: module.address })

async function readPool(): Promise<Pool<Psm3State>> {
  const at = await head()
  const [usdc, , susds] = coins
  const [pools] = await runReads(rpc, at, [psm3.findPools!(row(), [[susds.address, usdc.address]])])
  const [states] = await runReads(rpc, at, [psm3.readStates(row(), pools!)])
  return { ...pools![0]!, state: states![0] as Psm3State }
}

test('is found for any two of its tokens only', async () => {
  const [usdc, usds] = coins
  const at = await head()
  const find = async (...pair: [Contract, Contract]) =>
    (await runReads(rpc, at, [psm3.findPools!(row(), [[pair[0].address, pair[1].address]])]))[0]!.length
  expect(await Promise.all([find(usdc, usds), find(usds, usdc), find(usdc, module)])).toEqual([1, 1, 0])
})

test.each([
  ['itself, at par', null, RAY],
  ['itself, with grown shares', null, 1_083_217_094_331_882_904_110_233_901n],
  ['a pocket', POCKET, 1_100_000_000_000_000_000_000_000_003n],
  ['a pocket with a small allowance', POCKET, RAY],
])(
  'a module that holds USDC in %s pays the quoted amounts, and reverts if a quote is refused',
  async (name, pocket, rate) => {
    const [usdc, usds, susds] = coins
    await module.send('set', [pocket ?? module.address, rate])
    for (const [k, coin] of coins.entries()) {
      const holder = k === 0 && pocket ? pocket : module.address
      await coin.send('mint', [holder, 10n ** BigInt(k === 0 ? 13 : 25)])
    }
    const allowed = name.includes('small') ? 5_000_000n : 2n ** 255n
    await ask('anvil_impersonateAccount', [POCKET])
    await ask('anvil_setBalance', [POCKET, '0xde0b6b3a7640000'])
    const data = `0x095ea7b3${module.address.slice(2).padStart(64, '0')}${allowed.toString(16).padStart(64, '0')}`
    await ask('eth_sendTransactionSync', [{ from: POCKET, to: usdc.address, data }])
    await ask('evm_mine')
    const pool = await readPool()
    expect(pool.tokens).toEqual([usdc.address, usds.address, susds.address])
    if (name.includes('small')) expect(pool.state.balances[0]).toBe(allowed)
    const r = random(31)
    const trials = Array.from({ length: SWAPS }, () => {
      const i = r.integer(3)
      const j = (i + 1 + r.integer(2)) % 3
      // Now and then more than it can pay.
      const amountIn = r.amount(1, i === 0 ? 46 : 88)
      return { pool, swaps: [{ tokenIn: pool.tokens[i]!, tokenOut: pool.tokens[j]!, amountIn }] }
    })
    const { blockHash } = await head()
    const world = { rpc, trader: TRADER, executor: EXECUTOR, blockHash: () => blockHash } as PoolWorld
    const outcomes = await run(world, trials)
    let paid = 0
    for (const [k, { swaps }] of trials.entries()) {
      const [{ tokenIn, tokenOut, amountIn }] = swaps as [(typeof swaps)[0]]
      const quote = nullIfRefused(() => psm3.quoteExactInput(pool, tokenIn, tokenOut, amountIn).amountOut)
      const [outcome] = outcomes[k]!
      const received = outcome!.ok && outcome!.amountOut > 0n ? outcome!.amountOut : null
      expect(received, `${amountIn} of ${pool.tokens.indexOf(tokenIn)}`).toBe(quote)
      if (received !== null) paid++
    }
    expect(paid).toBeGreaterThan(SWAPS / 4)
    expect(paid).toBeLessThan(SWAPS)
    for (const i of [0, 1, 2])
      for (const j of [0, 1, 2].filter((k) => k !== i)) {
        const [tokenIn, tokenOut] = [pool.tokens[i]!, pool.tokens[j]!]
        const max = psm3.maxInput(pool, tokenIn, tokenOut)!
        expect(psm3.quoteExactInput(pool, tokenIn, tokenOut, max).amountOut).toBeLessThanOrEqual(
          pool.state.balances[j]!,
        )
        expect(() => psm3.quoteExactInput(pool, tokenIn, tokenOut, max + 1n)).toThrow('cannot pay')
      }
  },
)
