/**
 * Golden digests of whole results, refusals, alternatives, and proofs, and the total work, for requests with all of their terms, in markets
 * that are hard to settle: pools that end, tokens of few units, pools that limit each swap, and pools of the native
 * token. Intended changes of the search update the digests (`vitest run packages/routing/test/golden-terms.test.ts
 * --update`), and their commit says what improved.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { NATIVE, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { familyOf, fromText, type Pool } from '@sluice/liquidity'
import { poolStates } from '@sluice/liquidity/testing'
import { expect, test } from 'vitest'
import { RoutingError } from '../src/errors.ts'
import { findRoute } from '../src/find-route.ts'
import { buildGraph } from '../src/graph/build-graph.ts'
import { MAX_WORK, WorkBudget } from '../src/problem/budget.ts'
import { goldenLines } from '../src/testing/digest.ts'
import type { ExactOutputRequest, LearnedGas, MeasuredHop, RouteRequest, RouteTerms } from '../src/types.ts'
import { address, E18, fairPools, pair, randomPools, seeded, snapshotOf, token } from './graphs.ts'
import { drawRequest } from './random-requests.ts'
import { kinds } from './wide-pools.ts'

type Random = () => number
/** Base units that become one unit of a token of few units. */
const COARSE = 10n ** 12n
/** Work limit of most requests; some run out of it. */
const WORK = MAX_WORK / 40
/** Significant digits of floats. */
const DIGITS = 8

/** Pairs of which every third token has few units. */
function coarsePools(seed: number): readonly Pool[] {
  return fairPools(seed, 6 + (seed % 14), 4 + (seed % 3)).map(({ state, tokens }, index) => {
    const [a, b] = [0, 1].map((side) => Number(tokens[side]) - 0x1000)
    const cut = (reserve: bigint, index: number) => (index % 3 === seed % 3 ? reserve / COARSE + 1n : reserve)
    return pair(index + 1, { a: a!, b: b!, reserveA: cut(state.reserve0, a!), reserveB: cut(state.reserve1, b!) })
  })
}

/** A pool at price 1 whose liquidity lies in up to three positions, some with a gap between. */
function endingPool(index: number, random: Random): Pool {
  const net = new Map<number, bigint>()
  let liquidity = 0n
  for (let count = 1 + Math.floor(3 * random()); count > 0; count--) {
    const low = 10 * Math.floor(60 * (random() - 0.6))
    const high = low + 10 * (1 + Math.floor(40 * random()))
    const depth = BigInt(Math.ceil(1e5 * random())) * E18
    net.set(low, (net.get(low) ?? 0n) + depth)
    net.set(high, (net.get(high) ?? 0n) - depth)
    if (low <= 0 && high > 0) liquidity += depth
  }
  const ticks = [...net].sort(([a], [b]) => a - b)
  const state = { sqrtPriceX96: 1n << 96n, tick: 0, liquidity, feePpm: 500, tickSpacing: 10, ticks }
  const [a, b] = [Math.floor(4 * random()), Math.floor(3 * random())]
  const tokens = [token(a), token(b < a ? b : b + 1)]
  return { id: address(index), address: address(index), family: 'uniswap-v3', dex: 'test', tokens, state }
}

function endingPools(seed: number): readonly Pool[] {
  const random = seeded(seed)
  const ending = Array.from({ length: 3 + (seed % 6) }, (_, k) => endingPool(500 + k, random))
  return [...ending, ...(seed % 2 === 0 ? [] : fairPools(seed, 3, 4))]
}

/** Pools of several tokens, small enough for trades to exceed the limit of one swap. */
function widePools(seed: number): readonly Pool[] {
  const random = seeded(seed)
  return [
    ...Object.values(kinds).map((make, kind) => {
      const tokens = [kind % 2, 1 + (kind % 2), 3]
      const size = BigInt(Math.ceil(10 ** (6 * random())))
      const balances = [10n, 11n, 9n].map((part) => part * size * E18)
      return {
        ...make(tokens, balances),
        id: `wide ${kind}`,
        address: address(900 + kind),
        fixed: { vault: address(950), dependsOn: [] },
      }
    }),
    ...fairPools(seed, 3 + (seed % 4), 4),
  ]
}

