/**
 * The lens and the program step of pancake-infinity against models of vault and managers, whose own code cannot be had here: they hold
 * states of genuine pools, answer one swap each as those did, and keep accounts as the vault does.
 */
import { type Address, type Chain, type DexRow, type Hex, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { type Anvil, accounts, type Builder, type Contract, createBuilder, request, startAnvil } from '@sluice/devnet'
import { createRpc, type Rpc } from '@sluice/rpc'
import { AbiCoder, keccak256 } from 'ethers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SampledState } from '../src/dexes/common/sampled-state.ts'
import { toTwin } from '../src/dexes/common/sampled-twin.ts'
import { twinIdOf } from '../src/dexes/common/twin-id.ts'
import { pancakeInfinity } from '../src/dexes/pancake-infinity/index.ts'
import { poolId } from '../src/dexes/pancake-infinity/key.ts'
import type { InfinityKey, InfinityState } from '../src/dexes/pancake-infinity/types.ts'
import { familyOf, type Pool } from '../src/index.ts'
import { createMarket } from '../src/market/market.ts'
import { runReads } from '../src/market/reads.ts'
import { type Outcome, run } from './fuzz/trials.ts'
import { EXECUTOR, type PoolWorld, standTrader, TRADER } from './fuzz/world.ts'
import { genuineAnswers } from './genuine.ts'
import { compileModels } from './models/compile.ts'

type Answer = {
  readonly state: string
  readonly mode: string
  readonly zeroForOne?: boolean
  readonly swapForY?: boolean
  readonly amountIn: string
  readonly amountOut: string
  readonly fails?: boolean
  readonly partial?: boolean
}
// biome-ignore lint/suspicious/noExplicitAny: two forms, by kind.
type RecordedState = any

const { states, vectors } = genuineAnswers('pancake-infinity') as {
  readonly states: Readonly<Record<string, RecordedState>>
  readonly vectors: readonly Answer[]
}
/** States whose pools are put on the node, and answers of each. */
const [POOLS, SWAPS] = [10, 4]
const PLENTY = 1n << 120n

let anvil: Anvil
let rpc: Rpc
let builder: Builder
let vault: Contract
const managers = new Map<string, Contract>()
let tokens: readonly [Address, Address]

beforeAll(async () => {
  anvil = await startAnvil()
  rpc = createRpc({ chainId: Number(await request<Hex>(anvil.url, 'eth_chainId', [])), urls: [anvil.url] })
  builder = createBuilder(anvil.url, toAddress(accounts()[0]!.address))
  const models = compileModels('Infinity.sol')
  vault = await builder.deploy(models.Vault as never)
  for (const kind of ['cl', 'bin']) managers.set(kind, await builder.deploy(models.Manager as never, [vault.address]))
  await standTrader((method, params = []) => request(anvil.url, method, params))
  const contracts = [await builder.deploy(models.Coin as never), await builder.deploy(models.Coin as never)].sort(
    (a, b) => (a.address < b.address ? -1 : 1),
  ) as [Contract, Contract]
  for (const coin of contracts) for (const holder of [TRADER, vault.address]) await coin.send('mint', [holder, PLENTY])
  tokens = [contracts[0].address, contracts[1].address]
}, 120_000)
afterAll(async () => {
  rpc?.close()
  await anvil?.stop()
})

const rowOf = (): DexRow => ({
  family: 'pancake-infinity',
  brand: 'PancakeSwap Infinity',
  role: 'vault',
  address: vault.address,
  contracts: { clPoolManager: managers.get('cl')!.address, binPoolManager: managers.get('bin')!.address },
})
const managerRow = (kind: string) => pancakeInfinity.rowsOf!(rowOf()).find(({ version }) => version === kind)!

/** Puts a state of a genuine pool into a model, and emits the log of its creation. */
async function standPool(recordedState: RecordedState, serial: number): Promise<Pool<null>> {
  const manager = managers.get(recordedState.kind)!
  const step: number = recordedState.kind === 'cl' ? recordedState.tickSpacing : recordedState.binStep
  // Fees of keys only distinguish pools here: slot 0 holds the fee that is paid.
  const fixed: InfinityKey = {
    vault: vault.address,
    kind: recordedState.kind,
    fee: serial,
    parameters: step * 0x10000,
    hooks: ZERO_ADDRESS,
  }
  const id = poolId(tokens, manager.address, fixed)
  const parameters = `0x${fixed.parameters.toString(16).padStart(64, '0')}`
  const key = [...tokens, ZERO_ADDRESS, manager.address, serial, parameters]
  const types = ['address', 'address', 'address', 'address', 'uint24', 'bytes32']
  expect(id).toBe(keccak256(AbiCoder.defaultAbiCoder().encode(types, key)))
  const fees = [recordedState.protocolFee, recordedState.lpFee] as const
  if (recordedState.kind === 'cl') {
    await manager.send('set', [id, recordedState.sqrtPriceX96, recordedState.tick, ...fees, recordedState.liquidity])
    const ticks: readonly [number, string][] = recordedState.ticks
    await manager.send('setTicks', [id, step, ticks.map(([index]) => index), ticks.map(([, net]) => net)])
  } else {
    await manager.send('set', [id, recordedState.activeId, 0, ...fees, 0])
    const bins: readonly [number, string, string][] = recordedState.bins
    await manager.send('setBins', [id, bins.map(([bin]) => bin), bins.map(([, x, y]) => [x, y])])
  }
  const { logs } = await manager.send(recordedState.kind === 'cl' ? 'emitCl' : 'emitBin', [id, key])
  const pool = pancakeInfinity.createdPool!(managerRow(recordedState.kind), logs[0] as never)
  expect(pool).toMatchObject({ id, tokens, fixed, address: manager.address })
  return pool!
}

const head = async () => ({
  blockHash: (await request<{ hash: Hex }>(anvil.url, 'eth_getBlockByNumber', ['latest', false])).hash,
})

async function readState(pool: Pool<null>, kind: string): Promise<InfinityState | null> {
  const reads = pancakeInfinity.readStates(managerRow(kind), [pool])
  const [[state]] = (await runReads(rpc, await head(), [reads], {})) as [readonly (InfinityState | null)[]]
  return state!
}

test.each(['cl', 'bin'] as const)(
  'pools of kind %s are read correctly, and the vault pays the quoted amount to the Executor',
  async (kind) => {
    const names = Object.keys(states).filter((name) => states[name].kind === kind && !states[name].native)
    let swaps = 0
    for (const [serial, name] of names.slice(0, POOLS).entries()) {
      const unreadPool = await standPool(states[name], serial + 1)
      const state = await readState(unreadPool, kind)
      expect(state, name).not.toBeNull()
      const pool: Pool<InfinityState> = { ...unreadPool, state: state! }
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
      for (const answer of answers.slice(0, SWAPS)) {
        const first = answer.zeroForOne ?? answer.swapForY!
        const [tokenIn, tokenOut] = first ? tokens : [tokens[1], tokens[0]]
        const amountIn = BigInt(answer.amountIn)
        const { amountOut } = pancakeInfinity.quoteExactInput(pool, tokenIn, tokenOut, amountIn)
        expect(amountOut, `${name} ${amountIn}`).toBe(BigInt(answer.amountOut))
        await managers.get(kind)!.send('expectSwap', [pool.id, first, amountIn, amountOut])
        const { blockHash } = await head()
        const world = { rpc, trader: TRADER, executor: EXECUTOR, blockHash: () => blockHash } as PoolWorld
        const [[outcome]] = (await run(world, [{ pool, swaps: [{ tokenIn, tokenOut, amountIn }] }])) as [[Outcome]]
        expect({ ok: outcome.ok, paid: outcome.amountOut, left: outcome.left }, `${name} ${amountIn}`).toEqual({
          ok: true,
          paid: amountOut,
          left: 0n,
        })
        swaps++
      }
    }
    expect(swaps).toBeGreaterThan(POOLS)
  },
  120_000,
)

test('a paused manager cannot be read, and pools with common keys are found without a log', async () => {
  const recordedState = Object.values(states).find((state) => state.kind === 'cl')
  const { fee, ...key } = { fee: 500, ...recordedState, tickSpacing: 10 }
  const pool = await standPool({ ...key, ticks: [] }, fee)
  const rows = managerRow('cl')
  const [pools] = (await runReads(rpc, await head(), [pancakeInfinity.findPools!(rows, [tokens])], {})) as [
    readonly Pool<null>[],
  ]
  expect(pools.map(({ id }) => id)).toEqual([pool.id])
  const fixed = pool.fixed as InfinityKey
  const hooked = { ...fixed, hooks: toAddress(`0x${'ab'.repeat(20)}`), parameters: fixed.parameters + (1 << 6) }
  const [proven] = await runReads(rpc, await head(), [
    pancakeInfinity.provePools!(rows, [
      pool,
      { ...pool, fixed: { ...fixed, fee: 501 } },
      { ...pool, fixed: hooked },
      { ...pool, id: `0x${'ab'.repeat(32)}` },
      { ...pool, fixed: 'a key' },
    ]),
  ])
  expect(proven!.map((each) => each?.id ?? null)).toEqual([pool.id, null, null, null, null])
  await managers.get('cl')!.send('pause', [true])
  expect(await readState(pool, 'cl')).toBeNull()
  await managers.get('cl')!.send('pause', [false])
})

test.each(['cl', 'bin'] as const)(
  'a pause of the manager of %s pools is that of the block, and so is its end',
  async (kind) => {
    const manager = managers.get(kind)!
    const recordedState = Object.values(states).find((state) => state.kind === kind)
    // A common key, so that the pool is found without its log.
    const usual = kind === 'cl' ? { tickSpacing: 50, ticks: [] } : { binStep: 25 }
    const { id } = await standPool({ ...recordedState, ...usual }, 2500)
    const chain = {
      nativeCurrency: { symbol: 'ETH', name: 'Ether', decimals: 18 },
      ...{ chainId: rpc.chainId, dexes: [rowOf()], hubs: tokens, stables: [], tokens: [], wrappedNative: null },
    } as unknown as Chain
    const market = createMarket({ chain, rpc })
    try {
      await market.ensure(tokens)
      const stateNow = async () => (await market.sync()).pools.get(id)?.state
      const before = await stateNow()
      expect(before).toMatchObject({ kind })
      await manager.send('pause', [true])
      expect(await stateNow()).toBe(undefined)
      await manager.send('pause', [false])
      expect(await stateNow()).toEqual(before)
    } finally {
      await market.stop()
    }
  },
)

test('a pool whose hook takes part in swaps is found, and not read', async () => {
  const manager = managers.get('bin')!
  for (const [bits, isRead] of [
    [1 << 2, true],
    [1 << 6, false],
    [1 << 7, false],
    [1 << 10, false],
    [1 << 11, false],
  ] as const) {
    const parameters = `0x${(0x10000 * 25 + bits).toString(16).padStart(64, '0')}`
    const key = [...tokens, toAddress(`0x${'ab'.repeat(20)}`), manager.address, 3000, parameters]
    const { logs } = await manager.send('emitBin', [`0x${'00'.repeat(32)}`, key])
    const pool = pancakeInfinity.createdPool!(managerRow('bin'), logs[0] as never)!
    const reads = pancakeInfinity.readStates(managerRow('bin'), [pool])
    expect((reads.next().value as readonly unknown[]).length > 0, String(bits)).toBe(isRead)
    if (!isRead) expect(reads.next([]).value).toEqual([null])
  }
})

/** beforeSwap */
const SWAP_HOOK = 1 << 6

test.each(['tokens', 'the native token'])('a pool of %s with a hook in swaps is sampled by the twin', async (kind) => {
  const manager = managers.get('cl')!
  const currencies = kind === 'tokens' ? tokens : ([ZERO_ADDRESS, tokens[1]] as const)
  await request(anvil.url, 'anvil_setBalance', [vault.address, `0x${PLENTY.toString(16)}`])
  const parameters = `0x${(0x10000 * 10 + SWAP_HOOK).toString(16).padStart(64, '0')}`
  const key = [...currencies, toAddress(`0x${'ab'.repeat(20)}`), manager.address, 3000, parameters]
  const { logs } = await manager.send('emitCl', [`0x${'00'.repeat(32)}`, key])
  const exactRow = managerRow('cl')
  const pool = pancakeInfinity.createdPool!(exactRow, logs[0] as never)!
  const twin = familyOf(twinIdOf(pancakeInfinity.id))!
  const row = { ...exactRow, family: twin.id }
  await request(anvil.url, 'anvil_setBalance', [TRADER, `0x${PLENTY.toString(16)}`])
  await request(anvil.url, 'evm_mine', [])
  const { blockHash } = await head()
  const [fixedPools] = await runReads(rpc, { blockHash }, [twin.readFixed!(row, [toTwin(row, pool)!], 0)])
  const [states] = await runReads(rpc, { blockHash }, [twin.readStates(row, [fixedPools![0]!])])
  const sampled = { ...fixedPools![0]!, state: states![0] as SampledState }
  expect(twin.dependsOn!(sampled)).toEqual([key[2]])
  for (const samples of sampled.state.samples) {
    expect(samples.length).toBeGreaterThan(10)
    for (const [amountIn, amountOut] of samples) expect(amountOut).toBe((amountIn * 99n) / 100n)
  }
  const world = { rpc, trader: TRADER, executor: EXECUTOR, blockHash: () => blockHash } as PoolWorld
  const [tokenIn, tokenOut] = currencies
  const swap = { tokenIn, tokenOut, amountIn: 10n ** 18n }
  const [[outcome]] = (await run(world, [{ pool: sampled, swaps: [swap] }])) as [[Outcome]]
  expect({ ok: outcome.ok, paid: outcome.amountOut }).toEqual({ ok: true, paid: (10n ** 18n * 99n) / 100n })
})
