/** Pools of Horizondex's deployed code on Linea, whose settings are immutables: positions and reinvested fees are written into their storage. */
import { type Address, type DexRow, type Hex, toAddress } from '@sluice/chains'
import type { KyberElasticState } from '../../src/dexes/kyber-elastic/types.ts'
import type { Pool } from '../../src/index.ts'
import { MAX_TICK, MIN_TICK, sqrtRatioAtTick, tickAtSqrtRatio } from '../../src/math/ticks.ts'
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
import type { PoolWorld } from './world.ts'

/** A pool of Linea, what its code names, and the code of the oracle. */
const POOL = toAddress('0xe2df725e44ab983e8513ecfc9c3e13bc21ea867e')
const TOKENS = ['0x7d43aabc515c356145049227cee54b608342c0ad', '0xe5d7c2a44ffddf6b295a15c148167daaaf5cf34f'].map(BigInt)
const FEE_UNITS = 300n
const TICK_SPACING = 60n
const FACTORY = toAddress('0x9fe607e5dcd0ea318dbb4d8a7b04fa553d6cb2c5')
const ORACLE = toAddress('0x79756d90a882a1621ec35723849dac785694d93a')
const ORACLE_CODE = toAddress('0xa749ad81913cdc19881ebeb64631df72be708335')
const ROW: DexRow = { family: 'kyber-elastic', brand: 'Horizondex', role: 'factory', address: FACTORY }
const POOLS = 32
const MAX_POSITIONS = 8
/** Fees in parts per million with the spacing of ticks. */
const KINDS = [
  [80, 1],
  [400, 8],
  [3_000, 60],
  [10_000, 200],
  [50_000, 200],
] as const
const SLOTS = { ticks: 0, links: 1, price: 3, liquidity: 4, reinvestedLast: 5, feeGrowth: 6, time: 7, supply: 10 }
/** Seconds of 2025, before any block of a node. */
const UPDATED = 1_735_689_600n
/** Liquidity of a new pool. */
const MIN_LIQUIDITY = 100n
const UNLOCK = [
  {
    type: 'function',
    name: 'unlockPool',
    stateMutability: 'nonpayable',
    inputs: [{ name: 'initialSqrtP', type: 'uint160' }],
    outputs: [],
  },
]

type Words = (readonly [slot: bigint | number, value: bigint])[]
const signed = (bits: number, value: number | bigint) => BigInt.asUintN(bits, BigInt(value))

export async function startKyberElastic(deployed: DeployedCode, seed: number): Promise<PoolWorld> {
  const r = random(seed)
  const node = await startNode()
  const scene = sceneWith(deployed, POOL, FACTORY, ORACLE, ORACLE_CODE)
  await node.place(deployed, scene)
  const code = codeAt(deployed, scene, POOL)
  const pools: Pool<null>[] = []
  for (let k = 0; k < POOLS; k++) {
    const address = addressAt(k)
    const coins = [await node.coin([address]), await node.coin([address])]
    const tokens = coins.map((coin) => coin.address).sort() as [Address, Address]
    const state = randomState(r)
    await node.ask('anvil_setCode', [address, codeOf(code, tokens, state)])
    // Registers the pool with its oracle.
    await node.builder.contractAt(UNLOCK as never, address).send('unlockPool', [state.sqrtPriceX96])
    await node.write(address, wordsOf(r, state))
    pools.push({ id: address, family: 'kyber-elastic', dex: 'test', address, tokens, state: null })
  }
  return worldOf(node, 'kyber-elastic', ROW, pools)
}

/** @returns the code of a pool of other tokens, and with another fee */
function codeOf(
  code: Hex,
  tokens: readonly [Address, Address],
  { feePpm, tickSpacing }: Pick<KyberElasticState, 'feePpm' | 'tickSpacing'>,
): Hex {
  return withImmutables(code, [
    [TOKENS[0]!, BigInt(tokens[0])],
    [TOKENS[1]!, BigInt(tokens[1])],
    [FEE_UNITS, BigInt(feePpm / 10)],
    [TICK_SPACING, BigInt(tickSpacing)],
  ])
}

