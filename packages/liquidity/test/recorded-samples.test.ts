/**
 * Sampled families on the recorded states of Linea and Scroll, with the genuine code of their pools: their samples are
 * compared with mined swaps and with payments to the Executor.
 */
import { type Address, type DexRow, type Hex, loadRegistry, toAddress } from '@sluice/chains'
import { mineUpTo, type RecordedRollup, readRecordings, replayBlock, request, startRecording } from '@sluice/devnet'
import { createRpc, type Rpc } from '@sluice/rpc'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { SampledState } from '../src/dexes/common/sampled-state.ts'
import { familyOf, isTrustedPool, namedTrust, type Pool, rowsOf } from '../src/index.ts'
import { runReads } from '../src/market/reads.ts'
import { run } from './fuzz/trials.ts'
import { type Ask, deal, EXECUTOR, type PoolWorld, standTrader, TRADER, word } from './fuzz/world.ts'

const TIMEOUT_MS = 180_000
/** A recorded block that trades the pool with a vault. */
const VAULT_BLOCK = 7_461_019
const CHAIN_IDS = { linea: 59_144, scroll: 534_352 } as const

/** A swap that was mined, with the pool's tokens in its order. */
type MinedSwap = {
  readonly family: 'caller-fee-v3' | 'maverick-v2' | 'syncswap-aqua'
  readonly chain: RecordedRollup
  readonly pool: Address
  readonly factory: Address
  readonly tokens: readonly [Address, Address]
  readonly block: number
  /** Index of the token that was sold. */
  readonly sold: 0 | 1
  /** True if the recorded state has the fee of this direction only; the pool refuses swaps without a fee. */
  readonly isOneWay?: true
  readonly amountIn: bigint
  readonly amountOut: bigint
}

const MINED: Readonly<Record<string, MinedSwap>> = {
  'SyncSwap aqua on Linea': {
    family: 'syncswap-aqua',
    chain: 'linea',
    pool: toAddress('0x1aafbf140cea1e6a09a419b5f30ab8feaae93be7'),
    factory: toAddress('0x1080ee857d165186af7f8d63e8ec510c28a6d1ea'),
    tokens: [
      toAddress('0x2416092f143378750bb29b79ed961ab195cceea5'),
      toAddress('0xe5d7c2a44ffddf6b295a15c148167daaaf5cf34f'),
    ],
    block: 7_461_022,
    sold: 1,
    isOneWay: true,
    amountIn: 0x10e931dd218000n,
    amountOut: 0x10a711b79b4471n,
  },
  'SyncSwap range on Scroll': {
    family: 'caller-fee-v3',
    chain: 'scroll',
    pool: toAddress('0x88a94ee745476deb31ce07f253bbe4614f3badc7'),
    factory: toAddress('0xb11042007e78be92dc1c79da1e7ef499b4b31838'),
    tokens: [
      toAddress('0x06efdbff2a14a7c8e15944d1f4a48f9f95f663a4'),
      toAddress('0x5300000000000000000000000000000000000004'),
    ],
    block: 19_604_672,
    sold: 1,
    amountIn: 0x5a2c5eb280000n,
    amountOut: 0x677d31n,
  },
  'Maverick V2 on Scroll': {
    family: 'maverick-v2',
    chain: 'scroll',
    pool: toAddress('0x882f1fdd5e320e39b6baa8317ec6f0171d1f4998'),
    factory: toAddress('0x0a7e848aca42d879ef06507fca0e7b33a0a63c1e'),
    tokens: [
      toAddress('0x06efdbff2a14a7c8e15944d1f4a48f9f95f663a4'),
      toAddress('0xf55bec9cafdbe8730f096aa55dad6d22d44099df'),
    ],
    block: 19_604_679,
    sold: 0,
    amountIn: 500_000n,
    amountOut: 0x7a0ean,
  },
  'a fork on Linea': {
    family: 'caller-fee-v3',
    chain: 'linea',
    pool: toAddress('0x6fe43aefe276fe3cbf128f89fd0404549dc8d52c'),
    factory: toAddress('0x1d707edf372bb15e9166d334b59276e1fc1b7355'),
    tokens: [
      toAddress('0x176211869ca2b568f2a7d4ee941e073a821ee1ff'),
      toAddress('0xe5d7c2a44ffddf6b295a15c148167daaaf5cf34f'),
    ],
    block: 2_492_975,
    sold: 1,
    amountIn: 0x1ff973cafa8000n,
    amountOut: 0x18a7fcan,
  },
}

type Scene = { readonly rpc: Rpc; readonly ask: Ask; readonly row: DexRow; readonly pool: Pool<SampledState> }

/** Returns the pool as it is at the end of a block's parent, read by its family. */
async function sceneBefore({ family, chain, pool: address, factory, tokens, block }: MinedSwap): Promise<Scene> {
  const recording = readRecordings(chain).find(({ blocks }) => blocks.some(({ number }) => number === block))!
  const node = await startRecording(recording)
  onTestFinished(() => node.stop())
  for (const mined of recording.blocks.filter(({ number }) => number < block)) await replayBlock(node.url, mined)
  await mineUpTo(node.url, recording.blocks.find(({ number }) => number === block)!)
  const ask: Ask = (method, params = []) => request(node.url, method, params)
  const rpc = createRpc({ chainId: CHAIN_IDS[chain], urls: [node.url] })
  onTestFinished(() => rpc.close())
  const registryRow = loadRegistry()
    .chain(CHAIN_IDS[chain])!
    .dexes.find((each) => toAddress(each.address) === factory)!
  const [row] = rowsOf(familyOf(family)!, registryRow)
  const bare: Pool<null> = { id: address, family, dex: row!.brand, address, tokens, state: null }
  return { rpc, ask, row: row!, pool: await poolOf({ rpc, row: row! }, bare) }
}

