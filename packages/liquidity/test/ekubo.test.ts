/**
 * The reads and the program step of ekubo: against a model of the core that holds states of genuine pools in its storage and keeps accounts
 * as the core does, and, where its code can be had, against the core itself.
 */
import { type Address, type Hex, toAddress } from '@sluice/chains'
import { type Anvil, accounts, type Contract, createBuilder, request, startAnvil } from '@sluice/devnet'
import { createRpc, type Rpc } from '@sluice/rpc'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { poolId } from '../src/dexes/ekubo/config.ts'
import { ekubo } from '../src/dexes/ekubo/index.ts'
import type { EkuboState } from '../src/dexes/ekubo/types.ts'
import type { Pool } from '../src/index.ts'
import { runReads } from '../src/market/reads.ts'
import { compareCapacities, makeRich } from './fuzz/capacity.ts'
import { EKUBO_ROW, type EkuboWorld, ekuboCore, NO_CORE, startEkubo } from './fuzz/ekubo.ts'
import { fuzz, run } from './fuzz/trials.ts'
import { EXECUTOR, type PoolWorld, standTrader, TRADER, word } from './fuzz/world.ts'
import { genuineAnswers } from './genuine.ts'
import { compileModels } from './models/compile.ts'

const QUOTES = process.env.LONG ? 100_000 : 200
const LONG_MS = process.env.LONG ? 3_600_000 : 120_000
const core = await ekuboCore()

type RecordedState = {
  readonly kind: string
  readonly config: Hex
  readonly sqrtRatio: string
  readonly tick: number
  readonly liquidity: string
  readonly ticks: readonly (readonly [number, string])[]
  readonly tickSpacing: number
  readonly complete: boolean
}
type Answer = {
  readonly state: string
  readonly mode: string
  readonly zeroForOne: boolean
  readonly amountIn: string
  readonly amountOut: string
  readonly fails?: boolean
  readonly partial?: boolean
}
const { states, vectors } = genuineAnswers('ekubo') as {
  readonly states: Readonly<Record<string, RecordedState>>
  readonly vectors: readonly Answer[]
}
/** States whose pools are put on the node, and answers of each. */
const [POOLS, SWAPS] = [16, 4]
const PLENTY = 1n << 111n
const TICKS = 0x435a5eb89a296820174331cf5a3902d9fca683928d56726d8e7acd6efb28c568n
const BITMAP = 0x3def450d0010a2fef515ce5eba4b363b5a0f42fdd4c53e1c737975db05a2e3a5n
const ENDS = { down: 4611797791050542631n, up: 79227682466138141934206691491n }

describe('a model of the core', () => {
  let anvil: Anvil
  let rpc: Rpc
  let model: Contract
  let tokens: readonly [Address, Address]

  beforeAll(async () => {
    anvil = await startAnvil()
    rpc = createRpc({ chainId: Number(await request<Hex>(anvil.url, 'eth_chainId', [])), urls: [anvil.url] })
    const builder = createBuilder(anvil.url, toAddress(accounts()[0]!.address))
    const { Coin, Core } = compileModels('Ekubo.sol')
    model = await builder.deploy(Core as never)
    const coins = [await builder.deploy(Coin as never), await builder.deploy(Coin as never)]
    for (const coin of coins) for (const holder of [TRADER, model.address]) await coin.send('mint', [holder, PLENTY])
    await standTrader((method, params = []) => request(anvil.url, method, params))
    tokens = coins.map(({ address }) => address).sort() as [Address, Address]
  }, 120_000)
  afterAll(async () => {
    rpc?.close()
    await anvil?.stop()
  })

  const row = () => ({ ...EKUBO_ROW, address: model.address })
  const head = async () => ({
    blockHash: (await request<{ hash: Hex }>(anvil.url, 'eth_getBlockByNumber', ['latest', false])).hash,
  })

  /** Puts a state of a genuine pool into the model's storage, where the core has it. */
  async function standPool({
    config,
    sqrtRatio,
    tick,
    liquidity,
    kind,
    ticks,
    tickSpacing,
  }: RecordedState): Promise<Pool<null>> {
    const id = poolId(tokens, { config })
    const packed = (BigInt(sqrtRatio) << 160n) | (BigInt.asUintN(32, BigInt(tick)) << 128n) | BigInt(liquidity)
    const words = new Map([[BigInt(id), packed]])
    for (const [index, net] of kind === 'concentrated' ? ticks : []) {
      const place = index / tickSpacing + 89_421_695
      const bitmapAt = BigInt.asUintN(256, BigInt(id) + BITMAP + BigInt(Math.floor(place / 256)))
      words.set(bitmapAt, (words.get(bitmapAt) ?? 0n) | (1n << BigInt(place % 256)))
      const tickAt = BigInt.asUintN(256, BigInt(id) + TICKS + BigInt(index))
      words.set(tickAt, (1n << 128n) | BigInt.asUintN(128, BigInt(net)))
    }
    await model.send('put', [[...words.keys()], [...words.values()]])
    return { id, family: 'ekubo', dex: 'test', address: model.address, tokens, fixed: { config }, state: null }
  }

  test('pools are read from its storage, and it pays the quoted amount to the Executor', async () => {
    const kinds = ['concentrated', 'full', 'stableswap']
    // One state a pool: what the model's storage has of one would be there for the next.
    const first = new Map(
      Object.entries(states)
        .filter(([, { complete }]) => complete)
        .map(([name, { config }]) => [config, name]),
    )
    const names = kinds.flatMap((kind) =>
      [...first.values()].filter((name) => states[name]!.kind === kind).slice(0, POOLS),
    )
    let swaps = 0
    for (const name of names) {
      const recordedState = states[name]!
      const unreadPool = await standPool(recordedState)
      const [[state]] = (await runReads(rpc, await head(), [ekubo.readStates(row(), [unreadPool])])) as [
        readonly (EkuboState | null)[],
      ]
      expect(state, name).toMatchObject({ tick: recordedState.tick, liquidity: BigInt(recordedState.liquidity) })
      const read = state!.ticks.map(([index, net]) => [index, String(net)])
      expect(read, name).toEqual(recordedState.kind === 'concentrated' ? recordedState.ticks : [])
      const pool: Pool<EkuboState> = { ...unreadPool, state: state! }
      const answers = vectors.filter(
        (vector) =>
          vector.state === name &&
          vector.mode === 'exactIn' &&
          !vector.fails &&
          !vector.partial &&
          vector.amountOut !== '0' &&
          BigInt(vector.amountIn) < PLENTY &&
          BigInt(vector.amountOut) < PLENTY,
      )
      for (const { zeroForOne, ...answer } of answers.slice(0, SWAPS)) {
        const [tokenIn, tokenOut] = zeroForOne ? tokens : [tokens[1], tokens[0]]
        const amountIn = BigInt(answer.amountIn)
        const { amountOut } = ekubo.quoteExactInput(pool, tokenIn, tokenOut, amountIn)
        expect(amountOut, `${name} ${amountIn}`).toBe(BigInt(answer.amountOut))
        const limit = zeroForOne ? ENDS.down : ENDS.up
        const params = (limit << 160n) | (amountIn << 32n) | (zeroForOne ? 0n : 1n << 31n)
        const key = [...tokens, recordedState.config, word(params)].map((text) => text.slice(2).padStart(64, '0'))
        const [sold, bought] = [amountIn, BigInt.asUintN(128, -amountOut)]
        const balances = zeroForOne ? (sold << 128n) | bought : (bought << 128n) | sold
        await model.send('tell', [`0x00000000${key.join('')}`, balances])
        const { blockHash } = await head()
        const world = { rpc, trader: TRADER, executor: EXECUTOR, blockHash: () => blockHash } as PoolWorld
        const [[outcome] = []] = await run(world, [{ pool, swaps: [{ tokenIn, tokenOut, amountIn }] }])
        expect({ ok: outcome?.ok, paid: outcome?.amountOut, left: outcome?.left }, `${name} ${amountIn}`).toEqual({
          ok: true,
          paid: amountOut,
          left: 0n,
        })
        swaps++
      }
    }
    expect(swaps).toBeGreaterThan(2 * POOLS)
  }, 120_000)
})