function wordsOf(r: Random, state: KyberElasticState): Words {
  const { sqrtPriceX96, tick, liquidity, reinvestedLiquidity, ticks } = state
  const list = [MIN_TICK, ...ticks.map(([index]) => index), MAX_TICK]
  const nearest = list.findLast((index) => index <= tick)!
  // Fees since the last crossed tick, of which the pool has not minted shares yet.
  const unminted = r.pick([0n, reinvestedLiquidity / 3n, reinvestedLiquidity / 1_000n])
  const words: Words = [
    [SLOTS.price, sqrtPriceX96 | (signed(24, nearest) << 160n) | (signed(24, tick) << 184n)],
    [SLOTS.liquidity, liquidity | (reinvestedLiquidity << 128n)],
    [SLOTS.reinvestedLast, reinvestedLiquidity - unminted],
    [SLOTS.feeGrowth, r.amount(1, 100)],
    [SLOTS.time, r.amount(1, 90) | (UPDATED << 128n)],
    [SLOTS.supply, r.amount(7, 90)],
  ]
  for (const [index, net, gross] of ticks) {
    const at = slotOf(BigInt(index), SLOTS.ticks)
    words.push([at, gross! | (signed(128, net) << 128n)], [at + 1n, r.amount(1, 90)], [at + 2n, r.amount(1, 90)])
  }
  for (const [k, index] of list.entries()) {
    const [previous, next] = [list[k - 1] ?? MIN_TICK, list[k + 1] ?? MAX_TICK]
    words.push([slotOf(BigInt(index), SLOTS.links), signed(24, previous) | (signed(24, next) << 24n)])
  }
  return words
}

/**
 * Positions near the price and far from it, with fees that are a small or a large part of the liquidity. Some prices are near
 * the ends, which a swap reaches before it has taken the family's maximum number of steps.
 */
function randomState(r: Random): KyberElasticState {
  const [feePpm, tickSpacing] = r.pick(KINDS)
  const price = r.pick([
    r.integer(120_000) - 60_000,
    r.integer(120_000) - 60_000,
    r.integer(1_400_000) - 700_000,
    (MAX_TICK - 1_000 - r.integer(55_000)) * r.pick([-1, 1]),
  ])
  const nets = new Map<number, readonly [net: bigint, gross: bigint]>()
  const change = (index: number, by: bigint, amount: bigint) => {
    const [net, gross] = nets.get(index) ?? [0n, 0n]
    nets.set(index, [net + by, gross + amount])
  }
  let liquidity = 0n
  const edge = Math.floor((MAX_TICK - 1) / tickSpacing)
  const bound = () => {
    const near = Math.round(price / tickSpacing) + Math.floor((r.integer(41) - 20) * 2 ** r.integer(8))
    return Math.max(-edge, Math.min(edge, near)) * tickSpacing
  }
  for (let n = 1 + r.integer(MAX_POSITIONS); n > 0; n--) {
    const whole = r.integer(8) === 0
    const [lower, upper] = whole
      ? ([-edge * tickSpacing, edge * tickSpacing] as const)
      : ([bound(), bound()].sort((a, b) => a - b) as [number, number])
    if (lower === upper) continue
    const amount = r.amount(12, 90)
    change(lower, amount, amount)
    change(upper, -amount, amount)
    if (lower <= price && price < upper) liquidity += amount
  }
  const low = sqrtRatioAtTick(price)
  // Now and then the price of a tick, or next to it.
  const part = r.pick([0n, 1n, ((sqrtRatioAtTick(price + 1) - low) * BigInt(r.integer(1_000))) / 1_000n])
  const sqrtPriceX96 = low + part
  const reinvestedLiquidity = MIN_LIQUIDITY + r.pick([0n, liquidity / 1_000n, liquidity / 10n, r.amount(1, 90)])
  return {
    ...{ sqrtPriceX96, tick: tickAtSqrtRatio(sqrtPriceX96), liquidity, reinvestedLiquidity, feePpm, tickSpacing },
    ticks: [...nets].sort(([a], [b]) => a - b).map(([index, [net, gross]]) => [index, net, gross] as const),
    lowestTick: MIN_TICK,
    highestTick: MAX_TICK,
  }
}
