/**
 * The program steps of pools that are paid ahead, ask for their payment in a callback of their own or take it by allowance, and whose own
 * code cannot be had here: the Executor runs them against a model that answers as genuine pools did, and only for exactly what those were paid.
 */
import { type Address, type Hex, toAddress } from '@sluice/chains'
import { type Anvil, accounts, type Contract, createBuilder, request, startAnvil } from '@sluice/devnet'
import { createRpc, type Rpc } from '@sluice/rpc'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { familyOf, type Pool, PoolRefusal } from '../src/index.ts'
import { run } from './fuzz/trials.ts'
import { EXECUTOR, type PoolWorld, standTrader, TRADER } from './fuzz/world.ts'
import { genuineAnswers } from './genuine.ts'
import { compileModels } from './models/compile.ts'
import { vectorReaders } from './vectors/run.ts'
import type { Question } from './vectors/types.ts'

const SWAPS = 24
/** More than any answer here moves, and less than a pair can count. */
const PLENTY = 1n << 111n

let anvil: Anvil
let rpc: Rpc
let model: Contract
let tokens: readonly [Address, Address]

beforeAll(async () => {
  anvil = await startAnvil()
  rpc = createRpc({ chainId: Number(await request<Hex>(anvil.url, 'eth_chainId', [])), urls: [anvil.url] })
  const builder = createBuilder(anvil.url, toAddress(accounts()[0]!.address))
  const { Coin, Push } = compileModels('Push.sol')
  const coins = [await builder.deploy(Coin as never), await builder.deploy(Coin as never)]
  // Sorted, as pools without a direction argument store them.
  tokens = coins.map(({ address }) => address).sort() as [Address, Address]
  model = await builder.deploy(Push as never, tokens)
  await standTrader((method, params = []) => request(anvil.url, method, params))
  for (const coin of coins) for (const holder of [TRADER, model.address]) await coin.send('mint', [holder, PLENTY])
}, 120_000)
afterAll(async () => {
  rpc?.close()
  await anvil?.stop()
})

/** Answers that pay something, of both directions and from all over the file. */
function questionsOf(family: string): readonly Question[] {
  const asks = vectorReaders({ family, content: genuineAnswers(family) })
  const questions: Question[] = []
  for (let at = 0; at < asks.length && questions.length < SWAPS; at += Math.floor(asks.length / (3 * SWAPS)) | 1) {
    const question = asks[at]!()
    if ('skip' in question || !question.amountOut || question.amountIn >= PLENTY || question.amountOut >= PLENTY)
      continue
    questions.push(question)
  }
  return questions
}

const FAMILIES = [
  'liquidity-book',
  'dodo-v2',
  'camelot-v2',
  'iziswap',
  'kyber-elastic',
  'syncswap',
  'kyber-classic',
  'woofi-v2',
  'fluid-dex',
  'lite-psm',
  'aave-gsm',
  'euler-swap',
]

/** Sets the values that a model needs in addition to the swap: every second pool of SyncSwap is in a vault, which the model is too. */
async function prepare(family: string, state: unknown, serial: number): Promise<object> {
  if (family === 'kyber-classic') {
    const { virtual0, virtual1, fee } = state as { virtual0: bigint; virtual1: bigint; fee: bigint }
    await model.send('setPrice', [virtual0, virtual1, fee])
  }
  if (family === 'lite-psm') {
    const { factor, tout } = state as { factor: bigint; tout: bigint }
    await model.send('setPrice', [factor, 0n, tout])
  }
  if (family !== 'syncswap') return {}
  await model.send('keepInVault', [serial % 2 === 0])
  return serial % 2 === 0 ? { vault: model.address } : {}
}

test.each(FAMILIES)(
  'a step of %s pays the pool, receives the output, and pays the next pool',
  async (family) => {
    const questions = questionsOf(family)
    expect(questions.length).toBe(SWAPS)
    const directions = new Set<boolean>()
    for (const [serial, { label, pool: recordedPool, tokenIn, amountIn, amountOut }] of questions.entries()) {
      const first = tokenIn === recordedPool.tokens[0]
      directions.add(first)
      const state = { ...(recordedPool.state as object), ...(await prepare(family, recordedPool.state, serial)) }
      const pool: Pool = { ...recordedPool, id: model.address, address: model.address, tokens, state }
      const swap = { tokenIn: tokens[first ? 0 : 1]!, tokenOut: tokens[first ? 1 : 0]!, amountIn }
      const quote = familyOf(family)!.quoteExactInput(pool, swap.tokenIn, swap.tokenOut, amountIn)
      expect(quote.amountOut, label).toBe(amountOut)
      await model.send('expectSwap', [first ? 0 : 1, amountIn, quote.amountOut])
      const { hash } = await request<{ hash: Hex }>(anvil.url, 'eth_getBlockByNumber', ['latest', false])
      const world = { rpc, trader: TRADER, executor: EXECUTOR, blockHash: () => hash } as PoolWorld
      const [whole, more] = await run(world, [
        { pool, swaps: [swap] },
        { pool, swaps: [{ ...swap, amountIn: amountIn + 1n }] },
      ])
      const [outcome, less] = [whole![0], more![0]]
      expect({ ok: outcome!.ok, amountOut: outcome!.amountOut, left: outcome!.left }, label).toEqual({
        ok: true,
        amountOut,
        left: 0n,
      })
      // The model takes nothing but what the genuine pool was paid. One unit more of DAI or GHO buys no more, and goes to the module.
      const takesRest = ['lite-psm', 'aave-gsm'].includes(family) && !first
      expect(less!.ok, label).toBe(takesRest)
      if (takesRest) expect(less!.left, label).toBe(0n)
    }
    expect(directions.size).toBe(2)
  },
  120_000,
)

test('amounts that genuine pools refuse are refused', () => {
  for (const family of FAMILIES.filter((name) => name !== 'syncswap')) {
    const refused = vectorReaders({ family, content: genuineAnswers(family) })
      .map((ask) => ask())
      .find((question): question is Question => !('skip' in question) && question.amountOut === null)!
    const { pool, tokenIn, tokenOut, amountIn } = refused
    expect(() => familyOf(family)!.quoteExactInput(pool, tokenIn, tokenOut, amountIn)).toThrow(PoolRefusal)
  }
})
