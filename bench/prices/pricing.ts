/**
 * `npm run bench -- prices`: computes prices over 100,000 pools, of which some are manipulated. Measures the first
 * computation, the longest time for which it blocks the event loop, the update after a block, a request for 200 tokens,
 * and a request for depth. The pools are synthetic. The results show speed and resistance to manipulation, but not the
 * quality of prices in real markets.
 */
import { PerformanceObserver } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { type Address, type Chain, toAddress } from '@sluice/chains'
import { type Pool, PoolMap, type Snapshot, type UniswapV2State, type UniswapV3State } from '@sluice/liquidity'
import { Prices } from '@sluice/pricing'
import { takeLongestTasks } from '@sluice/rpc'
import { seededRandom } from '../lib/random.ts'
import { record, rounded } from '../record.ts'

const TOKENS = 30_000
const POOLS = 100_000
/** Number of scam tokens. They have the highest indices. */
const SCAM_TOKENS = 1_500
/** Number of hub tokens. Most pools have a hub token as one of their two tokens. Hub tokens have the lowest indices. */
const HUB_TOKENS = 4
/** Pairs of hub tokens, each with one pool. These are the first pools. */
const HUB_PAIRS: readonly (readonly [number, number])[] = [
  [0, 1],
  [0, 2],
  [1, 2],
  [1, 3],
  [0, 3],
  [2, 3],
]
const HOSTILE_SHARE = 0.05
const V3_SHARE = 0.3
const BLOCKS = 100
/** Number of tokens in the chain's file. The largest file of the registry has this number of tokens. */
const LISTED_TOKENS = 200
const CHANGED_POOLS = 200
const MANY_CHANGED_POOLS = 2_000
const PRICED_TOKENS = 200

/** Wall-clock time, which other processes affect, and CPU time of this thread. */
type Time = { readonly ms: number; readonly cpuMs: number }

const random = seededRandom(42).next
const randomInteger = (from: number, to: number) => from + Math.floor(random() * (to - from))
/** Returns the address of the n-th token. Addresses of pools begin at 10,000,000. */
const address = (n: number): Address => toAddress(`0x${(n + 1).toString(16).padStart(40, '0')}`)

/** USD per whole token: a stable token, ether, a stable token, bitcoin, and values from 0.0003 to 3,000. */
const trueUsd = Float64Array.from(
  { length: TOKENS },
  (_, t) => [1, 3_000, 1, 60_000][t] ?? Math.exp((random() - 0.5) * 16),
)
const usdc = address(0)
const usdt = address(2)

let blockNumber = 0
let pools = PoolMap.empty.with(Array.from({ length: POOLS }, (_, i) => makePool(i)))
const chain: Chain = {
  chainId: 1,
  name: 'bench',
  displayName: 'Bench',
  trackerName: 'Bench',
  coinsPrefix: null,
  nativeCurrency: { symbol: 'ETH', name: 'Ether', decimals: 18 },
  wrappedNative: { address: address(1), symbol: 'WETH', decimals: 18 },
  stables: [usdc, usdt].map((token) => ({ address: token, symbol: 'USD', decimals: 18 })),
  hubs: [1, 0, 2, 3].map(address),
  tokens: Array.from({ length: LISTED_TOKENS }, (_, t) => ({ address: address(t), symbol: `T${t}`, decimals: 18 })),
  rpcUrls: [],
  blockTimeMs: 1_000,
  l1FeeModel: 'none',
  evm: {},
  dexes: [],
}

const prices = new Prices(chain, { decimals: () => 18 })
takeLongestTasks()
/** Milliseconds of each garbage collection. */
const gcMs: number[] = []
const observer = new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) gcMs.push(duration)
})
observer.observe({ entryTypes: ['gc'] })
const firstPassTime = await timeOf(() => prices.follow(snapshot()))
/** Longest time for which the first pass blocked the event loop. */
const firstSliceMs = takeLongestTasks().get('prices')!
// The observer receives garbage collections with a short delay.
await setTimeout(100)
observer.disconnect()

let accurateCount = 0
let wrongCount = 0
let unpricedCount = 0
for (let t = 0; t < TOKENS - SCAM_TOKENS; t++) {
  const usd = prices.usd(address(t))
  if (usd === null) unpricedCount++
  else if (Math.abs(usd / trueUsd[t]! - 1) <= 0.02) accurateCount++
  else wrongCount++
}
let deepestScam = 0
for (let t = TOKENS - SCAM_TOKENS; t < TOKENS; t++)
  deepestScam = Math.max(deepestScam, (await prices.depthUsd(address(t))) ?? 0)

