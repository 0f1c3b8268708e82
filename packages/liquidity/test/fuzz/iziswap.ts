/** Pools of iZiSwap's deployed code (BUSL-1.1), which has no immutables: positions and limit orders are written into their storage. */
import { type Address, type DexRow, toAddress } from '@sluice/chains'
import type { IziswapState, LiquidityPoint } from '../../src/dexes/iziswap/types.ts'
import type { Pool } from '../../src/index.ts'
import { sqrtRatioAtTick } from '../../src/math/ticks.ts'
import { type Random, random } from '../random.ts'
import { addressAt, codeAt, type DeployedCode, sceneWith, slotOf, startNode, worldOf } from './deployed.ts'
import type { PoolWorld } from './world.ts'

/** A pool of Linea whose code the others have, and the modules that it delegates to. */
const POOL = toAddress('0x564e52bbdf3adf10272f3f33b00d65b2ee48afff')
const MODULES = {
  swapX2Y: toAddress('0x88867bf3bb3321d8c7da71a8eab70680037068e4'),
  swapY2X: toAddress('0xb8ddafe7385a962a4515821248368823e93fa61f'),
  liquidity: toAddress('0x77ab297da4f3667059ef0c32f5bc657f1006cbb0'),
}
const ROW: DexRow = { family: 'iziswap', brand: 'iZiSwap', role: 'factory', address: POOL }
const POOLS = 24
const MAX_POSITIONS = 6
const MAX_ORDERS = 6
/** Fees in parts per million with the spacing of points. */
const KINDS = [
  [100, 1],
  [400, 8],
  [500, 10],
  [2_000, 40],
  [3_000, 60],
  [10_000, 200],
] as const
const FARTHEST = 800_000
const WORD = 256
/** √1.0001, 96 fractional bits. */
const SQRT_RATE = 0x1000346d6ff11672ae55ad010n
/** An observation of 2025, before any block of a node: the pool's oracle does not run backwards. */
const OBSERVATION = 1_735_689_600n | (1n << 88n)
const CHARGE_PERCENT = 50n

type Words = (readonly [slot: bigint | number, value: bigint])[]
const signed = (bits: number, value: number | bigint) => BigInt.asUintN(bits, BigInt(value))
const SLOTS = { bitmap: 10, points: 11, kinds: 12, orders: 13 }

export async function startIziswap(deployment: DeployedCode, seed: number): Promise<PoolWorld> {
  const r = random(seed)
  const node = await startNode()
  const scene = sceneWith(deployment, POOL, ...Object.values(MODULES))
  await node.place(deployment, scene)
  const code = codeAt(deployment, scene, POOL)
  const unreadPools: Pool<null>[] = []
  for (let k = 0; k < POOLS; k++) {
    const address = addressAt(k)
    const coins = [await node.coin([address]), await node.coin([address])]
    const tokens = coins.map((coin) => coin.address).sort() as [Address, Address]
    await node.ask('anvil_setCode', [address, code])
    await node.write(address, wordsOf(address, tokens, randomState(r)))
    unreadPools.push({ id: address, family: 'iziswap', dex: 'test', address, tokens, state: null })
  }
  return worldOf(node, 'iziswap', ROW, unreadPools)
}

