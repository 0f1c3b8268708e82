/** Pairs of KyberSwap Classic's deployed code on Ethereum (BUSL-1.1), whose tokens, reserves and volume are in their storage. */
import { type Address, type DexRow, toAddress } from '@sluice/chains'
import type { Pool } from '../../src/index.ts'
import { random } from '../random.ts'
import { addressAt, codeAt, type DeployedCode, sceneWith, startNode, worldOf } from './deployed.ts'
import type { PoolWorld } from './world.ts'

/** A pair whose code the others have. */
const PAIR = toAddress('0x1cf68bbc2b6d3c6cfe1bd3590cf0e10b06a05f17')
const ROW: DexRow = { family: 'kyber-classic', brand: 'KyberSwap Classic', role: 'factory', address: PAIR }
const POOLS = 24
/** Blocks that volumes may lie back: the averages go over 5,400 and 10,800. */
const BLOCKS = 20_000
const SLOTS = { lock: 8, averages: 9, volume: 10, token0: 12, token1: 13, reserves: 14, virtual: 15 }
/** Amplifications, in ten-thousandths; one by one the virtual reserves are the real ones, which code reads from another slot. */
const AMPLIFICATIONS = [10_000n, 10_000n, 15_000n, 20_000n, 100_000n, 500_000n]
const UNAMPLIFIED = 10_000n
const MAX_RESERVE = (1n << 112n) - 1n

export async function startKyberClassic(deployment: DeployedCode, seed: number): Promise<PoolWorld> {
  const r = random(seed)
  const node = await startNode(['--number', String(BLOCKS)])
  const code = codeAt(deployment, sceneWith(deployment, PAIR), PAIR)
  const unreadPools: Pool<null>[] = []
  for (let k = 0; k < POOLS; k++) {
    const address = addressAt(k)
    const coins = [await node.coin([]), await node.coin([])]
    coins.sort((a, b) => (a.address < b.address ? -1 : 1))
    const tokens = coins.map((coin) => coin.address) as [Address, Address]
    const amplification = r.pick(AMPLIFICATIONS)
    const reserves = [r.amount(10, 104), r.amount(10, 104)] as const
    // Amplified ones have moved since, both their own way.
    const virtual = reserves.map((reserve) => {
      if (amplification === UNAMPLIFIED) return 0n
      const amplified = (reserve * amplification) / UNAMPLIFIED
      return min(amplified + (amplified * BigInt(r.integer(100))) / 100n, MAX_RESERVE)
    })
    const long = r.amount(1, 100)
    const short = r.integer(4) === 0 ? 0n : (long * r.amount(1, 9)) / 64n
    const height = BigInt(await node.ask<string>('eth_blockNumber'))
    await node.ask('anvil_setCode', [address, code])
    await node.write(address, [
      [SLOTS.lock, 1n],
      [SLOTS.averages, short | (long << 128n)],
      [
        SLOTS.volume,
        r.amount(1, 100) | ((height - BigInt(r.integer(2) === 0 ? r.integer(10) : r.integer(BLOCKS))) << 128n),
      ],
      [SLOTS.token0, BigInt(tokens[0])],
      [SLOTS.token1, BigInt(tokens[1])],
      [SLOTS.reserves, reserves[0] | (reserves[1] << 112n) | (amplification << 224n)],
      [SLOTS.virtual, virtual[0]! | (virtual[1]! << 112n)],
    ])
    for (const [i, coin] of coins.entries()) await coin.send('mint', [address, reserves[i]!])
    unreadPools.push({ id: address, family: 'kyber-classic', dex: 'test', address, tokens, state: null })
  }
  return worldOf(node, 'kyber-classic', ROW, unreadPools)
}

const min = (a: bigint, b: bigint) => (a < b ? a : b)
