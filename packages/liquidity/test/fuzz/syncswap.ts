/** Classic and stable pools of SyncSwap's deployed code on Linea (AGPL-3.0), with their vault, master and fee manager. */
import { type Address, type DexRow, type Hex, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import type { Pool } from '../../src/index.ts'
import { type Random, random } from '../random.ts'
import {
  addressAt,
  codeAt,
  type DeployedCode,
  sceneWith,
  slotOf,
  startNode,
  withImmutables,
  worldOf,
} from './deployed.ts'
import { PLENTY, type PoolWorld, TRADER, word } from './world.ts'

const VAULT = toAddress('0x7160570bb153edd0ea1775ec2b2ac9b65f1ab61b')
const FEES = toAddress('0x12af3ec993ec5d5bd789b3e989c9e95a2f6c586d')
const CLASSIC = toAddress('0x3fd45324ec8b1122d8d3dcd9025f0fdf34c11dae')
const STABLE = toAddress('0x258d5f860b11ec73ee200eb14f1b60a3b7a536a2')
/** Tokens that the code of these pools names; WETH is the wrapper that the vault unwraps. */
const CLASSIC_TOKEN = toAddress('0x4af15ec2a0bd43db75dd04e62faa3b8ef36b00d5')
const WETH = toAddress('0xe5d7c2a44ffddf6b295a15c148167daaaf5cf34f')
const STABLE_TOKENS = [
  toAddress('0x176211869ca2b568f2a7d4ee941e073a821ee1ff'),
  toAddress('0xa219439258ca9da29e9cc4ce5596924745e12b93'),
] as const
const ROW: DexRow = { family: 'syncswap-classic', brand: 'SyncSwap', role: 'factory', address: VAULT }
const POOLS = 24

const SLOTS = { pool: { lock: 8, reserve0: 9, reserve1: 10 }, vault: { balances: 4, reserves: 5 }, fees: 2, weth: 3 }
/** Hundred-thousandths; all ones stand for no fee at all. */
const FEE_VALUES = [1n, 10n, 40n, 200n, 300n, 1_234n, 10_000n, 0xffffffn]
/** 10^6, as in the code of the pool that is given. */
const SIX_DECIMALS = 10n ** 12n
const DECIMALS = [6, 6, 8, 18, 18]
/**
 * Which multiplier stands at each place, as solc lays the source out: getters, the checks of both reserves, the invariant, then the output
 * of an amount (both reserves, the amount and the output of the one direction, and of the other).
 */
const MULTIPLIERS = [1, 0, 0, 1, 0, 1, 0, 1, 0, 1, 1, 0] as const

export async function startSyncswap(deployment: DeployedCode, seed: number): Promise<PoolWorld> {
  const r = random(seed)
  const node = await startNode()
  const [classic, stable] = [sceneWith(deployment, CLASSIC, VAULT), sceneWith(deployment, STABLE, VAULT)]
  await node.place(deployment, classic)
  await node.ask('anvil_setBalance', [WETH, word(PLENTY << 8n)])
  await node.write(WETH, [[slotOf(TRADER, SLOTS.weth), PLENTY << 8n]])
  let wrapped = 0n
  const unreadPools: Pool<null>[] = []
  for (let k = 0; k < POOLS; k++) {
    const address = addressAt(k)
    const isStable = k % 2 === 0
    const decimals = [r.pick(DECIMALS), r.pick(DECIMALS)] as const
    const coins = [await node.coin([], decimals[0]), k % 4 === 1 ? null : await node.coin([], decimals[1])] as const
    const tokens = [coins[0].address, coins[1]?.address ?? WETH] as const
    const code = isStable
      ? stableCode(codeAt(deployment, stable, STABLE), tokens, decimals)
      : classicCode(codeAt(deployment, classic, CLASSIC), tokens)
    await node.ask('anvil_setCode', [address, code])
    const reserves = isStable ? stableReserves(r, decimals) : [r.amount(4, 96), r.amount(4, 96)]
    await node.write(address, [
      [SLOTS.pool.lock, 1n],
      [SLOTS.pool.reserve0, reserves[0]!],
      [SLOTS.pool.reserve1, reserves[1]!],
    ])
    for (const [i, token] of tokens.entries()) {
      const coin = coins[i]
      // The vault counts the wrapper as what it unwraps it to, for all pools together.
      if (!coin) wrapped += reserves[i]!
      const [key, total] = coin ? [token, reserves[i]!] : [ZERO_ADDRESS, wrapped]
      await node.write(VAULT, [
        [slotOf(address, slotOf(key, SLOTS.vault.balances)), reserves[i]!],
        [slotOf(key, SLOTS.vault.reserves), total],
      ])
      if (coin) await coin.send('mint', [VAULT, total])
      else await node.ask('anvil_setBalance', [VAULT, word(total)])
      const fee = slotOf(tokens[1 - i]!, slotOf(token, SLOTS.fees))
      await node.write(FEES, [[fee, r.pick(FEE_VALUES)]])
    }
    unreadPools.push({ id: address, family: 'syncswap', dex: 'test', address, tokens, state: null })
  }
  return worldOf(node, 'syncswap', ROW, unreadPools)
}

const classicCode = (code: Hex, [token0, token1]: readonly [Address, Address]) =>
  withImmutables(code, [
    [BigInt(CLASSIC_TOKEN), BigInt(token0)],
    [BigInt(WETH), BigInt(token1)],
  ])

function stableCode(code: Hex, tokens: readonly [Address, Address], decimals: readonly [number, number]): Hex {
  const multipliers = decimals.map((count) => 10n ** BigInt(18 - count))
  return withImmutables(code, [
    [BigInt(STABLE_TOKENS[0]), BigInt(tokens[0])],
    [BigInt(STABLE_TOKENS[1]), BigInt(tokens[1])],
    [SIX_DECIMALS, MULTIPLIERS.map((i) => multipliers[i]!)],
  ])
}

/** Mostly as many of both; now and then far from it, or next to nothing. */
function stableReserves(r: Random, decimals: readonly [number, number]): readonly bigint[] {
  if (r.integer(6) === 0) return [r.amount(1, 12), r.amount(1, 12)]
  const whole = r.amount(4, 58)
  return decimals.map((count) => {
    const reserve = (whole * 10n ** BigInt(count) * r.amount(4, 8)) / 64n
    return (r.integer(4) === 0 ? reserve >> BigInt(r.integer(40)) : reserve) + 1n
  })
}