function wordsOf(address: Address, [tokenX, tokenY]: readonly [Address, Address], state: IziswapState): Words {
  const { feePpm, pointDelta, point, sqrtPriceX96, liquidity, liquidityX, points } = state
  const edge = Math.trunc(FARTHEST / pointDelta) * pointDelta
  const maxLiquidity = ((1n << 128n) - 1n) / BigInt((2 * edge) / pointDelta + 1)
  const words: Words = [
    [0, signed(24, -edge) | (signed(24, edge) << 24n) | (maxLiquidity << 48n)],
    [1, 1n],
    [2, BigInt(tokenX)],
    [3, BigInt(tokenY) | (BigInt(feePpm) << 160n) | (BigInt(pointDelta) << 184n)],
    [6, SQRT_RATE],
    // One observation, which is the last of one.
    [7, sqrtPriceX96 | (signed(24, point) << 160n) | (1n << 200n) | (1n << 216n)],
    [8, liquidity | (liquidityX << 128n)],
    [16, OBSERVATION],
    [0x10011, BigInt(address)],
    [0x10012, BigInt(MODULES.swapX2Y)],
    [0x10013, BigInt(MODULES.swapY2X)],
    [0x10014, BigInt(MODULES.liquidity)],
    [0x10016, CHARGE_PERCENT << 160n],
  ]
  const bitmap = new Map<number, bigint>()
  for (const { point, endpoint, order, liquidityNet, sellingX, sellingY } of points) {
    const place = point / pointDelta
    const index = Math.floor(place / WORD)
    bitmap.set(index, (bitmap.get(index) ?? 0n) | (1n << BigInt(place - index * WORD)))
    words.push([slotOf(BigInt(place), SLOTS.kinds), (endpoint ? 1n : 0n) | (order ? 2n : 0n)])
    const at = slotOf(BigInt(point), SLOTS.points)
    // The sum of liquidity is not looked at by swaps, but must not be zero.
    if (endpoint) words.push([at, 1n | (signed(128, liquidityNet) << 128n)], [at + 3n, 1n])
    const orders = slotOf(BigInt(point), SLOTS.orders)
    if (order) words.push([orders, sellingX], [orders + 3n, sellingY << 128n])
  }
  for (const [index, bits] of bitmap) words.push([slotOf(BigInt(index), SLOTS.bitmap), bits])
  return words
}

/** Positions near the price and far from it, half of them ending where words of the bitmap do; orders on their own side of the price. */
function randomState(r: Random): IziswapState {
  const [feePpm, pointDelta] = r.pick(KINDS)
  const around = r.integer(4) === 0 ? 600_000 : 60_000
  const point = r.integer(4) === 0 ? r.integer(around / pointDelta) * pointDelta : r.integer(2 * around) - around
  const nets = new Map<number, bigint>()
  let liquidity = 0n
  const edge = Math.trunc(FARTHEST / pointDelta)
  const bound = () => {
    const near = Math.round(point / pointDelta) + Math.floor((r.integer(41) - 20) * 2 ** r.integer(7))
    const place = r.integer(2) === 0 ? near : Math.round(near / WORD) * WORD + (r.integer(3) - 1)
    return Math.max(-edge, Math.min(edge, place)) * pointDelta
  }
  for (let n = 1 + r.integer(MAX_POSITIONS); n > 0; n--) {
    const [lower, upper] = [bound(), bound()].sort((a, b) => a - b) as [number, number]
    if (lower === upper) continue
    const amount = r.amount(12, 90)
    nets.set(lower, (nets.get(lower) ?? 0n) + amount)
    nets.set(upper, (nets.get(upper) ?? 0n) - amount)
    if (lower <= point && point < upper) liquidity += amount
  }
  const orders = new Map<number, readonly [bigint, bigint]>()
  for (let n = r.integer(MAX_ORDERS + 1); n > 0; n--) {
    const place = bound()
    const amount = r.amount(4, 80)
    orders.set(place, place > point || (place === point && r.integer(2) === 0) ? [amount, 0n] : [0n, amount])
  }
  const points = [...new Set([...nets.keys(), ...orders.keys()])]
    .sort((a, b) => a - b)
    .map((point): LiquidityPoint => {
      const [sellingX, sellingY] = orders.get(point) ?? [0n, 0n]
      const liquidityNet = nets.get(point) ?? 0n
      return { point, endpoint: nets.has(point), order: orders.has(point), liquidityNet, sellingX, sellingY }
    })
  const liquidityX = r.pick([0n, liquidity, (liquidity * BigInt(r.integer(1_001))) / 1_000n])
  return { sqrtPriceX96: sqrtRatioAtTick(point), point, liquidity, liquidityX, feePpm, pointDelta, points }
}