const firstCurve = await timeOf(() => prices.depthCurve(address(1)))
/** Times of blocks, and after each block, of the prices of 200 tokens and of the curve of the deepest token. */
const blocks = {
  few: await measureBlocks(CHANGED_POOLS, { changesHubPools: false }),
  hubs: await measureBlocks(CHANGED_POOLS, { changesHubPools: true }),
  many: await measureBlocks(MANY_CHANGED_POOLS, { changesHubPools: true }),
}
const unchangedTimes: Time[] = []
for (let n = 0; n < BLOCKS; n++) unchangedTimes.push(await timeOf(() => prices.follow(snapshot())))
takeLongestTasks()
const depth = await timeOf(() => prices.depthUsd(address(1)))
const depthSliceMs = takeLongestTasks().get('depth')!

record('pricing', {
  tokens: TOKENS,
  pools: POOLS,
  hostilePools: `${HOSTILE_SHARE * 100} %`,
  concentratedPools: `${V3_SHARE * 100} %`,
  ms: {
    firstPass: {
      ...{ total: rounded(firstPassTime.ms), cpu: rounded(firstPassTime.cpuMs), longestSlice: rounded(firstSliceMs) },
      longestCollectionOfGarbage: rounded(Math.max(0, ...gcMs)),
    },
    block: {
      [`${CHANGED_POOLS} pools changed`]: blocks.few.block,
      [`${CHANGED_POOLS} pools changed, those between hubs among them`]: blocks.hubs.block,
      [`${MANY_CHANGED_POOLS} pools changed, those between hubs among them`]: blocks.many.block,
      nothingChanged: summary(unchangedTimes),
    },
    [`pricesOf${PRICED_TOKENS}TokensAfterABlock`]: blocks.hubs.look,
    deepestToken: {
      ...{ depth: rounded(depth.ms), longestSlice: rounded(depthSliceMs) },
      ...{ firstCurve: rounded(firstCurve.ms), curveAfterABlock: blocks.hubs.curve },
    },
  },
  realTokens: { within2Percent: accurateCount, off: wrongCount, unpriced: unpricedCount },
  deepestScamUsd: Math.round(deepestScam),
})

function snapshot(): Snapshot {
  blockNumber++
  const block = {
    number: blockNumber,
    hash: `0x${blockNumber.toString(16)}`,
    parentHash: '0x',
    timestamp: 0,
    gasLimit: 0n,
    baseFeePerGas: null,
    miner: usdc,
  } as const
  return { chainId: 1, block, pools, changedIds: null }
}

/**
 * Measures blocks with changed pools, and after each block the prices of many tokens and a depth curve.
 *
 * @param options - `changesHubPools` is true if the changed pools include those of `HUB_PAIRS`
 */
async function measureBlocks(changedCount: number, { changesHubPools }: { readonly changesHubPools: boolean }) {
  const blockTimes: Time[] = []
  const readTimes: Time[] = []
  const curveTimes: Time[] = []
  for (let n = 0; n < BLOCKS; n++) {
    const changedPools = [
      ...(changesHubPools ? HUB_PAIRS.keys() : []),
      ...Array.from({ length: changedCount }, () => randomInteger(HUB_PAIRS.length, POOLS)),
    ]
    pools = pools.with(changedPools.slice(0, changedCount).map((i) => movePrice(pools.get(address(10_000_000 + i))!)))
    blockTimes.push(await timeOf(() => prices.follow(snapshot())))
    const tokens = Array.from({ length: PRICED_TOKENS }, () => address(randomInteger(0, TOKENS - SCAM_TOKENS)))
    readTimes.push(await timeOf(() => tokens.map((token) => prices.usd(token))))
    curveTimes.push(await timeOf(() => prices.depthCurve(address(1))))
  }
  return { block: summary(blockTimes), look: summary(readTimes), curve: summary(curveTimes) }
}

/** Returns the pool after a trade that moved its price by up to 0.1 %. */
function movePrice(pool: Pool): Pool {
  const ppm = BigInt(randomInteger(-500, 500))
  const scaleUp = (amount: bigint) => (amount * (1_000_000n + ppm)) / 1_000_000n
  const scaleDown = (amount: bigint) => (amount * 1_000_000n) / (1_000_000n + ppm)
  if (pool.family === 'uniswap-v2') {
    const state = pool.state as UniswapV2State
    return { ...pool, state: { ...state, reserve0: scaleUp(state.reserve0), reserve1: scaleDown(state.reserve1) } }
  }
  const state = pool.state as UniswapV3State
  return { ...pool, state: { ...state, sqrtPriceX96: scaleUp(state.sqrtPriceX96) } }
}

