/** Pairs of Echodex's deployed code on Linea, which has no immutables: tokens and reserves are in their storage. */
import { type Address, type DexRow, toAddress } from '@sluice/chains'
import type { Pool } from '../../src/index.ts'
import { random } from '../random.ts'
import { addressAt, codeAt, type DeployedCode, sceneWith, startNode, worldOf } from './deployed.ts'
import type { PoolWorld } from './world.ts'

/** A pair whose code the others have, their factory, and the token of which pairs hold fees. */
const PAIR = toAddress('0x530249c35d65b8e141785dcbf041fc46b8158da0')
const FACTORY = toAddress('0x6d1063f2187442cc9adbfad2f55a96b846fcb399')
const FEE_TOKEN = toAddress('0x9201f3b9dfab7c13cd659ac5695d12d605b5f1e6')
const ROW: DexRow = { family: 'echodex', brand: 'Echodex', role: 'factory', address: FACTORY }
const POOLS = 24
/** Pools of the fee token. */
const FEE_POOLS = 3
const SLOTS = { factory: 4, token0: 5, token1: 6, reserves: 7, totalFee: 10, currentFee: 11, lock: 12 }
const TIME = 1_735_689_600n

export async function startEchodex(deployed: DeployedCode, seed: number): Promise<PoolWorld> {
  const r = random(seed)
  const node = await startNode()
  const scene = sceneWith(deployed, PAIR, FACTORY)
  await node.place(deployed, scene)
  const code = codeAt(deployed, scene, PAIR)
  const pools: Pool<null>[] = []
  for (let k = 0; k < POOLS; k++) {
    const address = addressAt(k)
    const holdsFees = k < FEE_POOLS
    const coins = [await node.coin([]), await node.coin([], 18, holdsFees ? FEE_TOKEN : undefined)]
    coins.sort((a, b) => (a.address < b.address ? -1 : 1))
    const tokens = coins.map((coin) => coin.address) as [Address, Address]
    const reserves = [r.amount(10, 104), r.amount(10, 104)] as const
    const fees = holdsFees ? r.amount(10, 60) : 0n
    await node.ask('anvil_setCode', [address, code])
    await node.write(address, [
      [SLOTS.factory, BigInt(FACTORY)],
      [SLOTS.token0, BigInt(tokens[0])],
      [SLOTS.token1, BigInt(tokens[1])],
      [SLOTS.reserves, reserves[0] | (reserves[1] << 112n) | (TIME << 224n)],
      [SLOTS.totalFee, fees],
      [SLOTS.currentFee, fees],
      [SLOTS.lock, 1n],
    ])
    for (const [i, coin] of coins.entries())
      await coin.send('mint', [address, reserves[i]! + (coin.address === FEE_TOKEN ? fees : 0n)])
    pools.push({ id: address, family: 'echodex', dex: 'test', address, tokens, state: null })
  }
  return worldOf(node, 'echodex', ROW, pools)
}