async function poolOf({ rpc, row }: Pick<Scene, 'rpc' | 'row'>, bare: Pool<null>): Promise<Pool<SampledState>> {
  const { readFixed, readStates } = familyOf(bare.family)!
  const [fixedPools] = readFixed ? await runReads(rpc, 'latest', [readFixed(row, [bare], 0)]) : [[bare]]
  const [states] = await runReads(rpc, 'latest', [readStates(row, [fixedPools![0]!])])
  return { ...fixedPools![0]!, state: states![0] as SampledState }
}

/** Real outputs of swaps, each from the same state, through the Executor. */
async function paid(
  { rpc, ask }: Pick<Scene, 'rpc' | 'ask'>,
  pool: Pool,
  sold: 0 | 1,
  amounts: readonly bigint[],
): Promise<readonly (bigint | null)[]> {
  const { hash } = await ask<{ hash: Hex }>('eth_getBlockByNumber', ['latest', false])
  const world = { rpc, trader: TRADER, executor: EXECUTOR, blockHash: () => hash } as PoolWorld
  const [tokenIn, tokenOut] = [pool.tokens[sold]!, pool.tokens[1 - sold]!]
  const trials = amounts.map((amountIn) => ({ pool, swaps: [{ tokenIn, tokenOut, amountIn }] }))
  return (await run(world, trials)).map(([outcome]) =>
    outcome!.ok && outcome!.left === 0n ? outcome!.amountOut : null,
  )
}

describe.each(Object.keys(MINED))('%s', (name) => {
  const swap = MINED[name]!
  test('the output of a mined swap is the sample at its input', { timeout: TIMEOUT_MS }, async () => {
    const { rpc, row, pool } = await sceneBefore(swap)
    const [tokenIn, tokenOut] = [swap.tokens[swap.sold], swap.tokens[1 - swap.sold]!]
    const family = familyOf(swap.family)!
    const refining = family.sampled!.refine(row, pool, [{ tokenIn, tokenOut, amountIn: swap.amountIn }])
    const [state] = await runReads(rpc, 'latest', [refining])
    const quoted = family.quoteExactInput({ ...pool, state }, tokenIn, tokenOut, swap.amountIn)
    expect(quoted.amountOut).toBe(swap.amountOut)
    // Owners of factories that set fees by caller can change them for anyone at any time.
    const isTrusted = swap.family !== 'caller-fee-v3'
    expect(isTrustedPool(pool, namedTrust(loadRegistry().chain(CHAIN_IDS[swap.chain])!))).toBe(isTrusted)
  })

  test('samples equal payments to the Executor, to the unit', { timeout: TIMEOUT_MS }, async () => {
    const scene = await sceneBefore(swap)
    // Linea's recorded blocks are of the london hard fork.
    await standTrader(scene.ask, swap.chain === 'linea' ? 'ExecutorLondon' : 'Executor')
    expect((await deal(scene.ask, swap.tokens)).size).toBe(1 + swap.tokens.length)
    await scene.ask('anvil_setBalance', [swap.tokens[1], word(1n << 120n)])
    let sampleCount = 0
    for (const sold of swap.isOneWay ? [swap.sold] : ([0, 1] as const)) {
      const samples = scene.pool.state.samples[sold]
      const outputs = await paid(
        scene,
        scene.pool,
        sold,
        samples.map(([amountIn]) => amountIn),
      )
      expect(outputs).toEqual(samples.map(([, amountOut]) => amountOut))
      sampleCount += samples.length
    }
    expect(sampleCount).toBeGreaterThan(8)
  })
})

test('a factory without a list of fees names its pool', { timeout: TIMEOUT_MS }, async () => {
  const swap = MINED['a fork on Linea']!
  const { rpc, row } = await sceneBefore(swap)
  const [pools] = await runReads(rpc, 'latest', [familyOf('caller-fee-v3')!.findPools!(row, [swap.tokens])])
  expect(pools).toMatchObject([{ id: swap.pool, family: 'caller-fee-v3', tokens: swap.tokens, state: null }])
})

test('a pool with a vault is paid through it', { timeout: TIMEOUT_MS }, async () => {
  // A classic pool, which is traded by the same calls: no aqua pool with a vault was recorded.
  const tokens = [
    toAddress('0x176211869ca2b568f2a7d4ee941e073a821ee1ff'),
    toAddress('0xe5d7c2a44ffddf6b295a15c148167daaaf5cf34f'),
  ] as const
  const pool = toAddress('0x5ec5b1e9b1bd5198343abb6e55fb695d2f7bb308')
  const scene = await sceneBefore({ ...MINED['SyncSwap aqua on Linea']!, pool, tokens, block: VAULT_BLOCK })
  expect(scene.pool.fixed).toMatchObject({ vault: '0x7160570bb153edd0ea1775ec2b2ac9b65f1ab61b' })
  await standTrader(scene.ask, 'ExecutorLondon')
  expect((await deal(scene.ask, tokens)).size).toBe(1 + tokens.length)
  await scene.ask('anvil_setBalance', [tokens[1], word(1n << 120n)])
  const { state, ...bare } = await poolOf(scene, { ...scene.pool, state: null })
  for (const sold of [0, 1] as const) {
    const samples = state.samples[sold]
    const amounts = samples.map(([amountIn]) => amountIn)
    expect(samples.length).toBeGreaterThan(4)
    expect(await paid(scene, { ...bare, state }, sold, amounts)).toEqual(samples.map(([, amountOut]) => amountOut))
  }
})