/** Pairs of the wrapper, of which some are pools of the native token instead. */
function nativePools(seed: number): readonly Pool[] {
  const pools = fairPools(seed, 10, 4).map((pool, k): Pool => {
    if (k % 3 === 1 || !pool.tokens.includes(token(0))) return pool
    return { ...pool, tokens: pool.tokens.map((one) => (one === token(0) ? ZERO_ADDRESS : one)) }
  })
  const tokens = [ZERO_ADDRESS, token(0)]
  const id = address(800)
  return [
    ...pools,
    { id, address: id, family: 'wrapped-native', dex: 'wrapped', tokens, state: { supply: 10n ** 30n } },
  ]
}

let states: readonly Pool[] | undefined

/** Real and random pools of all families between five tokens, with any prices: some refuse most amounts. */
function anyPools(seed: number): readonly Pool[] {
  // A wrapper trades only the native token, which the tokens of these pools are not.
  states ??= [...poolStates(5).values()]
    .flat()
    .filter(({ family, tokens }) => family !== 'wrapped-native' && tokens.length < 5)
  const random = seeded(seed)
  return Array.from({ length: 10 + (seed % 8) }, (_, k) => {
    const pool = states![Math.floor(states!.length * random())]!
    const first = Math.floor(5 * random())
    return { ...pool, id: `any ${k}`, tokens: pool.tokens.map((_, place) => token((first + place) % 5)) }
  })
}

const ethereum = fromText<{ readonly pools: readonly Pool[] }>(
  readFileSync(new URL('ethereum-pools.json', import.meta.url), 'utf8'),
).pools

/** Number of runs, with the pools of each. */
type Market = {
  readonly runs: number
  readonly make: (seed: number) => readonly Pool[]
  readonly wrapper: Pool['address']
  /** False if pools lack the facts that trust depends on. */
  readonly trust?: boolean
}
const markets: Readonly<Record<string, Market>> = {
  'prices that disagree': {
    runs: 100,
    make: (seed) => randomPools(seed, 8 + (seed % 20), { tokens: 5, disagreement: 0.01 }),
    wrapper: token(0),
  },
  'tokens of few units': { runs: 160, make: coarsePools, wrapper: token(0) },
  'pools that end': { runs: 160, make: endingPools, wrapper: token(0) },
  'pools of several tokens': { runs: 50, make: widePools, wrapper: token(0) },
  'pools of the native token': { runs: 100, make: nativePools, wrapper: token(0) },
  'pools of every family': { runs: 100, make: anyPools, wrapper: token(0), trust: false },
  'pools of one real block': {
    runs: 80,
    make: () => ethereum,
    wrapper: toAddress('0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'),
  },
}

/** Learned gas of some pools: offsets, and measured hops of one direction. */
function learnedGas(random: Random, pools: readonly Pool[]): LearnedGas {
  const hops = ({ tokens: [tokenIn, tokenOut] }: Pool): readonly MeasuredHop[] => {
    const first = Math.floor(200_000 * random())
    return [{ tokenIn: tokenIn!, tokenOut: tokenOut!, first, middle: first >> 1, last: first + 5_000 }]
  }
  const selectedPools = pools.filter(() => random() < 0.3)
  return new Map(
    selectedPools.map((pool) => [pool.id, random() < 0.5 ? Math.floor(1e5 * (random() - 0.3)) : hops(pool)]),
  )
}

