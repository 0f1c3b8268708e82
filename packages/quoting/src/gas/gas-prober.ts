/**
 * Measures the gas of hops in the background: of the pools that trade the tokens of a quote with one another or with the chain's hubs,
 * many in one call, as soon as they are known. Nothing waits for it, and a failure leaves pools to the figures of their families.
 */
import { type Address, type Chain, ZERO_ADDRESS } from '@sluice/chains'
import type { Pool, Snapshot } from '@sluice/liquidity'
import { hopPrograms, type MeasuredHop } from '@sluice/routing'
import { inSlices, type Rpc } from '@sluice/rpc'
import { Bounded, type HopToMeasure, measureHops, type SimulationContext } from '@sluice/simulation'
import type { SwapContracts } from '../chain/contracts.ts'
import type { Log } from '../events.ts'
import type { MeasuredGas } from './measured-gas.ts'
import { probeAmount } from './probe-amount.ts'

/** Directions through pools that one call measures, each at three places of a route. */
const HOPS_PER_CALL = 16
/** Directions of one pool: pools of many tokens have dozens. */
const MAX_DIRECTIONS = 12
/** Pools that wait; more are left until a later quote. */
const MAX_WAITING = 256
/** Calls that one block is worth. */
const CALLS_PER_BLOCK = 32
/** Sets of tokens whose pools were looked through lately, and milliseconds for which that counts. */
const MAX_LOOKED = 4_096
const LOOK_EVERY_MS = 60_000
/** Pools that are looked through before the event loop has a turn. */
const SCAN_SLICE = 256

type Source = { readonly rpc: Rpc; readonly snapshot: Snapshot }
type Options = {
  readonly chain: Chain
  readonly contracts: SwapContracts
  readonly simulation: SimulationContext
  readonly measured: MeasuredGas
  readonly log: Pick<Log, 'info'>
}
/** One direction of a pool, with the programs that measure it. */
type Direction = {
  readonly pool: Pool
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly hops: readonly (HopToMeasure | null)[]
}

export class GasProber {
  private readonly options: Options
  private readonly hubs: readonly Address[]
  /** Tokens of quotes whose pools are still to be looked for. */
  private wanted = new Set<Address>()
  private waiting = new Map<string, Pool>()
  /** Tokens that were looked through together a moment ago. */
  private readonly looked = new Bounded<string, true>(MAX_LOOKED, { ttl: LOOK_EVERY_MS })
  private source: Source | undefined
  private running = false
  private block = { hash: '', calls: 0 }

  constructor(options: Options) {
    const { chain } = options
    this.options = options
    this.hubs = [...chain.hubs, ...(chain.wrappedNative ? [chain.wrappedNative.address, ZERO_ADDRESS] : [])]
  }

  /** True while pools of some quote are still to be measured. */
  get isRunning(): boolean {
    return this.running
  }

  /** Measures the pools of a quote's tokens that are due. Never rejects: what fails now is tried with a later quote. */
  async want(tokens: readonly Address[], source: Source): Promise<void> {
    const key = tokens.toSorted().join()
    if (this.looked.has(key)) return
    this.looked.set(key, true)
    for (const token of tokens) this.wanted.add(token)
    this.source = source
    if (!this.running) await this.run()
  }

  /** Forgets what waits: the chain sleeps. */
  forget(): void {
    this.wanted.clear()
    this.waiting.clear()
    this.source = undefined
  }

  private async run(): Promise<void> {
    this.running = true
    try {
      // Quotes that come meanwhile bring newer blocks and more pools.
      for (let { source } = this; source && this.wanted.size + this.waiting.size > 0; { source } = this) {
        if (this.wanted.size > 0) await this.find(source.snapshot)
        if (!this.mayCall(source.snapshot)) break
        await this.measureSome(source)
      }
    } catch (error) {
      this.options.log.info({ err: error }, 'gas of pools not measured, retried with the next quote')
    } finally {
      this.forget()
      this.running = false
    }
  }

  private mayCall({ block: { hash } }: Snapshot): boolean {
    if (this.block.hash !== hash) this.block = { hash, calls: 0 }
    return this.block.calls < CALLS_PER_BLOCK
  }

  /** Takes up the pools of the wanted tokens that are due, those that join two of them first. */
  private async find({ pools, block }: Snapshot): Promise<void> {
    const { contracts, measured } = this.options
    const ends = this.wanted
    this.wanted = new Set()
    const near = new Set([...ends, ...this.hubs])
    const found: { readonly pool: Pool; readonly joins: number }[] = []
    await inSlices(
      'gas probes',
      (function* () {
        let looked = 0
        for (const pool of pools.values()) {
          if (++looked % SCAN_SLICE === 0) yield
          const joins = pool.tokens.filter((token) => ends.has(token)).length
          if (joins === 0 || pool.tokens.filter((token) => near.has(token)).length < 2) continue
          if (contracts.executable.has(pool.family) && measured.isDue(pool.id, block.timestamp))
            found.push({ pool, joins })
        }
      })(),
    )
    for (const { pool } of found.sort((a, b) => b.joins - a.joins))
      if (this.waiting.size < MAX_WAITING) this.waiting.set(pool.id, pool)
  }

  private async measureSome({ rpc, snapshot: { block } }: Source): Promise<void> {
    const { contracts, simulation, measured } = this.options
    const batch: Direction[] = []
    for (const [id, pool] of this.waiting) {
      const directions = this.directionsOf(pool)
      if (batch.length > 0 && batch.length + directions.length > HOPS_PER_CALL) break
      this.waiting.delete(id)
      if (directions.length === 0) measured.observe(pool.id, [], block.timestamp)
      batch.push(...directions)
    }
    const hops = batch.flatMap((direction) => direction.hops.filter((hop) => hop !== null))
    if (hops.length === 0) return
    this.block = { ...this.block, calls: this.block.calls + 1 }
    const order = { guard: contracts.guard, executor: contracts.executor.address, block, hops }
    const used = await measureHops(rpc, order, simulation)
    const gasOf = new Map(hops.map((hop, k) => [hop, used[k] ?? null]))
    for (const [pool, directions] of Map.groupBy(batch, (direction) => direction.pool)) {
      const found = directions.flatMap(({ tokenIn, tokenOut, hops }): MeasuredHop[] => {
        const [first, middle, last] = hops.map((hop) => hop && gasOf.get(hop)!)
        // A hop that fails behind another one is of little use; what fails at an end alone counts as between two.
        return middle ? [{ tokenIn, tokenOut, middle, first: first ?? middle, last: last ?? middle }] : []
      })
      measured.observe(pool.id, found, block.timestamp)
    }
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
        const hops = [first, middle, last].map((of) => of && { token: tokenIn, tokenOut, amount, ...of })
        return [{ pool, tokenIn, tokenOut, hops }]
      })
      .slice(0, MAX_DIRECTIONS)
  }
}
