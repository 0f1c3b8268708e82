/**
 * The reads and the program step of both versions of ekubo: against models of the cores that hold states of genuine pools in their storage
 * and keep accounts as the cores do, and, where their code can be had, against the cores themselves.
 */

import { IExecutor__factory } from '@sluice/bindings'
import { type Address, type Hex, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { type Anvil, accounts, type Contract, createBuilder, request, startAnvil } from '@sluice/devnet'
import { createRpc, type Rpc } from '@sluice/rpc'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { concentratedType, decodeConfig, type EkuboVersion, poolId } from '../src/dexes/ekubo/config.ts'
import { ekubo, ekuboV2 } from '../src/dexes/ekubo/index.ts'
import { stateSlotOf } from '../src/dexes/ekubo/storage.ts'
import type { EkuboState } from '../src/dexes/ekubo/types.ts'
import type { Pool } from '../src/index.ts'
import { runReads } from '../src/market/reads.ts'
import { compareCapacities, makeRich } from './fuzz/capacity.ts'
import { slotOf } from './fuzz/deployed.ts'
import { type EkuboWorld, ekuboCore, ekuboRow, noCore, startEkubo } from './fuzz/ekubo.ts'
import { fuzz, run } from './fuzz/trials.ts'
import { EXECUTOR, type PoolWorld, standTrader, TRADER, word } from './fuzz/world.ts'
import { genuineAnswers } from './genuine.ts'
import { compileModels } from './models/compile.ts'

const QUOTES = process.env.LONG ? 100_000 : 200
const LONG_MS = process.env.LONG ? 3_600_000 : 120_000
const CORES = { 2: await ekuboCore(2), 3: await ekuboCore(3) } as const
const FAMILIES = { 2: ekuboV2, 3: ekubo } as const

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

/** States as version 2 can have them: with the full range or ticks. The math is the same, so the answers are too. */
const statesOf = (version: EkuboVersion) =>
  Object.entries(states).flatMap(([name, state]): (readonly [string, RecordedState])[] => {
    if (version === 3) return [[name, state]]
    if (state.kind === 'stableswap' || decodeConfig(state.config)!.extension !== ZERO_ADDRESS) return []
    const type = state.kind === 'full' ? 0 : concentratedType(state.tickSpacing, 2)
    return [[name, { ...state, config: word(((BigInt(state.config) >> 32n) << 32n) | BigInt(type)) as Hex }]]
  })

describe.each([3, 2] as const)('a model of the core of version %i', (version) => {
  const family = FAMILIES[version]
  let anvil: Anvil
  let rpc: Rpc
  let model: Contract
  let tokens: readonly [Address, Address]

  beforeAll(async () => {
    anvil = await startAnvil()
    rpc = createRpc({ chainId: Number(await request<Hex>(anvil.url, 'eth_chainId', [])), urls: [anvil.url] })
    const builder = createBuilder(anvil.url, toAddress(accounts()[0]!.address))
    const { Coin, Core, CoreV2 } = compileModels('Ekubo.sol')
    model = await builder.deploy((version === 2 ? CoreV2 : Core) as never)
    const coins = [await builder.deploy(Coin as never), await builder.deploy(Coin as never)]
    for (const coin of coins) for (const holder of [TRADER, model.address]) await coin.send('mint', [holder, PLENTY])
    await standTrader((method, params = []) => request(anvil.url, method, params))
    tokens = coins.map(({ address }) => address).sort() as [Address, Address]
  }, 120_000)
  afterAll(async () => {
    rpc?.close()
    await anvil?.stop()
  })

  const row = () => ({ ...ekuboRow(version), address: model.address })
  const head = async () => ({
    blockHash: (await request<{ hash: Hex }>(anvil.url, 'eth_getBlockByNumber', ['latest', false])).hash,
  })

  const stateWord = ({ sqrtRatio, tick, liquidity }: Pick<RecordedState, 'sqrtRatio' | 'tick' | 'liquidity'>) => {
    const [ratio, index, depth] = [BigInt(sqrtRatio), BigInt.asUintN(32, BigInt(tick)), BigInt(liquidity)]
    return version === 2 ? ratio | (index << 96n) | (depth << 128n) : (ratio << 160n) | (index << 128n) | depth
  }

  /** Slot of a tick or of a word of the bitmap. */
  function entryOf(id: bigint, part: 'ticks' | 'bitmap', key: bigint): bigint {
    if (version === 3) return BigInt.asUintN(256, id + (part === 'ticks' ? TICKS : BITMAP) + key)
    return slotOf(key, slotOf(id, part === 'ticks' ? 5n : 7n))
  }

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
    const words = new Map([[BigInt(stateSlotOf(id, version)), stateWord({ sqrtRatio, tick, liquidity })]])
    for (const [index, net] of kind === 'concentrated' ? ticks : []) {
      const place = index / tickSpacing + 89_421_695
      const bitmapAt = entryOf(BigInt(id), 'bitmap', BigInt(Math.floor(place / 256)))
      words.set(bitmapAt, (words.get(bitmapAt) ?? 0n) | (1n << BigInt(place % 256)))
      words.set(entryOf(BigInt(id), 'ticks', BigInt(index)), (1n << 128n) | BigInt.asUintN(128, BigInt(net)))
    }
    await model.send('put', [[...words.keys()], [...words.values()]])
    return { id, family: family.id, dex: 'test', address: model.address, tokens, fixed: { config }, state: null }
  }

  test('pools are read from its storage, and it pays the quoted amount to the Executor', async () => {
    const kinds = ['concentrated', 'full', 'stableswap']
    const versionStates = new Map(statesOf(version))
    // One state a pool: what the model's storage has of one would be there for the next.
    const first = new Map(
      [...versionStates].filter(([, { complete }]) => complete).map(([name, { config }]) => [config, name]),
    )
    const names = kinds.flatMap((kind) =>
      [...first.values()].filter((name) => versionStates.get(name)!.kind === kind).slice(0, POOLS),
    )
    let swaps = 0
    for (const name of names) {
      const recordedState = versionStates.get(name)!
      const unreadPool = await standPool(recordedState)
      const [[state]] = (await runReads(rpc, await head(), [family.readStates(row(), [unreadPool])])) as [
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
        const { amountOut } = family.quoteExactInput(pool, tokenIn, tokenOut, amountIn)
        expect(amountOut, `${name} ${amountIn}`).toBe(BigInt(answer.amountOut))
        await setAnswer(recordedState.config, { zeroForOne, amountIn, amountOut })
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

  test.skipIf(version === 3)('its payment is requested once, in its own callback', async () => {
    const [, recordedState] = statesOf(2).find(([, { kind, complete }]) => kind === 'full' && complete)!
    const unreadPool = await standPool(recordedState)
    const [[state]] = (await runReads(rpc, await head(), [family.readStates(row(), [unreadPool])])) as [
      readonly (EkuboState | null)[],
    ]
    const pool: Pool<EkuboState> = { ...unreadPool, state: state! }
    const amountIn = BigInt(recordedState.liquidity) / 1_000n
    const { amountOut } = family.quoteExactInput(pool, ...tokens, amountIn)
    await setAnswer(recordedState.config, { zeroForOne: true, amountIn, amountOut })
    const swap = { tokenIn: tokens[0], tokenOut: tokens[1], amountIn }
    const outcomeOf = async (callbacks: number) => {
      await model.send('setCallbacks', [callbacks])
      const { blockHash } = await head()
      const world = { rpc, trader: TRADER, executor: EXECUTOR, blockHash: () => blockHash } as PoolWorld
      const [[outcome] = []] = await run(world, [{ pool, swaps: [swap] }])
      return outcome!.ok
    }
    expect([await outcomeOf(1), await outcomeOf(0), await outcomeOf(2)]).toEqual([true, false, false])
    const payment = `0x599d0714${[7n, BigInt(tokens[0]), 1n].map((value) => word(value).slice(2)).join('')}`
    const refusal = IExecutor__factory.createInterface().getError('UnexpectedCallback')!.selector
    const call = { from: model.address, to: EXECUTOR, data: payment }
    await expect(request(anvil.url, 'eth_call', [call, 'latest'])).rejects.toThrow(refusal)
  })

  /** Has the model answer exactly this swap. */
  async function setAnswer(
    config: Hex,
    { zeroForOne, amountIn, amountOut }: { zeroForOne: boolean; amountIn: bigint; amountOut: bigint },
  ): Promise<void> {
    const limit = zeroForOne ? ENDS.down : ENDS.up
    const packed = (limit << 160n) | (amountIn << 32n) | (zeroForOne ? 0n : 1n << 31n)
    const params = version === 2 ? [amountIn, zeroForOne ? 0n : 1n, limit, 0n] : [packed]
    const swapCalldata = `0x00000000${[...tokens, config, ...params.map(word)].map((text) => text.slice(2).padStart(64, '0')).join('')}`
    const [delta0, delta1] = zeroForOne ? [amountIn, -amountOut] : [-amountOut, amountIn]
    const balances = (BigInt.asUintN(128, delta0!) << 128n) | BigInt.asUintN(128, delta1!)
    await model.send('expectSwap', version === 2 ? [swapCalldata, delta0, delta1] : [swapCalldata, balances])
  }
})

describe.each([3, 2] as const)('the core of version %i itself', (version) => {
  const core = CORES[version]
  const family = FAMILIES[version]
  const testCore = (name: string, ...rest: [run: () => Promise<void> | void, timeoutMs?: number]) =>
    test.skipIf(!core)(`${name}${core ? '' : ` (${noCore(version)})`}`, ...rest)
  let world: EkuboWorld
  beforeAll(async () => {
    if (core) world = await startEkubo(core, 18, version)
  }, 120_000)
  afterAll(() => world?.stop())

  testCore('position logs update a pool like a reread', () => {
    expect(world.steps.length).toBeGreaterThan(20)
    let reread = 0
    for (const { before, log, after } of world.steps) {
      const result = family.applyLog(before, log as never)
      // Ticks that lie beyond those that were read cannot be followed.
      if (result === 'reread' && before.state.known) reread++
      else expect(result).toEqual(after)
    }
    expect(reread).toBeLessThan(world.steps.length / 4)
  })

  testCore('pools with common settings are found without a log', async () => {
    const [pools] = (await runReads(world.rpc, { blockHash: world.blockHash() }, [
      family.findPools!(ekuboRow(version), [
        world.pools().find(({ tokens }) => BigInt(tokens[0]!) > 0n)!.tokens as [Address, Address],
      ]),
    ])) as [readonly Pool<null>[]]
    const knownIds = new Set(world.steps.map(({ before }) => before.id))
    expect(pools.length).toBeGreaterThan(0)
    expect(pools.filter(({ id }) => !knownIds.has(id))).toEqual([])
  })

  testCore('listed pools are verified by their keys, and others are refused', async () => {
    const genuine = world.pools().filter(({ id }) => world.steps.some(({ before }) => before.id === id))
    const fakes = genuine.flatMap(({ fixed, ...pool }) => {
      const { config } = fixed as { config: Hex }
      const other = `0x${(BigInt(config) + (1n << 33n)).toString(16).padStart(64, '0')}`
      return [{ ...pool, fixed: { config: other } }, { ...pool, id: `0x${'ab'.repeat(32)}`, fixed }, pool]
    })
    const [proven] = await runReads(world.rpc, { blockHash: world.blockHash() }, [
      family.provePools!(ekuboRow(version), [...genuine, ...fakes]),
    ])
    expect(genuine.length).toBeGreaterThan(0)
    expect(proven!.slice(0, genuine.length).map((pool) => pool?.id)).toEqual(genuine.map(({ id }) => id))
    expect(proven!.slice(genuine.length)).toEqual(fakes.map(() => null))
  })

  testCore(
    'quotes equal its payments through the Executor, for any amount, with the same limits',
    async () => {
      const { exact, mismatches } = await fuzz(world, family.id, QUOTES, 42)
      expect(mismatches).toEqual([])
      expect(exact).toBeGreaterThan(QUOTES / 4)
      await makeRich(world)
      const capacities = await compareCapacities(world, family.id, 44)
      expect(capacities.mismatches).toEqual([])
      expect(capacities.ends).toBeGreaterThan(0)
    },
    LONG_MS,
  )
})