/** Draws terms that `drawRequest` leaves out. */
function drawTerms(random: Random, pools: readonly Pool[]): Partial<RouteTerms> {
  const maybe = (part: number, terms: Partial<RouteTerms>): Partial<RouteTerms> => (random() < part ? terms : {})
  const fading = new Map(pools.filter(() => random() < 0.2).map(({ id }) => [id, Math.floor(random() * 1_050_000)]))
  const tokens = [...new Set(pools.flatMap((pool) => pool.tokens))]
  const trust = {
    level: 'named' as const,
    tokens: new Set(tokens.filter(() => random() < 0.6)),
    accounts: new Set(pools.map((pool) => pool.address)),
    pools: new Set(pools.filter(() => random() < 0.5).map(({ id }) => id)),
  }
  return {
    ...maybe(0.3, { driftPenalties: fading }),
    ...maybe(0.4, { learnedGas: learnedGas(random, pools) }),
    ...maybe(0.4, { maxAlternatives: 1 + Math.floor(3 * random()) }),
    work: random() < 0.3 ? Math.ceil(WORK * 10 ** (-4 * random())) : WORK,
    ...maybe(0.2, { trust }),
    ...maybe(0.2, { boundAfterGas: random() < 0.5 ? 'later' : 'never' }),
    ...maybe(0.2, { proof: true }),
  }
}

/** Asks for an output instead of an input: about what the input buys, or more than there is. */
function asOutput({ amountIn, ...terms }: RouteRequest, random: Random, pools: readonly Pool[]): ExactOutputRequest {
  const target = terms.tokenOut === NATIVE ? terms.wrappedNative : terms.tokenOut
  const reserves = pools.reduce((sum, pool) => {
    const reserve = familyOf(pool.family)!.reserves(pool)[pool.tokens.indexOf(target!)] ?? 0n
    return pool.family === 'wrapped-native' ? sum : sum + reserve
  }, 0n)
  const part = BigInt(Math.ceil(1e9 * 10 ** (1 - 7 * random())))
  return { ...terms, amountOut: (reserves * part) / 1_000_000_000n + (amountIn % 10n) + 1n }
}

const textOf = (value: unknown) =>
  JSON.stringify(value, (key, one: unknown) => {
    if (typeof one === 'bigint') return `${one}n`
    if (typeof one === 'number' && !Number.isSafeInteger(one)) return one.toPrecision(DIGITS)
    return key === 'pool' && typeof one === 'object' ? (one as Pool).id : one
  })

/** Digest of a result, after its deferred bound. */
function digestOf(find: () => ReturnType<typeof findRoute>): string {
  let text: string
  try {
    const result = find()
    if (result.ok) result.boundAfterGas?.()
    text = textOf(result)
  } catch (error) {
    if (!(error instanceof RoutingError)) throw error
    text = error.code
  }
  return createHash('sha256').update(text).digest('hex').slice(0, 6)
}

test.each(Object.entries(markets))('%s', async (name, { runs, make, wrapper, trust = true }) => {
  let work = 0
  const digests = Array.from({ length: runs }, (_, run) => {
    const random = seeded(run + 1)
    const pools = make(run + 1)
    const tokens = [...new Set(pools.flatMap((pool) => pool.tokens))].filter((one) => one !== ZERO_ADDRESS)
    const drawn = drawRequest(random, { pools, tokens }, wrapper)
    const { excludePools, sources, ...plain } = drawn
    const usual = { ...plain, amountIn: BigInt(Math.ceil(10 ** (15 + 8 * random()))), gasPriceWei: 20n * 10n ** 9n }
    const { trust: drawnTrust, ...terms } = drawTerms(random, pools)
    const request = {
      ...(run % 2 === 0 ? drawn : usual),
      ...terms,
      ...(trust && drawnTrust && { trust: drawnTrust }),
    }
    const graph = buildGraph(snapshotOf(pools))
    const budget = new WorkBudget(request.work)
    const posed = random() < 0.5 ? asOutput(request, random, pools) : request
    const digest = digestOf(() => findRoute(graph, posed, budget))
    work += (request.work ?? MAX_WORK) - budget.remaining
    return digest
  })
  expect(new Set(digests).size).toBeGreaterThan(runs / 2)
  const title = `${name}, ${Math.round(work)} units of work`
  await expect(goldenLines(title, digests)).toMatchFileSnapshot(`goldens/terms/${name.replaceAll(' ', '-')}.txt`)
})
