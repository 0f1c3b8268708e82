/** Pools in Ambient's deployed dex (GPL-3.0), written into its storage. */
import { type Address, type DexRow, type Hex, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import type { Rpc } from '@sluice/rpc'
import { keccak256, solidityPacked } from 'ethers'
import { rootAtTick } from '../../src/dexes/ambient/curve.ts'
import { ambient } from '../../src/dexes/ambient/index.ts'
import { poolHash } from '../../src/dexes/ambient/state.ts'
import type { AmbientLevel, AmbientState } from '../../src/dexes/ambient/types.ts'
import type { Pool } from '../../src/index.ts'
import { runReads } from '../../src/market/reads.ts'
import { type Random, random } from '../random.ts'
import { type DeployedCode, sceneWith, slotOf, startNode, worldOf } from './deployed.ts'
import { type Ask, PLENTY, type PoolWorld, word } from './world.ts'

const DEX = toAddress('0xaaaaaaaacb71bf2c8cae522ea5fa455571a74106')
const POOLS = 24
const FIXED = { poolIdx: 420 }
const SLOTS = { levels: 65538, mezzanine: 65542, terminus: 65543, specs: 65545, curves: 65551 }

export const ambientRow = (address: Address): DexRow => ({ family: 'ambient', brand: 'Ambient', role: 'dex', address })

const keyed = (key: string, slot: number) => slotOf(BigInt(key), slot)
const within = (hash: string, type: string, place: number) =>
  keccak256(solidityPacked(['bytes32', type], [hash, place]))

/** Writes a pool where the dex keeps it, of which it had none. */
export async function standPool(
  ask: Ask,
  address: Address,
  tokens: readonly [Address, Address],
  { feeRate, protocolTake, ...state }: Omit<AmbientState, 'knockedOut'>,
): Promise<Pool<null>> {
  const id = poolHash(tokens, FIXED)
  const words = new Map<bigint, bigint>([
    [keyed(id, SLOTS.specs), 1n | (feeRate << 8n) | (protocolTake << 24n)],
    [keyed(id, SLOTS.curves), state.priceRoot | (state.ambientSeeds << 128n)],
    [keyed(id, SLOTS.curves) + 1n, state.concLiq | (state.seedDeflator << 128n) | (state.concGrowth << 192n)],
  ])
  const mark = (slot: bigint, bit: number) => words.set(slot, (words.get(slot) ?? 0n) | (1n << BigInt(bit & 0xff)))
  for (const [tick, bidLots, askLots] of state.levels) {
    words.set(keyed(within(id, 'int24', tick), SLOTS.levels), bidLots | (askLots << 96n))
    mark(keyed(within(id, 'int8', tick >> 16), SLOTS.mezzanine), tick >> 8)
    mark(keyed(within(id, 'int16', tick >> 8), SLOTS.terminus), tick)
  }
  for (const [slot, value] of words) await ask('anvil_setStorageAt', [address, word(slot), word(value)])
  return { id, family: 'ambient', dex: 'test', address, tokens, fixed: FIXED, state: null }
}

/** Pools with their states, as they are read at a block. */
export async function readPools(
  rpc: Rpc,
  blockHash: Hex,
  pools: readonly Pool<null>[],
): Promise<readonly Pool<AmbientState>[]> {
  const [states] = await runReads(rpc, { blockHash }, [ambient.readStates(ambientRow(pools[0]!.address), pools)])
  return pools.flatMap((pool, i) => {
    const state = (states as readonly (AmbientState | null)[])[i]
    return state ? [{ ...pool, state }] : []
  })
}

/** A node with the dex and pools of all kinds: by their price, fee, liquidity and levels, with native token or without. */
export async function startAmbient(deployment: DeployedCode, seed: number): Promise<PoolWorld> {
  const r = random(seed)
  const node = await startNode()
  await node.place(deployment, sceneWith(deployment, DEX))
  const unreadPools: Pool<null>[] = []
  for (let k = 0; k < POOLS; k++) {
    const coins = [await node.coin([DEX]), await node.coin([DEX])]
    const sorted = coins.map(({ address }) => address).sort() as [Address, Address]
    unreadPools.push(await standPool(node.ask, DEX, k % 4 === 0 ? [ZERO_ADDRESS, sorted[1]] : sorted, randomState(r)))
  }
  await node.ask('anvil_setBalance', [DEX, word(PLENTY << 8n)])
  return worldOf(node, 'ambient', ambientRow(DEX), unreadPools)
}

/** Most positions of a pool; half of them end where words of the bitmap do, or within a few ticks of it. */
const MAX_POSITIONS = 8
const WORD = 256

function randomState(r: Random): AmbientState {
  const tick = r.integer(200_000) - 100_000
  const at = rootAtTick(tick)
  // Now and then the first price of its tick.
  const priceRoot = r.integer(4) === 0 ? at : at + ((rootAtTick(tick + 1) - at) * BigInt(r.integer(1000))) / 1000n
  const levels = new Map<number, { bid: bigint; ask: bigint }>()
  let concLiq = 0n
  const bound = () => {
    const place = tick + Math.floor((r.integer(2001) - 1000) * 2 ** r.integer(6))
    return r.integer(2) === 0 ? place : Math.round(place / WORD) * WORD + (r.integer(3) - 1)
  }
  for (let n = r.integer(MAX_POSITIONS + 1); n > 0; n--) {
    const [lower, upper] = [bound(), bound()].sort((a, b) => a - b) as [number, number]
    if (lower === upper) continue
    const lots = r.amount(8, 66) << 1n
    const add = (index: number, bid: bigint, askLots: bigint) => {
      const before = levels.get(index) ?? { bid: 0n, ask: 0n }
      levels.set(index, { bid: before.bid + bid, ask: before.ask + askLots })
    }
    add(lower, lots, 0n)
    add(upper, 0n, lots)
    if (lower <= tick && tick < upper) concLiq += lots << 10n
  }
  const sorted = [...levels].sort(([a], [b]) => a - b).map(([index, { bid, ask }]): AmbientLevel => [index, bid, ask])
  return {
    feeRate: BigInt(r.integer(10_000)),
    protocolTake: BigInt(r.pick([0, 0, 64, 255])),
    priceRoot,
    ambientSeeds: levels.size > 0 && r.integer(4) === 0 ? 0n : r.amount(20, 84),
    concLiq,
    seedDeflator: r.amount(1, 50),
    concGrowth: r.amount(1, 50),
    levels: sorted,
  }
}
