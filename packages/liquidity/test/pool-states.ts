/** Pools in many states: those of the known answers, random ones of every family that has none, and all of them after random swaps. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { toAddress } from '@sluice/chains'
import { configOf } from '../src/dexes/ekubo/config.ts'
import { ratioAtTick } from '../src/dexes/ekubo/ratio.ts'
import { familyOf, nullIfRefused, type Pool } from '../src/index.ts'
import type { ConcentratedState } from '../src/math/concentrated.ts'
import { sqrtRatioAtTick, tickAtSqrtRatio } from '../src/math/ticks.ts'
import { type Random, random } from './random.ts'
import { parseVectors } from './vectors/index.ts'
import { vectorReaders } from './vectors/run.ts'
import type { FormFile, Question, VectorFile } from './vectors/types.ts'

const VECTORS = join(import.meta.dirname, '../vectors')
const [FIRST, SECOND, ADDRESS] = ['1', '2', '3'].map((digit) => toAddress(`0x${digit.repeat(40)}`)) as [
  Pool['address'],
  Pool['address'],
  Pool['address'],
]
/** Third token of pools with three. */
const THIRD = toAddress(`0x${'4'.repeat(40)}`)
const ONE = 10n ** 18n
/** Random pools of a family. */
const POOLS = 40
/** Known states of a family that are taken at most: some collections have thousands that are alike. */
const MAX_KNOWN = 120

const poolOf = (family: string, state: unknown, fixed?: unknown): Pool => ({
  id: ADDRESS,
  family,
  dex: 'test',
  address: ADDRESS,
  tokens: [FIRST, SECOND],
  state,
  ...(fixed !== undefined && { fixed }),
})

const textOf = (value: unknown) => JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? `${one}n` : one))

/** All known answers. */
function knownAnswers(): readonly Question[] {
  const files: readonly (VectorFile | FormFile)[] = [
    ...readdirSync(VECTORS)
      .filter((name) => name.endsWith('.json'))
      .map((name) => JSON.parse(readFileSync(join(VECTORS, name), 'utf8')) as VectorFile),
    ...readdirSync(join(VECTORS, 'genuine')).map(
      (name) => parseVectors(gunzipSync(readFileSync(join(VECTORS, 'genuine', name))).toString('utf8'))!,
    ),
  ]
  return files.flatMap(vectorReaders).flatMap((ask) => {
    const question = ask()
    return 'skip' in question ? [] : [question]
  })
}

/** A way through a pool with known answers: the largest input that was accepted, and all that were refused. */
export type KnownWay = {
  readonly pool: Pool
  readonly tokenIn: Pool['address']
  readonly tokenOut: Pool['address']
  accepted: bigint
  readonly refused: bigint[]
}

/** Known answers by family and by way. */
export function knownWays(): ReadonlyMap<string, readonly KnownWay[]> {
  const byFamily = new Map<string, Map<string, KnownWay>>()
  for (const { pool, tokenIn, tokenOut, amountIn, amountOut } of knownAnswers()) {
    const ways = byFamily.get(pool.family) ?? new Map<string, KnownWay>()
    byFamily.set(pool.family, ways)
    const key = textOf([pool.state, pool.fixed, tokenIn, tokenOut])
    const way = ways.get(key) ?? { pool, tokenIn, tokenOut, accepted: 0n, refused: [] }
    ways.set(key, way)
    if (amountOut === null) way.refused.push(amountIn)
    else if (amountOut > 0n && amountIn > way.accepted) way.accepted = amountIn
  }
  return new Map([...byFamily].map(([family, ways]) => [family, [...ways.values()]]))
}

/** Pools of the known answers, by family; each state once. */
function knownPools(): ReadonlyMap<string, readonly Pool[]> {
  const byFamily = new Map<string, Map<string, Pool>>()
  for (const { pool } of knownAnswers()) {
    const states = byFamily.get(pool.family) ?? new Map<string, Pool>()
    states.set(textOf([pool.state, pool.fixed]), pool)
    byFamily.set(pool.family, states)
  }
  return new Map(
    [...byFamily].map(([family, states]) => {
      const all = [...states.values()]
      const step = Math.max(1, Math.ceil(all.length / MAX_KNOWN))
      return [family, all.filter((_, k) => k % step === 0)]
    }),
  )
}

