/**
 * Learns corrections to the gas table of DEX families from simulations. A simulation shows only the gas of a whole
 * route. The difference from the prediction is distributed over the route's parts in proportion to the uncertainty of
 * each part. This is a Kalman filter without covariances.
 *
 * The parts of a route are its pools, tokens, written storage slots, and its two ends (input and output). Tokens are
 * parts because the gas of a transfer depends on the token: a token behind a proxy costs tens of thousands of gas more
 * in each pool. A part's key is its kind and its name: `pool <id>`, `leg <pool id> <token>`, `token <token>`, `in
 * <token>`, `out <token>`, `route`, `write <pool id> <slot>`, `slot <family> <slot>`. Trusted tokens and pools are in
 * the chain's file, or have behaved well for many blocks.
 */
import type { Address } from '@sluice/chains'
import { gasRow, isTrustedPool, partGas, type Trust } from '@sluice/liquidity'
import {
  type GasParts,
  gasOfParts,
  gasParts,
  type LearnedGas,
  piecesIn,
  type RoutePlan,
  refundOf,
} from '@sluice/routing'
import type { BlockHeader } from '@sluice/rpc'
import { BoundedMap, type StateCount } from '@sluice/simulation'

/** Maximum parts with an estimate. */
const MAX_PARTS = 2_048
/** Maximum blocks whose simulated routes are remembered: the newest block, and earlier blocks with quotes in flight. */
const MAX_BLOCKS = 4
/** Maximum pools with a correction for searches: the pools that were simulated most recently. */
const MAX_POOLS = 512
/**
 * Standard deviation in gas of a part's correction before any observation, by kind of part. `leg` is the transfer of
 * one token of a pool. `write` is a storage slot of one pool that not every trade writes, such as a tick. Writing an
 * empty slot costs 17,100 gas more (EIP-2200), and some families have three such slots. `slot` is the same slot in all
 * pools of a family.
 */
const PRIOR_DEVIATION: Readonly<Record<string, number>> = {
  pool: 12_000,
  leg: 8_000,
  token: 6_000,
  in: 6_000,
  out: 6_000,
  route: 3_000,
  write: 15_000,
  slot: 10_000,
}
/** Minimum standard deviation, after any number of observations. */
const MIN_DEVIATION = 500
/** Standard deviation of the simulated gas that the sender's own storage causes, as a share of the route's gas. */
const SENDER_DEVIATION_SHARE = 0.005
/** Standard deviation in gas of each crossed tick, because a tick that no other trade crosses has no estimate. */
const TICK_DEVIATION = 12_000
/**
 * Maximum difference from the prediction that one simulation contributes, as a share of the route's gas. A route
 * through unusual code must not distort the estimates.
 */
const MAX_ERROR_SHARE = 0.1
/** Maximum absolute correction of a part in gas. */
const MAX_CORRECTION = 300_000
/** Half-life of estimates in seconds: tokens are upgraded, and slots fill. */
const HALF_LIFE_SECONDS = 12 * 3_600
/** Searches get the same corrections for this many seconds of block time, so that searches of one block agree. */
const REFRESH_SECONDS = 60
/** Corrections for searches are rounded to multiples of this gas. Corrections that round to 0 are omitted. */
const ROUNDING = 1_000

/** Estimated correction of a part in gas, with its variance and the Unix time in seconds of the last observation. */
type Estimate = { readonly gas: number; readonly variance: number; readonly at: number }
type Swap = Pick<RoutePlan, 'tokenIn' | 'tokenOut' | 'legs'>

/** Learns gas corrections from simulations, and provides them to searches. */
export class GasLessons {
  private readonly estimatesByPart = new BoundedMap<string, Estimate>(MAX_PARTS)
  /** Family and tokens of recently simulated pools, by pool id. */
  private readonly recentPools = new BoundedMap<
    string,
    readonly [family: string, soldToken: Address, boughtToken: Address]
  >(MAX_POOLS)
  /** Keys of the routes that were simulated at a block, by block hash. */
  private readonly routeKeysByBlock = new BoundedMap<string, Set<string>>(MAX_BLOCKS)
  private publishedCorrections: { readonly gas: LearnedGas; readonly at: number } | undefined
  private readonly wrappedNative: Address | null

  constructor(wrappedNative: Address | null) {
    this.wrappedNative = wrappedNative
  }

  /** Number of parts with an estimate, for metrics. */
  get count(): StateCount {
    return this.estimatesByPart.count
  }

