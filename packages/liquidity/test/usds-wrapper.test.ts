/** The wrapper of LitePSM that pays USDS, as a model: its code cannot be had here. The module's own code: bench/families. */
import { type DexRow, type Hex, toAddress } from '@sluice/chains'
import { accounts, createBuilder, request, startAnvil } from '@sluice/devnet'
import { createRpc } from '@sluice/rpc'
import { expect, onTestFinished, test } from 'vitest'
import { litePsm } from '../src/dexes/lite-psm/index.ts'
import type { LitePsmState } from '../src/dexes/lite-psm/math.ts'
import { nullIfRefused, type Pool } from '../src/index.ts'
import { runReads } from '../src/market/reads.ts'
import { run } from './fuzz/trials.ts'
import { deal, EXECUTOR, type PoolWorld, standTrader, TRADER } from './fuzz/world.ts'
import { compileModels } from './models/compile.ts'
import { random } from './random.ts'

const SWAPS = 300
const POCKET = toAddress(`0x${'90'.repeat(20)}`)
/** DAI of the module, and as many whole gems in the pocket. */
const DAI = 5_000n * 10n ** 18n
const GEMS = 3_000n * 10n ** 6n

test('the wrapper pays up to the DAI of its module and the gems of the pocket, at the fees of the module', async () => {
  const anvil = await startAnvil()
  onTestFinished(() => anvil.stop())
  const ask = <T>(method: string, params: readonly unknown[] = []) => request<T>(anvil.url, method, params)
  const rpc = createRpc({ chainId: Number(await ask<Hex>('eth_chainId')), urls: [anvil.url] })
  onTestFinished(() => rpc.close())
  const builder = createBuilder(anvil.url, toAddress(accounts()[0]!.address))
  const models = compileModels('UsdsWrapper.sol')
  const gem = await builder.deploy(models.DecimalCoin as never, [6])
  const dai = await builder.deploy(models.Coin as never)
  const usds = await builder.deploy(models.Usds as never)
  const module = await builder.deploy(models.Module as never, [gem.address, dai.address, POCKET])
  const wrapper = await builder.deploy(models.Wrapper as never, [module.address, usds.address])
  await module.send('set', [10n ** 14n, 3n * 10n ** 14n])
  await dai.send('mint', [module.address, DAI])
  await gem.send('mint', [POCKET, GEMS])
  await gem.send('give', [POCKET, module.address])
  await standTrader(ask)
  await deal(ask, [gem.address, usds.address])
  await ask('evm_mine')

  const { hash: blockHash } = await ask<{ hash: Hex }>('eth_getBlockByNumber', ['latest', false])
  const row: DexRow = { family: 'lite-psm', brand: 'Sky PSM', role: 'wrapper', address: wrapper.address }
  const reads = litePsm.findPools!(row, [[usds.address, gem.address]])
  const [pools] = await runReads(rpc, { blockHash }, [reads])
  const [states] = await runReads(rpc, { blockHash }, [litePsm.readStates(row, pools!)])
  const pool = { ...pools![0]!, state: states![0] as LitePsmState } as Pool<LitePsmState>
  expect(pool.tokens).toEqual([gem.address, usds.address])
  expect(pool.state).toEqual({ tin: 10n ** 14n, tout: 3n * 10n ** 14n, factor: 10n ** 12n, dai: DAI, gems: GEMS })

  const r = random(7)
  const trials = Array.from({ length: SWAPS }, () => {
    const i = r.integer(2)
    const amountIn = r.amount(1, i === 0 ? 34 : 74)
    return { pool, swaps: [{ tokenIn: pool.tokens[i]!, tokenOut: pool.tokens[1 - i]!, amountIn }] }
  })
  const world = { rpc, trader: TRADER, executor: EXECUTOR, blockHash: () => blockHash } as PoolWorld
  const outcomes = await run(world, trials)
  const paid = trials.filter(({ swaps }, k) => {
    const { tokenIn, tokenOut, amountIn } = swaps[0]!
    const quote = nullIfRefused(() => litePsm.quoteExactInput(pool, tokenIn, tokenOut, amountIn).amountOut)
    const [outcome] = outcomes[k]!
    const received = outcome!.ok && outcome!.amountOut > 0n ? outcome!.amountOut : null
    expect(received, `${amountIn} of ${pool.tokens.indexOf(tokenIn)}`).toBe(quote)
    return received !== null
  })
  expect(paid.length).toBeGreaterThan(SWAPS / 2)
  expect(paid.length).toBeLessThan(SWAPS)
})