/** Returns positions of any width, some adjacent and some with gaps between, and a price inside or outside of them. */
function concentrated(r: Random): ConcentratedState {
  const tickSpacing = r.pick([1, 10, 60, 200])
  const middle = (r.integer(4_001) - 2_000) * tickSpacing
  const reach = r.pick([4, 40, 400]) * tickSpacing
  const price = middle + Math.round((r.integer(2_001) / 1_000 - 1) * reach * 1.2)
  const net = new Map<number, bigint>()
  let liquidity = 0n
  for (let n = r.integer(6); n >= 0; n--) {
    const lower = middle + Math.floor(((r.integer(2_000) / 1_000 - 1) * reach) / tickSpacing) * tickSpacing
    const upper = lower + (1 + r.integer(Math.max(1, reach / tickSpacing))) * tickSpacing
    const added = r.amount(40, 90)
    net.set(lower, (net.get(lower) ?? 0n) + added)
    net.set(upper, (net.get(upper) ?? 0n) - added)
    if (lower <= price && price < upper) liquidity += added
  }
  if (r.integer(3) === 0) {
    const end = Math.floor(887_272 / tickSpacing) * tickSpacing
    const added = r.amount(40, 70)
    net.set(-end, (net.get(-end) ?? 0n) + added)
    net.set(end, (net.get(end) ?? 0n) - added)
    liquidity += added
  }
  const low = sqrtRatioAtTick(price)
  // Now and then the price of a tick, or next to it.
  const part = r.pick([
    0n,
    1n,
    r.amount(1, 60),
    ((sqrtRatioAtTick(price + 1) - low) * BigInt(r.integer(1_000))) / 1_000n,
  ])
  const sqrtPriceX96 = low + (part < sqrtRatioAtTick(price + 1) - low ? part : 0n)
  const ticks = [...net].filter(([, one]) => one !== 0n).sort(([a], [b]) => a - b)
  const feePpm = r.pick([0, 100, 3_000, 10_000])
  return { sqrtPriceX96, tick: tickAtSqrtRatio(sqrtPriceX96), liquidity, feePpm, tickSpacing, ticks }
}

const about = (r: Random, amount: bigint) => (amount * BigInt(500 + r.integer(1_000))) / 1_000n

/** Shares of a vault: some are limited, some lend what they hold. */
function vault(r: Random) {
  const totalAssets = r.amount(20, 100)
  const totalSupply = about(r, totalAssets)
  return {
    totalAssets,
    totalSupply,
    virtualShares: r.pick([0n, 1n, 10n ** 6n]),
    ...(r.integer(4) === 0 && { virtualShares: 0n, rate: (10n ** 27n * BigInt(1_000 + r.integer(1_000))) / 1_000n }),
    maxDeposit: r.pick([0n, r.amount(10, 100), 2n ** 256n - 1n]),
    cash: r.pick([0n, about(r, totalAssets) / 2n, totalAssets]),
    ...(r.integer(2) === 0 && { maxRedeem: r.pick([0n, totalSupply / 3n, totalSupply * 9n]) }),
  }
}

/** A venue whose price falls from sample to sample. */
function venue(r: Random) {
  const side = () => {
    const samples: (readonly [bigint, bigint])[] = []
    let [amountIn, amountOut, price] = [0n, 0n, 10n ** 6n]
    for (let k = r.integer(30); k > 0; k--) {
      const width = r.amount(20, 70)
      amountIn += width
      amountOut += (width * price) / 10n ** 6n
      price -= BigInt(r.integer(20_000))
      samples.push([amountIn, amountOut])
    }
    return samples
  }
  return { samples: [side(), side()], sold: [0n, 0n] }
}

const uneven = (r: Random) => ({
  reserve0: r.amount(10, 111),
  reserve1: r.amount(10, 111),
  feePpm: r.pick([0, 100, 3_000, 10_000]),
})
const stablePair = (r: Random) => {
  const reserve0 = r.amount(30, 80)
  const [unit0, unit1] = [r.pick([10n ** 6n, ONE]), r.pick([10n ** 6n, ONE])]
  const reserve1 = about(r, (reserve0 * unit1) / unit0) + 1n
  return { reserve0, reserve1, unit0, unit1, stable: r.integer(4) > 0, feePpm: r.pick([0, 100, 500]) }
}

/** A pool of one position, with ticks or the full range. Its math is that of ekubo, which has known answers. */
function ekuboV2Pool(r: Random): Pool {
  const spacing = r.pick([0, 100, 5_982])
  const price = r.integer(2_000_000) - 1_000_000
  const base = spacing && Math.floor(price / spacing) * spacing
  const width = (1 + r.integer(80)) * spacing
  const liquidity = r.amount(30, 90)
  const ticks = [
    [base - width, liquidity, liquidity],
    [base + spacing + width, -liquidity, liquidity],
  ]
  const state = { sqrtRatio: ratioAtTick(price), tick: price, liquidity, ticks: spacing ? ticks : [] }
  return poolOf('ekubo-v2', state, { config: configOf(r.pick([0n, 9_223_372_036_854_775n, 1n << 60n]), spacing) })
}

