/**
 * Pools of Fluid's deployed code on Ethereum (BUSL-1.1) between USDC and the native token, on its Liquidity layer: prices, ranges and fees are
 * written into their storage, what they lend and owe into that of Liquidity.
 */
import { type DexRow, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import type { FluidDexState } from '../../src/dexes/fluid-dex/types.ts'
import type { Pool } from '../../src/index.ts'
import { type Random, random } from '../random.ts'
import {
  addressAt,
  codeAt,
  type DeployedCode,
  type Node,
  sceneWith,
  slotOf,
  startNode,
  withImmutables,
  worldOf,
} from './deployed.ts'
import { PLENTY, type PoolWorld, word } from './world.ts'

const POOL = toAddress('0x836951eb21f3df98273517b7249dceff270d34bf')
const LIQUIDITY = toAddress('0x52aa899454998be5b000ad077a46bbe360f4e497')
const USDC = toAddress('0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48')
const NATIVE = toAddress('0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee')
const ROW: DexRow = { family: 'fluid-dex', brand: 'Fluid', role: 'resolver', address: POOL }
const POOLS = 24
/** Mappings of Liquidity, by token; supply and debt by user first. */
const MAPS = { rates: 6, totals: 7, supply: 8, debt: 9 }
/** Rates by use, in hundredths of a percent: none at zero, 5 % where 80 % are lent, 10 % where all are. */
const RATES = 1n | (8_000n << 20n) | (500n << 36n) | (1_000n << 52n)
/** Limits beyond any amount: ten bits, shifted by 100. */
const NO_LIMIT = (1_023n << 8n) | 100n
/** Growth of limits, as code divides by their duration: 20 % in half a day. */
const GROWTH = (2_000n << 162n) | (43_200n << 176n)
const FEES = [0n, 1n, 50n, 500n, 1_000n, 10_000n]
/** Ranges in millionths. */
const RANGES = [1_000n, 10_000n, 50_000n, 200_000n]
const ONE = 10n ** 27n
const TRADED_AT = BigInt(Date.UTC(2026, 2, 10) / 1_000)
/** Bits of what Liquidity holds of each, half of it lent: more than all pools here, and so little that 56 bits count a small swap. */
const TOTALS = [
  [USDC, 58n],
  [NATIVE, 86n],
] as const
/** Price of token 0 in token 1, as in the recorded pool. */
const PRICE = 485n * 10n ** 21n

/** A number as a coefficient of so many bits and an exponent of 8. */
function packed(value: bigint, bits: number): bigint {
  const exponent = Math.max(0, value.toString(2).length - bits)
  return ((value >> BigInt(exponent)) << 8n) | BigInt(exponent)
}

export async function startFluidDex(deployment: DeployedCode, seed: number): Promise<PoolWorld> {
  const r = random(seed)
  const node = await startNode()
  const scene = sceneWith(deployment, POOL, LIQUIDITY)
  await node.place(deployment, scene)
  await node.coin([LIQUIDITY], 6, USDC)
  await node.ask('anvil_setBalance', [LIQUIDITY, word(PLENTY << 8n)])
  for (const [token, bits] of TOTALS) {
    await node.write(LIQUIDITY, [
      [slotOf(token, MAPS.rates), RATES],
      [slotOf(token, MAPS.totals), packed(1n << bits, 56) | (packed(1n << (bits - 1n), 56) << 128n)],
    ])
  }
  const code = codeAt(deployment, scene, POOL)
  const unreadPools: Pool<null>[] = []
  for (let k = 0; k < POOLS; k++) {
    const address = addressAt(k)
    const places = (user: typeof POOL) =>
      [MAPS.supply, MAPS.debt].flatMap((map) => [USDC, NATIVE].map((token) => slotOf(token, slotOf(user, map))))
    const [was, is] = [places(POOL), places(address)]
    await node.ask('anvil_setCode', [
      address,
      withImmutables(
        code,
        was.map((slot, i) => [slot, is[i]!] as const),
      ),
    ])
    const { settings, center } = randomSettings(r, BigInt(scene[POOL]!.storage!['0x1']!))
    await node.write(address, [
      [0, pricesOf(center, center)],
      [1, settings],
    ])
    await writeUser(node, r, is, center)
    unreadPools.push({
      id: address,
      family: 'fluid-dex',
      dex: 'test',
      address,
      tokens: [USDC, ZERO_ADDRESS],
      state: null,
    })
  }
  const world = await worldOf(node, 'fluid-dex', ROW, unreadPools)
  // Now that its curves are known: as if it had been traded in at a price not far from theirs.
  for (const { address, state } of world.pools()) {
    const { collateral, debt, centerPrice } = state as FluidDexState
    const [first, second] = (collateral ?? debt)!.imaginary
    const price = first === 0n ? centerPrice : (((second * ONE) / first) * BigInt(960 + r.integer(81))) / 1_000n
    await node.write(address, [[0, pricesOf(price, centerPrice)]])
  }
  await node.ask('evm_mine')
  await world.sync()
  return world
}

/** Last price but one, last price and centre price, and when it was traded in. */
function pricesOf(price: bigint, center: bigint): bigint {
  const [last, middle] = [packed(price, 32), packed(center, 32)]
  return (last << 1n) | (last << 41n) | (middle << 81n) | (TRADED_AT << 121n)
}

/** Recorded settings with others in place of some, and a centre price. */
function randomSettings(r: Random, recorded: bigint) {
  const curves = r.pick([1n, 2n, 3n, 3n])
  const [upper, lower] = [r.pick(RANGES), r.pick(RANGES)]
  const center = (PRICE * r.amount(8, 16)) / 4_096n
  const fields: readonly (readonly [at: number, bits: number, value: bigint])[] = [
    [0, 2, curves],
    [2, 17, r.pick(FEES)],
    // The protocol's percentage of it.
    [19, 7, r.pick([0n, 10n, 100n])],
    [27, 20, upper],
    [47, 20, lower],
    // Bounds of the centre price.
    [172, 28, packed(1n << 140n, 20)],
    [200, 28, packed(1n, 20)],
  ]
  const settings = fields.reduce(
    (all, [at, bits, value]) => (all & ~(((1n << BigInt(bits)) - 1n) << BigInt(at))) | (value << BigInt(at)),
    recorded,
  )
  return { settings, center }
}

/** Writes supply and debt of both tokens: of about the same worth, now and then far from it. */
async function writeUser(node: Node, r: Random, slots: readonly bigint[], price: bigint): Promise<void> {
  const worth = r.amount(44, 68)
  for (const [i, slot] of slots.entries()) {
    const isDebt = i >= 2
    // From 12 decimals, in which prices are, to 6 and 18.
    const whole = i % 2 === 0 ? worth / 10n ** 6n : ((worth * price) / ONE) * 10n ** 6n
    const amount = ((whole * r.amount(5, 8)) / 128n) >> BigInt(r.integer(5) === 0 ? r.integer(12) : 0)
    const limits = isDebt ? (NO_LIMIT << 200n) | (NO_LIMIT << 218n) : NO_LIMIT << 200n
    await node.write(LIQUIDITY, [[slot, 1n | (packed(amount, 56) << 1n) | GROWTH | limits]])
  }
}
