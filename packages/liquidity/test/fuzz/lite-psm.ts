/** Modules of LitePSM's deployed code on Ethereum (AGPL-3.0), each between two tokens of ours and with a pocket of its own. */
import { type DexRow, toAddress } from '@sluice/chains'
import type { Pool } from '../../src/index.ts'
import { random } from '../random.ts'
import { addressAt, codeAt, type DeployedCode, sceneWith, startNode, withImmutables, worldOf } from './deployed.ts'
import type { PoolWorld } from './world.ts'

const PSM = toAddress('0xf6e72db5454dd049d0788e411b06cfaf16853042')
/** Immutables of its code: both tokens, who holds the gems, and 10^12 for a gem of 6 decimals. */
const GEM = 0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48n
const DAI = 0x6b175474e89094c44da98b954eedeac495271d0fn
const POCKET = 0x37305b1cd40574e4c5ce33f8e8306be057fd7341n
const FACTOR = 10n ** 12n
const ROW: DexRow = { family: 'lite-psm', brand: 'LitePSM', role: 'psm', address: PSM }
const POOLS = 24
const SLOTS = { tin: 3, tout: 4 }
const WAD = 10n ** 18n
const HALTED = (1n << 256n) - 1n
const FEES = [0n, 0n, 0n, 1n, 1n, 10n ** 14n, 10n ** 15n, 333_333_333_333_333_333n, WAD, HALTED]
const DECIMALS = [2, 6, 6, 8, 18]

export async function startLitePsm(deployment: DeployedCode, seed: number): Promise<PoolWorld> {
  const r = random(seed)
  const node = await startNode()
  const code = codeAt(deployment, sceneWith(deployment, PSM), PSM)
  const unreadPools: Pool<null>[] = []
  for (let k = 0; k < POOLS; k++) {
    const [address, pocket] = [addressAt(2 * k), addressAt(2 * k + 1)]
    const decimals = r.pick(DECIMALS)
    const [gem, dai] = [await node.coin([], decimals), await node.coin([])]
    const immutables = [
      [GEM, BigInt(gem.address)],
      [DAI, BigInt(dai.address)],
      [POCKET, BigInt(pocket)],
      [FACTOR, 10n ** BigInt(18 - decimals)],
    ] as const
    await node.ask('anvil_setCode', [address, withImmutables(code, immutables)])
    await node.write(address, [
      [SLOTS.tin, r.pick(FEES)],
      [SLOTS.tout, r.pick(FEES)],
    ])
    await gem.send('give', [pocket, address])
    // Mostly about as much of both.
    const gems = r.amount(decimals, decimals + 52)
    const daiBalance = k % 6 === 0 ? r.amount(1, 100) : (gems * 10n ** BigInt(18 - decimals) * r.amount(3, 8)) / 16n
    await gem.send('mint', [pocket, gems])
    await dai.send('mint', [address, daiBalance])
    unreadPools.push({
      id: address,
      family: 'lite-psm',
      dex: 'test',
      address,
      tokens: [gem.address, dai.address],
      state: null,
    })
  }
  return worldOf(node, 'lite-psm', ROW, unreadPools)
}
