/**
 * Tests the reads and the program step of ambient against a model of the dex, which holds states of genuine pools in its storage and
 * settles the amounts that a test sets. The dex itself is in deployed.test.ts.
 */
import { type Address, type Hex, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { type Anvil, accounts, type Contract, createBuilder, request, startAnvil } from '@sluice/devnet'
import { createRpc, type Rpc } from '@sluice/rpc'
import { AbiCoder } from 'ethers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ambient } from '../src/dexes/ambient/index.ts'
import { limitBitsOf } from '../src/dexes/ambient/math.ts'
import type { AmbientState } from '../src/dexes/ambient/types.ts'
import type { Pool } from '../src/index.ts'
import { runReads } from '../src/market/reads.ts'
import { ambientRow, readPools, standPool } from './fuzz/ambient.ts'
import { run } from './fuzz/trials.ts'
import { type Ask, EXECUTOR, PLENTY, type PoolWorld, standTrader, TRADER, word } from './fuzz/world.ts'
import { genuineAnswers } from './genuine.ts'
import { compileModels } from './models/compile.ts'
import { ambientForm } from './vectors/ambient.ts'
import type { Question } from './vectors/types.ts'

/** Swaps of a pool that the model settles. */
const SWAPS = 12
const COMMAND = ['address', 'address', 'uint256', 'bool', 'bool', 'uint256', 'uint16', 'uint256', 'uint128', 'uint8']

describe('a model of the dex', () => {
  let anvil: Anvil
  let rpc: Rpc
  let model: Contract
  let coins: readonly [Address, Address]
  const ask: Ask = (method, params = []) => request(anvil.url, method, params)
  const head = async () => (await ask<{ hash: Hex }>('eth_getBlockByNumber', ['latest', false])).hash

  beforeAll(async () => {
    anvil = await startAnvil()
    rpc = createRpc({ chainId: Number(await ask<Hex>('eth_chainId')), urls: [anvil.url] })
    const builder = createBuilder(anvil.url, toAddress(accounts()[0]!.address))
    const { Coin, Dex } = compileModels('Ambient.sol')
    model = await builder.deploy(Dex as never)
    const contracts = [await builder.deploy(Coin as never), await builder.deploy(Coin as never)]
    for (const coin of contracts)
      for (const holder of [TRADER, model.address]) await coin.send('mint', [holder, PLENTY])
    for (const holder of [TRADER, model.address]) await ask('anvil_setBalance', [holder, word(PLENTY)])
    await standTrader(ask)
    coins = contracts.map(({ address }) => address).sort() as [Address, Address]
  }, 120_000)
  afterAll(async () => {
    rpc?.close()
    await anvil?.stop()
  })

  /** Exact inputs that pay something, by the state that they start from. */
  function answersByState(): readonly (readonly Question[])[] {
    const answers = ambientForm(genuineAnswers('ambient'))
      .map((question) => question())
      .filter((question): question is Question => !('skip' in question) && question.amountOut !== null)
      .filter(({ amountIn, amountOut }) => amountIn < PLENTY && amountOut! < PLENTY)
    const keyOf = ({ pool }: Question) =>
      JSON.stringify(pool.state, (_, value) => (typeof value === 'bigint' ? String(value) : value))
    return [...Map.groupBy(answers, keyOf).values()]
  }

  test.each([false, true])(
    'pools are found and read, and the step pays the quote: native %s',
    async (native) => {
      const tokens: readonly [Address, Address] = native ? [ZERO_ADDRESS, coins[1]] : coins
      const directions = new Set<boolean>()
      for (const answers of answersByState().filter((list) => list.length > 2)) {
        const snapshot = await ask('evm_snapshot')
        const was = answers[0]!.pool.state as AmbientState
        const stood = await standPool(ask, model.address, tokens, was)
        await ask('evm_mine')
        const blockHash = await head()
        const row = { ...ambientRow(model.address), contracts: { wrappedNative: toAddress(`0x${'ee'.repeat(20)}`) } }
        const pair: readonly [Address, Address] = native ? [coins[1], row.contracts.wrappedNative] : tokens
        const [pools] = (await runReads(rpc, { blockHash }, [ambient.findPools!(row, [pair])])) as [
          readonly Pool<null>[],
        ]
        expect(pools).toEqual([{ ...stood, dex: row.brand }])
        const [pool] = await readPools(rpc, blockHash, [stood])
        expect(pool!.state).toEqual(was)
        for (const { tokenIn, amountIn, amountOut, pool: recordedPool } of answers.slice(0, SWAPS)) {
          const isBuy = tokenIn === recordedPool.tokens[0]
          directions.add(isBuy)
          const swap = { tokenIn: tokens[isBuy ? 0 : 1], tokenOut: tokens[isBuy ? 1 : 0], amountIn }
          expect(ambient.quoteExactInput(pool!, swap.tokenIn, swap.tokenOut, amountIn).amountOut).toBe(amountOut)
          const limit = 1n << BigInt(limitBitsOf(was, isBuy))
          const command = [...tokens, 420, isBuy, isBuy, amountIn, 0, limit, 0, 0]
          const flows = isBuy ? [amountIn, -amountOut!] : [-amountOut!, amountIn]
          await model.send('expectSwap', [AbiCoder.defaultAbiCoder().encode(COMMAND, command), ...flows])
          const hash = await head()
          const world = { rpc, trader: TRADER, executor: EXECUTOR, blockHash: () => hash } as PoolWorld
          const [[outcome] = []] = await run(world, [{ pool: pool!, swaps: [swap] }])
          expect({ ok: outcome!.ok, paid: outcome!.amountOut, left: outcome!.left }).toEqual({
            ok: true,
            paid: amountOut,
            left: 0n,
          })
        }
        await ask('evm_revert', [snapshot])
        await ask('evm_mine')
      }
      expect(directions.size).toBe(2)
    },
    120_000,
  )
})