type Generators = Readonly<Record<string, (r: Random) => Pool>>

/** Families whose known answers have few states, or none, and those with ends that these do not show. */
const generators: Generators = {
  'uniswap-v2': (r) => poolOf('uniswap-v2', uneven(r)),
  'velodrome-v2': (r) => poolOf('velodrome-v2', stablePair(r)),
  'algebra-v1': (r) => poolOf('algebra-v1', { ...concentrated(r), fee1Ppm: 500 }),
  'algebra-integral': (r) => poolOf('algebra-integral', concentrated(r)),
  algebra: (r) => poolOf('algebra', { ...concentrated(r), fee1Ppm: 500 }, { version: r.pick(['v1', 'integral']) }),
  'uniswap-v4': (r) =>
    poolOf('uniswap-v4', { ...concentrated(r), protocolFee0Ppm: r.integer(1_000), protocolFee1Ppm: r.integer(1_000) }),
  ...Object.fromEntries(
    ['uniswap-v3', 'pancake-v3', 'slipstream', 'ramses-cl', 'solidly-v3'].map((id) => [
      id,
      (r: Random) => poolOf(id, concentrated(r)),
    ]),
  ),
  'ekubo-v2': ekuboV2Pool,
  erc4626: (r) => poolOf('erc4626', vault(r)),
  'balancer-v3': (r) => {
    const of = vault(r)
    return poolOf('balancer-v3', {
      kind: 'buffer',
      vault: of,
      underlying: r.pick([0n, of.totalAssets / 10n]),
      wrapped: r.pick([0n, of.totalSupply / 10n]),
    })
  },
  'rate-wrapper': (r) => {
    const pooled = r.amount(20, 100)
    return poolOf('rate-wrapper', { pooled, shares: about(r, pooled), supply: r.pick([0n, about(r, pooled) / 2n]) })
  },
  'wrapped-native': (r) => poolOf('wrapped-native', { supply: r.pick([0n, r.amount(1, 100)]) }),
  'prop-amm': (r) => poolOf('prop-amm', venue(r)),
  'caller-fee-v3': (r) => poolOf('caller-fee-v3', { ...venue(r), focus: [[], []], stamp: '' }),
  'syncswap-aqua': (r) =>
    poolOf('syncswap-aqua', { ...venue(r), focus: [[], []], stamp: '' }, { vault: ADDRESS, holdings: [{}, {}] }),
  psm3: (r) => ({
    ...poolOf('psm3', {
      precisions: [10n ** 6n, 10n ** 18n, 10n ** 18n],
      balances: [r.amount(1, 50), r.amount(1, 90), r.amount(1, 90)],
      rate: about(r, 10n ** 27n) + 1n,
    }),
    tokens: [FIRST, SECOND, THIRD],
  }),
  'curve-llamma': (r) =>
    poolOf('curve-llamma', { ...venue(r), focus: [[], []], stamp: '' }, { isGoverned: r.integer(2) === 0 }),
  'maverick-v2': (r) => poolOf('maverick-v2', { ...venue(r), focus: [[], []], stamp: '' }),
  'uniswap-v4-hooks': (r) => poolOf('uniswap-v4-hooks', { ...venue(r), focus: [[], []], stamp: '' }),
}

/** Pools of each family, by its id. */
export function poolStates(seed: number): ReadonlyMap<string, readonly Pool[]> {
  const states = new Map<string, readonly Pool[]>(knownPools())
  for (const [family, make] of Object.entries(generators)) {
    const r = random(seed)
    const generatedPools = Array.from({ length: POOLS }, () => make(r))
    states.set(family, [...(states.get(family) ?? []), ...generatedPools])
  }
  return states
}

/** The pool after a swap of a part of what it takes; the pool itself where it refuses that. @param part - from 0 to 1 */
export function afterSwap(pool: Pool, tokenIn: Pool['address'], tokenOut: Pool['address'], part: number): Pool {
  const family = familyOf(pool.family)!
  const reserve = family.reserves(pool)[pool.tokens.indexOf(tokenIn)]!
  // Beyond, pools are all but drained, and some of them compute nothing any more.
  const far = reserve * 64n
  const maxInput = family.maxInput(pool, tokenIn, tokenOut) ?? far
  const maxAmount = maxInput < far ? maxInput : far
  const amountIn = (maxAmount * BigInt(Math.round(part * 1e9))) / 1_000_000_000n
  const state = nullIfRefused(() => family.quoteExactInput(pool, tokenIn, tokenOut, amountIn).state)
  return state === null ? pool : { ...pool, state }
}