  /** Calls `observe` at most once per block and route, because repeated simulations add little information. */
  observeAt(
    { hash, timestamp }: Pick<BlockHeader, 'hash' | 'timestamp'>,
    swap: Swap,
    grossGas: number,
    trust?: Trust,
  ): void {
    const keys = this.routeKeysByBlock.get(hash) ?? new Set()
    const key = routeKeyOf(swap)
    if (keys.has(key) || keys.size >= MAX_PARTS) return
    this.routeKeysByBlock.set(hash, keys.add(key))
    this.observe(swap, grossGas, timestamp, trust)
  }

  /**
   * Updates the estimates from a simulation.
   *
   * @param grossGas - gas of the transaction before refunds
   * @param now - Unix time in seconds
   * @param trust - trusted tokens and pools. If the route has untrusted tokens or pools, only their own parts are
   *   updated. Their code can use any gas, which must not distort the parts that other routes share
   */
  observe(swap: Swap, grossGas: number, now: number, trust?: Trust): void {
    if (swap.legs.length === 0) return
    const updatedKeys = trust && untrustedKeys(swap, trust)
    const parts = this.estimatedParts(swap, now)
    const routeParts = this.gasPartsOf(swap)
    const { predictedGrossGas, expectedGas, modelGas } = predictGas(routeParts, parts)
    const maxError = MAX_ERROR_SHARE * Math.max(modelGas, expectedGas)
    const error = Math.max(-maxError, Math.min(maxError, grossGas - predictedGrossGas))
    const noiseVariance = (SENDER_DEVIATION_SHARE * modelGas) ** 2 + piecesIn(routeParts) * TICK_DEVIATION ** 2
    const totalVariance = parts.reduce((sum, part) => sum + part.count ** 2 * part.variance, noiseVariance)
    for (const { key, count, gas, variance: partVariance } of parts) {
      if (updatedKeys && !updatedKeys.has(key)) continue
      const gain = (partVariance * count) / totalVariance
      const newVariance = Math.max(MIN_DEVIATION ** 2, partVariance * (1 - gain * count))
      this.estimatesByPart.set(key, {
        gas: Math.max(-MAX_CORRECTION, Math.min(MAX_CORRECTION, gas + gain * error)),
        variance: newVariance,
        at: now,
      })
    }
    for (const { pool, tokenIn, tokenOut } of swap.legs) this.recentPools.set(pool.id, [pool.family, tokenIn, tokenOut])
  }

  /** Returns the gas after refunds that a route is expected to be charged, by the current estimates. */
  expectedGas(swap: Swap, now: number): number {
    return predictGas(this.gasPartsOf(swap), this.estimatedParts(swap, now)).expectedGas
  }

  /**
   * Returns gas corrections by pool id; undefined if there are none. Returns the same object until the corrections
   * change.
   *
   * @param now - timestamp of the block, Unix seconds
   */
  correctionsAt(now: number): LearnedGas | undefined {
    if (
      !this.publishedCorrections ||
      now < this.publishedCorrections.at ||
      now - this.publishedCorrections.at >= REFRESH_SECONDS
    ) {
      const gas = this.computeCorrections(now)
      this.publishedCorrections = {
        gas:
          this.publishedCorrections && isSameGas(this.publishedCorrections.gas, gas)
            ? this.publishedCorrections.gas
            : gas,
        at: now,
      }
    }
    return this.publishedCorrections.gas.size > 0 ? this.publishedCorrections.gas : undefined
  }

  private gasPartsOf(swap: Swap): GasParts {
    return gasParts({ ...swap, wrappedNative: this.wrappedNative })
  }

  private estimatedParts(swap: Swap, now: number): readonly EstimatedPart[] {
    return Array.from(countParts(swap), ([key, count]) => ({ key, count, ...this.estimateOf(key, now) }))
  }

  private computeCorrections(now: number): LearnedGas {
    const corrections = new Map<string, number>()
    for (const [id, [family, soldToken, boughtToken]] of this.recentPools) {
      const meanLegGas = (this.gasOf(`leg ${id} ${soldToken}`, now) + this.gasOf(`leg ${id} ${boughtToken}`, now)) / 2
      const poolGas = meanLegGas + this.gasOf(`pool ${id}`, now) + this.gasOf(`write ${id} oracle`, now)
      const tokenGas = this.gasOf(`token ${soldToken}`, now) + this.gasOf(`token ${boughtToken}`, now)
      // Add the gas that searches leave out, in proportion to the certainty about the pool.
      const certainty = 1 - this.estimateOf(`pool ${id}`, now).variance / priorVarianceOf(`pool ${id}`)
      const gas = poolGas + tokenGas + certainty * gasBeyondRanking(family)
      const roundedGas = Math.round(gas / ROUNDING) * ROUNDING
      if (roundedGas !== 0) corrections.set(id, roundedGas)
    }
    return corrections
  }