function summary(times: readonly Time[]) {
  const sortedMs = times.map(({ ms }) => ms).sort((a, b) => a - b)
  const quantileAt = (share: number) => rounded(sortedMs[Math.floor((sortedMs.length - 1) * share)]!, 3)
  const cpuMs = times.reduce((sum, time) => sum + time.cpuMs, 0)
  return {
    median: quantileAt(0.5),
    p99: quantileAt(0.99),
    worst: quantileAt(1),
    meanCpu: rounded(cpuMs / times.length, 3),
  }
}

function makePool(i: number): Pool {
  const firstScam = TOKENS - SCAM_TOKENS
  const hubPair = HUB_PAIRS[i]
  if (hubPair) return constantProduct(i, hubPair[0], hubPair[1], 1e8, 1)
  const hub = random() < 0.8 ? randomInteger(0, HUB_TOKENS) : randomInteger(0, firstScam)
  const token = randomInteger(HUB_TOKENS, firstScam)
  if (random() < HOSTILE_SHARE) {
    const kind = random()
    // A thin pool with a hundred times the price, a scam token with about 1,000 real dollars, or a pool of two scam
    // tokens.
    if (kind < 0.4) return constantProduct(i, randomInteger(0, HUB_TOKENS), token, 200, 100)
    if (kind < 0.7)
      return constantProduct(i, randomInteger(0, HUB_TOKENS), randomInteger(firstScam, TOKENS), 400 + random() * 800, 1)
    return constantProduct(i, randomInteger(firstScam, TOKENS), randomInteger(firstScam, TOKENS - 1), 1e12, 1)
  }
  const other = token === hub ? token + 1 : token
  const usd = Math.exp(6 + random() * 9)
  const skew = Math.exp((random() - 0.5) * 0.01)
  return random() < V3_SHARE ? concentratedPool(i, hub, other, usd, skew) : constantProduct(i, hub, other, usd, skew)
}

/**
 * Returns a V2 pool.
 *
 * @param i - index of the pool
 * @param token0 - index of its first token
 * @param token1 - index of its second token
 * @param usd - dollars of the first token
 * @param priceFactor - factor by which the pool overstates the second token's value
 */
function constantProduct(
  i: number,
  token0: number,
  token1: number,
  usd: number,
  priceFactor: number,
): Pool<UniswapV2State> {
  const reserve0 = BigInt(Math.floor((usd / trueUsd[token0]!) * 1e18))
  const reserve1 = BigInt(Math.floor((usd / trueUsd[token1]! / priceFactor) * 1e18))
  return poolOf(i, 'uniswap-v2', token0, token1, { reserve0, reserve1, feePpm: 3_000 })
}

/**
 * Returns a V3 pool with `POSITIONS` positions around the price. The indices are those of `constantProduct`.
 *
 * @param usd - dollars of the second token in all positions together
 * @param skew - factor by which the price differs from the true price
 */
function concentratedPool(i: number, token0: number, token1: number, usd: number, skew: number): Pool<UniswapV3State> {
  const POSITIONS = 20
  const SPACING = 60
  const price = (trueUsd[token0]! / trueUsd[token1]!) * skew
  const tick = Math.floor(Math.log(price) / Math.log(1.0001))
  const center = Math.floor(tick / SPACING) * SPACING
  const netLiquidity = new Map<number, bigint>()
  let liquidityInRange = 0n
  for (let position = 1; position <= POSITIONS; position++) {
    const [lower, upper] = [center - position * 5 * SPACING, center + position * 7 * SPACING]
    const width = Math.sqrt(price) - 1.0001 ** (lower / 2)
    const liquidity = BigInt(Math.floor((usd / trueUsd[token1]! / POSITIONS / width) * 1e18))
    netLiquidity.set(lower, (netLiquidity.get(lower) ?? 0n) + liquidity)
    netLiquidity.set(upper, (netLiquidity.get(upper) ?? 0n) - liquidity)
    liquidityInRange += liquidity
  }
  return poolOf(i, 'uniswap-v3', token0, token1, {
    sqrtPriceX96: BigInt(Math.floor(Math.sqrt(price) * 2 ** 96)),
    tick,
    liquidity: liquidityInRange,
    feePpm: 3_000,
    tickSpacing: SPACING,
    ticks: [...netLiquidity].sort(([x], [y]) => x - y),
  })
}

function poolOf<State>(i: number, family: string, token0: number, token1: number, state: State): Pool<State> {
  return {
    id: address(10_000_000 + i),
    family,
    dex: family,
    address: address(10_000_000 + i),
    tokens: [address(token0), address(token1)],
    state,
  }
}

async function timeOf(run: () => unknown): Promise<Time> {
  const start = performance.now()
  const cpuBefore = process.threadCpuUsage()
  await run()
  const { user, system } = process.threadCpuUsage(cpuBefore)
  return { ms: performance.now() - start, cpuMs: (user + system) / 1_000 }
}