describe.skipIf(!core)(`the core itself${core ? '' : ` (${NO_CORE})`}`, () => {
  let world: EkuboWorld
  beforeAll(async () => {
    world = await startEkubo(core!, 18)
  }, 120_000)
  afterAll(() => world?.stop())

  test('position logs update a pool like a reread', () => {
    expect(world.steps.length).toBeGreaterThan(20)
    let reread = 0
    for (const { before, log, after } of world.steps) {
      const result = ekubo.applyLog(before, log as never)
      // Ticks that lie beyond those that were read cannot be followed.
      if (result === 'reread' && before.state.known) reread++
      else expect(result).toEqual(after)
    }
    expect(reread).toBeLessThan(world.steps.length / 4)
  })

  test('pools with common settings are found without a log', async () => {
    const [pools] = (await runReads(world.rpc, { blockHash: world.blockHash() }, [
      ekubo.findPools!(EKUBO_ROW, [
        world.pools().find(({ tokens }) => BigInt(tokens[0]!) > 0n)!.tokens as [Address, Address],
      ]),
    ])) as [readonly Pool<null>[]]
    const knownIds = new Set(world.steps.map(({ before }) => before.id))
    expect(pools.length).toBeGreaterThan(0)
    expect(pools.filter(({ id }) => !knownIds.has(id))).toEqual([])
  })

  test('listed pools are verified by their keys, and others are refused', async () => {
    const genuine = world.pools().filter(({ id }) => world.steps.some(({ before }) => before.id === id))
    const fakes = genuine.flatMap(({ fixed, ...pool }) => {
      const { config } = fixed as { config: Hex }
      const other = `0x${(BigInt(config) + (1n << 33n)).toString(16).padStart(64, '0')}`
      return [{ ...pool, fixed: { config: other } }, { ...pool, id: `0x${'ab'.repeat(32)}`, fixed }, pool]
    })
    const [proven] = await runReads(world.rpc, { blockHash: world.blockHash() }, [
      ekubo.provePools!(EKUBO_ROW, [...genuine, ...fakes]),
    ])
    expect(genuine.length).toBeGreaterThan(0)
    expect(proven!.slice(0, genuine.length).map((pool) => pool?.id)).toEqual(genuine.map(({ id }) => id))
    expect(proven!.slice(genuine.length)).toEqual(fakes.map(() => null))
  })

  test(
    'quotes equal its payments through the Executor, for any amount, with the same limits',
    async () => {
      const { exact, mismatches } = await fuzz(world, 'ekubo', QUOTES, 42)
      expect(mismatches).toEqual([])
      expect(exact).toBeGreaterThan(QUOTES / 4)
      await makeRich(world)
      const capacities = await compareCapacities(world, 'ekubo', 44)
      expect(capacities.mismatches).toEqual([])
      expect(capacities.ends).toBeGreaterThan(0)
    },
    LONG_MS,
  )
})
