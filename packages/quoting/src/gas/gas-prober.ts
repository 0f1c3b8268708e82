/**
 * Measures the gas of hops (swaps in one pool, as parts of a route) by simulation. In the background, measures the
 * pools between a quote's tokens, and the pools between these tokens and the chain's hubs (tokens with many pools). On
 * request of a quote, measures the pools of routes whose ranking depends on gas. If a measurement fails, a pool keeps
 * the gas of its family (kind of pool).
 */
import { type Address, type Chain, ZERO_ADDRESS } from '@sluice/chains'
import type { Pool, Snapshot } from '@sluice/liquidity'
import { hopPrograms, type MeasuredHop } from '@sluice/routing'
import { endsInTime, inSlices, type Rpc } from '@sluice/rpc'
import { BoundedMap, type HopToMeasure, measureHops, type SimulationContext } from '@sluice/simulation'
import type { ChainContracts } from '../chain/contracts.ts'
import type { Logger } from '../events.ts'
import type { MeasuredGas } from './measured-gas.ts'
import { probeAmount } from './probe-amount.ts'

/**
 * Maximum directions per call. A direction is a swap of one token for another in a pool. It is measured as the first, a
 * middle, and the last hop of a route, so a call measures up to three times as many hops.
 */
const DIRECTIONS_PER_CALL = 16
/**
 * Maximum measured directions per pool, because pools with many tokens have dozens. At most the square of this number
 * of token pairs are tried.
 */
const MAX_DIRECTIONS = 12
/** Maximum queued pools. A later quote queues the pools beyond this limit. */
const MAX_QUEUED = 256
/** Maximum calls per block after which no background measurement starts. */
const BACKGROUND_CALLS = 32
/** Maximum calls per block in total, with the measurements that quotes wait for. */
const CALLS_PER_BLOCK = 96
/** Maximum token sets that are remembered as scanned. */
const MAX_SCANNED_SETS = 4_096
/** Milliseconds until a token set is scanned again. */
const SCAN_TTL_MS = 60_000
/** Maximum wait of a quote for measurements. */
const MEASURE_TIMEOUT_MS = 250
/** Number of pools that are scanned between two yields to the event loop. */
const SCAN_SLICE = 256

/** Node that measures, and the block and pools that it measures. */
type Source = { readonly rpc: Rpc; readonly snapshot: Snapshot }
type Options = {
  readonly chain: Chain
  readonly contracts: Pick<ChainContracts, 'guard' | 'families' | 'executable'> & {
    readonly executor: Pick<ChainContracts['executor'], 'address'>
  }
  readonly simulation: SimulationContext
  readonly measuredGas: MeasuredGas
  readonly log: Pick<Logger, 'info'>
}
/**
 * One direction of a pool, with the hops that measure it. A hop is null if the pool cannot be at that place of a route.
 */
type Direction = {
  readonly pool: Pool
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly hops: readonly [first: HopToMeasure | null, middle: HopToMeasure | null, last: HopToMeasure | null]
}

/** Measures gas of hops: in the background, one call after the other, and on request of a quote. */
export class GasProber {
  private readonly options: Options
  private readonly hubs: readonly Address[]
  /** Tokens of quotes whose pools are not scanned yet. */
  private pendingTokens = new Set<Address>()
  private poolQueue = new Map<string, Pool>()
  /** Token sets that were scanned within `SCAN_TTL_MS`. */
  private readonly scannedTokenSets = new BoundedMap<string, true>(MAX_SCANNED_SETS, { ttl: SCAN_TTL_MS })
  private source: Source | undefined
  private isMeasuring = false
  private callsAtBlock = { hash: '', calls: 0 }

  constructor(options: Options) {
    const { chain } = options
    this.options = options
    this.hubs = [...chain.hubs, ...(chain.wrappedNative ? [chain.wrappedNative.address, ZERO_ADDRESS] : [])]
  }

  /** True while pools are queued or being measured. */
  get isRunning(): boolean {
    return this.isMeasuring
  }

  /**
   * Queues the pools of a quote's tokens that are due for a measurement, and measures them. Never rejects. After a
   * failure, a quote at least `SCAN_TTL_MS` later queues them again.
   */
  async queueTokens(tokens: readonly Address[], source: Source): Promise<void> {
    const key = tokens.toSorted().join()
    if (this.scannedTokenSets.has(key)) return
    this.scannedTokenSets.set(key, true)
    for (const token of tokens) this.pendingTokens.add(token)
    this.source = source
    if (!this.isMeasuring) await this.measureQueued()
  }

  /**
   * Measures the due pools, as many as fit in one call. Waits at most `MEASURE_TIMEOUT_MS` for the result. Never
   * rejects.
   *
   * @returns true if the measurement succeeded in time
   */
  async measureNow(pools: readonly Pool[], source: Source): Promise<boolean> {
    const duePools = pools.filter((pool) => this.isDue(pool, source.snapshot))
    if (duePools.length === 0 || !this.mayCall(source.snapshot, CALLS_PER_BLOCK)) return false
    return endsInTime(this.measureBatch(source, duePools), MEASURE_TIMEOUT_MS)
  }

  /** Drops the queue, after a measurement or when the process stops following the chain. */
  forget(): void {
    this.pendingTokens.clear()
    this.poolQueue.clear()
    this.source = undefined
  }