  private gasOf(key: string, now: number): number {
    return this.estimateOf(key, now).gas
  }

  /** Returns a part's estimate with its uncertainty, decayed by age. */
  private estimateOf(key: string, now: number): Omit<Estimate, 'at'> {
    const priorVariance = priorVarianceOf(key)
    const estimate = this.estimatesByPart.get(key)
    if (!estimate) return { gas: 0, variance: priorVariance }
    if (now <= estimate.at) return estimate
    const decay = 0.5 ** ((now - estimate.at) / HALF_LIFE_SECONDS)
    return { gas: estimate.gas * decay, variance: priorVariance + (estimate.variance - priorVariance) * decay }
  }
}

/** A part of a route, its number of occurrences in the route, and its estimate. */
type EstimatedPart = { readonly key: string; readonly count: number } & Omit<Estimate, 'at'>

/**
 * Predicts the gas of a route. `modelGas` is the gas after refunds by the gas table. `predictedGrossGas` (before
 * refunds) and `expectedGas` (after refunds) include the learned corrections.
 */
function predictGas(routeParts: GasParts, parts: readonly EstimatedPart[]) {
  const { charged: modelGas, refund, unlimitedRefund } = gasOfParts(routeParts)
  const predictedGrossGas = parts.reduce((sum, { gas, count }) => sum + gas * count, modelGas + refund)
  return { predictedGrossGas, expectedGas: predictedGrossGas - refundOf(predictedGrossGas, unlimitedRefund), modelGas }
}

/** Key of a route's pools, tokens, and slots, without amounts. */
function routeKeyOf({ tokenIn, tokenOut, legs }: Swap): string {
  let key = `${tokenIn} ${tokenOut}`
  for (const { pool, tokenIn: soldToken, tokenOut: boughtToken, writes = [] } of legs)
    key += `;${pool.id} ${soldToken} ${boughtToken} ${writes.join()}`
  return key
}

const priorVarianceOf = (key: string) => PRIOR_DEVIATION[key.split(' ', 1)[0]!]! ** 2

/** Returns the gas of a hop in the full gas model, less the gas that searches use to rank the hop. */
function gasBeyondRanking(family: string): number {
  return partGas(`hop:${family}`).gas + partGas(`oracle:${family}`).gas - gasRow(family).hop
}

/**
 * Counts the parts of a route by key. The input and output of the route are parts in addition to their tokens. Each
 * stands for one more transfer, from or to the sender, which changes storage slots of the sender.
 */
function countParts({ tokenIn, tokenOut, legs }: Swap): ReadonlyMap<string, number> {
  const counts = new Map<string, number>([
    ['route', 1],
    [`in ${tokenIn}`, 1],
    [`out ${tokenOut}`, 1],
  ])
  const add = (key: string) => counts.set(key, (counts.get(key) ?? 0) + 1)
  for (const { pool, tokenIn: soldToken, tokenOut: boughtToken, writes = [] } of legs) {
    for (const key of [`pool ${pool.id}`, `leg ${pool.id} ${soldToken}`, `token ${soldToken}`, `token ${boughtToken}`])
      add(key)
    for (const slot of writes) {
      add(`write ${pool.id} ${slot}`)
      add(`slot ${pool.family} ${slot.split(' ', 1)[0]}`)
    }
  }
  return counts
}

/**
 * Returns the keys of the parts that a simulation of the route may update. Returns undefined if all legs are trusted,
 * so that all parts may be updated. Otherwise returns the parts of each leg with an untrusted token or pool: the pool,
 * the sold token in the pool, the written slots, and the untrusted tokens.
 */
function untrustedKeys({ legs }: Swap, trust: Trust): ReadonlySet<string> | undefined {
  const keys = new Set<string>()
  for (const { pool, tokenIn, tokenOut, writes = [] } of legs) {
    const untrustedTokens = [tokenIn, tokenOut].filter((token) => !trust.tokens.has(token))
    if (untrustedTokens.length === 0 && isTrustedPool(pool, trust)) continue
    for (const key of [`pool ${pool.id}`, `leg ${pool.id} ${tokenIn}`]) keys.add(key)
    for (const slot of writes) keys.add(`write ${pool.id} ${slot}`)
    for (const token of untrustedTokens) for (const kind of ['token', 'in', 'out']) keys.add(`${kind} ${token}`)
  }
  return keys.size > 0 ? keys : undefined
}

function isSameGas(a: LearnedGas, b: LearnedGas): boolean {
  return a.size === b.size && [...a].every(([id, gas]) => b.get(id) === gas)
}