  private async measureQueued(): Promise<void> {
    this.isMeasuring = true
    try {
      // Quotes during a measurement may set a newer source and queue more pools.
      for (let { source } = this; source && this.pendingTokens.size + this.poolQueue.size > 0; { source } = this) {
        if (this.pendingTokens.size > 0) await this.queueDuePools(source.snapshot)
        if (!this.mayCall(source.snapshot, BACKGROUND_CALLS)) break
        for (const pool of await this.measureBatch(source, this.poolQueue.values())) this.poolQueue.delete(pool.id)
      }
    } catch (error) {
      this.options.log.info({ err: error }, 'gas of pools not measured, retried with the next quote')
    } finally {
      this.forget()
      this.isMeasuring = false
    }
  }

  private mayCall({ block: { hash } }: Snapshot, maxCalls: number): boolean {
    if (this.callsAtBlock.hash !== hash) this.callsAtBlock = { hash, calls: 0 }
    return this.callsAtBlock.calls < maxCalls
  }

  /** Queues the due pools of the pending tokens. Pools that trade more of these tokens come first. */
  private async queueDuePools(snapshot: Snapshot): Promise<void> {
    const { pools } = snapshot
    const quoteTokens = this.pendingTokens
    this.pendingTokens = new Set()
    const nearTokens = new Set([...quoteTokens, ...this.hubs])
    const isDue = (pool: Pool) => this.isDue(pool, snapshot)
    const candidates: { readonly pool: Pool; readonly quoteTokenCount: number }[] = []
    await inSlices(
      'gas probes',
      (function* () {
        let count = 0
        for (const pool of pools.values()) {
          if (++count % SCAN_SLICE === 0) yield
          const quoteTokenCount = pool.tokens.filter((token) => quoteTokens.has(token)).length
          if (quoteTokenCount === 0 || pool.tokens.filter((token) => nearTokens.has(token)).length < 2) continue
          if (isDue(pool)) candidates.push({ pool, quoteTokenCount })
        }
      })(),
    )
    for (const { pool } of candidates.sort((a, b) => b.quoteTokenCount - a.quoteTokenCount))
      if (this.poolQueue.size < MAX_QUEUED) this.poolQueue.set(pool.id, pool)
  }

  private isDue({ id, family }: Pool, { block }: Pick<Snapshot, 'block'>): boolean {
    const { contracts, measuredGas } = this.options
    return contracts.executable.has(family) && measuredGas.isDue(id, block.timestamp)
  }

  /** Measures the first pools in one call. @returns the measured pools */
  private async measureBatch({ rpc, snapshot: { block } }: Source, pools: Iterable<Pool>): Promise<readonly Pool[]> {
    const { contracts, simulation, measuredGas } = this.options
    const directions: Direction[] = []
    const batchPools: Pool[] = []
    for (const pool of pools) {
      const poolDirections = this.directionsOf(pool)
      if (directions.length > 0 && directions.length + poolDirections.length > DIRECTIONS_PER_CALL) break
      batchPools.push(pool)
      if (poolDirections.length === 0) measuredGas.observe(pool.id, [], block.timestamp)
      directions.push(...poolDirections)
    }
    const hops = directions.flatMap((direction) => direction.hops.filter((hop) => hop !== null))
    if (hops.length === 0) return batchPools
    this.callsAtBlock = { ...this.callsAtBlock, calls: this.callsAtBlock.calls + 1 }
    const measurement = { guard: contracts.guard, executor: contracts.executor.address, block, hops }
    const usedGas = await measureHops(rpc, measurement, simulation)
    const gasByHop = new Map(hops.map((hop, k) => [hop, usedGas[k] ?? null]))
    for (const [pool, poolDirections] of Map.groupBy(directions, (direction) => direction.pool)) {
      const measuredHops = poolDirections.flatMap(({ tokenIn, tokenOut, hops }): MeasuredHop[] => {
        const [first, middle, last] = hops.map((hop) => hop && gasByHop.get(hop)!)
        // A direction that fails in the middle of a route is rarely useful, so it is dropped. A direction that fails only
        // at the start or end of a route gets the gas of the middle hop there.
        return middle ? [{ tokenIn, tokenOut, middle, first: first ?? middle, last: last ?? middle }] : []
      })
      measuredGas.observe(pool.id, measuredHops, block.timestamp)
    }
    return batchPools
  }

  private directionsOf(pool: Pool): readonly Direction[] {
    const { families, executor } = this.options.contracts
    const family = families.get(pool.family)!
    const pairs = pool.tokens.flatMap((tokenIn) => pool.tokens.map((tokenOut) => [tokenIn, tokenOut] as const))
    return pairs
      .slice(0, MAX_DIRECTIONS ** 2)
      .flatMap((pair): Direction[] => {
        const [tokenIn, tokenOut] = pair
        const amount = tokenIn === tokenOut ? null : probeAmount(pool, tokenIn, tokenOut)
        if (amount === null) return []
        const { first, middle, last } = hopPrograms(pool, pair, family, executor.address)
        const toHop = (program: typeof first): HopToMeasure | null =>
          program && { token: tokenIn, tokenOut, amount, ...program }
        return [{ pool, tokenIn, tokenOut, hops: [toHop(first), toHop(middle), toHop(last)] }]
      })
      .slice(0, MAX_DIRECTIONS)
  }
}
