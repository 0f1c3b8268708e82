/**
 * Drift sampler: simulates quotes again, one and two blocks after the quoted block, with a share of the node's calls.
 * The drift of a quote is the relative change of its output between the blocks. `LiveChain` offers each quote, and
 * reports each snapshot (the pools at one block).
 */
import { FLOAT_PPM } from '@sluice/chains'
import type { Snapshot } from '@sluice/liquidity'
import { encodeSwap, type Leg, type RoutePlan } from '@sluice/routing'
import type { SimulationRequest, SwapSimulation } from '@sluice/simulation'
import type { ChainContracts } from '../chain/contracts.ts'
import type { Logger } from '../events.ts'
import { NEUTRAL_SENDER } from '../neutral-sender.ts'
import { mayRunCallerCode } from '../quote/caller-code.ts'
import { singleLegRoute } from '../quote/faulty-legs.ts'
import type { Simulate } from '../quote/ports.ts'
import type { QuoteRecord } from '../quote/quote-record.ts'
import { receivedFromRefusal, withoutOwnFee } from '../quote/try-route.ts'
import type { ChainView } from '../view/view.ts'
import { CallShare } from './call-share.ts'
import { changePpm, poolDrift, sharesOf } from './leg-drift.ts'
import type { BlocksAfter, DriftSample, SampledLeg } from './sample.ts'
import { BLOCKS_AFTER, DriftStatistics } from './statistics.ts'

/** Maximum quotes that wait for later blocks. */
const MAX_PENDING = 32
/** Simulations per quote: one in each of the later blocks, which directly follow the quoted block. */
const SIMULATIONS_PER_QUOTE = BLOCKS_AFTER.length
/** Extra node calls if a simulation fails: reading the target's code, and a retry. */
const EXTRA_CALLS_AFTER_FAILURE = 2
/**
 * Minimum unexplained shortfall, in ppm of the output, for which the pools of a route are simulated one by one. A
 * shortfall is unexplained if the state changes of the pools do not predict it.
 */
const SUSPICIOUS_PPM = 1_000
/** Maximum legs of a route whose pools are simulated one by one. */
const MAX_PROBED_LEGS = 6

type Options = {
  /** Share of the node's calls, from 0 to 1. */
  readonly share: number
  readonly contracts: Pick<ChainContracts, 'guard' | 'executor' | 'families'>
  readonly simulate: Simulate
  /** True if the block is on the canonical chain. */
  readonly isCanonical: (block: Snapshot['block']) => boolean
  readonly log: Pick<Logger, 'warn'>
}

type PendingSample = Pick<QuoteRecord, 'quote' | 'from' | 'terms' | 'dependsOnSenderCode' | 'usesOwnBalance'> & {
  /** True if the caller's own code may run in the swap. */
  readonly runsCallerCode: Promise<boolean>
  /** True if a token of the route is taxed: a leg that is simulated alone then shows the tax instead of drift. */
  readonly isTaxed: boolean
  /** Number of later blocks that were processed or missed. */
  processedBlocks: number
}

export class DriftSampler {
  readonly statistics = new DriftStatistics()
  private readonly options: Options
  private readonly callShare: CallShare
  private pendingSamples: PendingSample[] = []
  private lastOfferMs = 0
  /** Number of the last processed block; further snapshots of that block are ignored. */
  private lastBlock = 0
  /** Number of calls of `clear`. A quote from before the last call is not simulated, because that would wake the chain. */
  private clearCount = 0

  constructor(options: Options) {
    this.options = options
    this.callShare = new CallShare(options.share)
  }

  /** True while quotes wait for later blocks, for at most `ms` after the last offer. */
  awaitsBlocks(ms: number): boolean {
    return this.pendingSamples.length > 0 && performance.now() - this.lastOfferMs < ms
  }

  /** Counts calls that were sent to the node. */
  recordNodeCalls(calls: number): void {
    this.callShare.creditCalls(calls)
  }

  /** Queues a new quote if the call budget covers its simulations. */
  offer(
    view: Pick<ChainView, 'codeOf'>,
    { quote, from, terms, searchRequest, dependsOnSenderCode, usesOwnBalance }: QuoteRecord,
  ): void {
    if (this.callShare.isOff || quote.route.legs.length === 0 || this.pendingSamples.length >= MAX_PENDING) return
    if (!this.callShare.takeCalls(SIMULATIONS_PER_QUOTE)) return
    const isTaxed = quote.route.legs.some(
      ({ tokenIn, tokenOut }) => searchRequest.taxes?.has(tokenIn) || searchRequest.taxes?.has(tokenOut),
    )
    this.lastOfferMs = performance.now()
    this.pendingSamples.push({
      quote,
      from,
      terms,
      dependsOnSenderCode,
      usesOwnBalance,
      runsCallerCode: mayRunCallerCode({ ...terms, from }, view),
      isTaxed,
      processedBlocks: 0,
    })
  }

  /** Simulates the quotes that are due at a new block. */
  async observe(snapshot: Snapshot): Promise<void> {
    const { number } = snapshot.block
    const isNew = number > this.lastBlock
    this.lastBlock = number
    if (!isNew) return
    // After a reorg to a lower block, the next blocks repeat numbers that were processed before, so skip such quotes.
    const dueSamples = this.pendingSamples.filter(
      ({ quote: { block }, processedBlocks }) => block.number + processedBlocks < number,
    )
    this.pendingSamples = this.pendingSamples.filter(
      ({ quote: { block } }) => block.number + SIMULATIONS_PER_QUOTE > number,
    )
    for (const pendingSample of dueSamples) {
      const blocksAfterQuote = Math.min(number - pendingSample.quote.block.number, SIMULATIONS_PER_QUOTE + 1)
      // Count the blocks that were skipped between two snapshots.
      for (; pendingSample.processedBlocks < blocksAfterQuote - 1; pendingSample.processedBlocks++)
        this.statistics.recordMissed()
      pendingSample.processedBlocks = blocksAfterQuote
    }
    await Promise.all(dueSamples.map((pendingSample) => this.simulateAgain(pendingSample, snapshot)))
  }

  /** Drops the waiting quotes when the chain falls asleep. */
  clear(): void {
    this.clearCount++
    this.pendingSamples = []
    this.lastBlock = 0
  }

  private async simulateAgain(pendingSample: PendingSample, snapshot: Snapshot): Promise<void> {
    const { block } = pendingSample.quote
    const after = BLOCKS_AFTER.find((blocks) => block.number + blocks === snapshot.block.number)
    if (!after) return
    const { clearCount } = this
    const hasExpired = pendingSample.terms.deadline <= BigInt(snapshot.block.timestamp)
    if (hasExpired || !this.options.isCanonical(block)) return this.statistics.recordMissed()
    try {
      // The caller's code may have changed the outcome, so the sample says nothing about pools.
      if ((await pendingSample.runsCallerCode) || this.clearCount !== clearCount) return this.statistics.recordMissed()
      this.statistics.add(await this.takeSample(pendingSample, snapshot, after))
    } catch (error) {
      // The node failed or no longer has the block. This says nothing about the quote.
      this.statistics.recordMissed()
      this.options.log.warn({ err: error }, 'failed to simulate a quote again')
    }
  }

  private async takeSample(pendingSample: PendingSample, snapshot: Snapshot, after: BlocksAfter): Promise<DriftSample> {
    const { quote, from, dependsOnSenderCode, usesOwnBalance, terms } = pendingSample
    const { clearCount } = this
    const { to, data } = quote.swap
    const { tokenIn, tokenOut, amountIn, legs } = quote.route
    const { recipient = from, feePpm = 0n, feeRecipient } = terms
    const request = {
      ...{ from, recipient, to, data, tokenIn, tokenOut, amountIn },
      ...(dependsOnSenderCode && { bareRunMode: 'measured' as const }),
    }
    // The simulation checks whether the sender still holds the amount.
    const senderBalance = usesOwnBalance ? amountIn : undefined
    const simulation = await this.simulate(request, snapshot, quote.route, senderBalance)
    const result = withoutOwnFee(simulation, { from, recipient, feePpm, feeRecipient })
    const amountOut = result.success ? result.amountOut : receivedFromRefusal(result)
    const ppm = amountOut === undefined ? null : changePpm(quote.amountOut, amountOut)
    const mayAttribute = !pendingSample.isTaxed && this.clearCount === clearCount
    const sampledLegs = legs.map((leg) => sampledLegOf(leg, snapshot))
    return {
      after,
      timestamp: snapshot.block.timestamp,
      ppm,
      reverted: !result.success,
      legs: mayAttribute ? await this.attributeShortfall(pendingSample, sampledLegs, ppm, snapshot) : sampledLegs,
    }
  }

  /**
   * Attributes an unexplained shortfall to the pools that pay less than their new states predict. Simulates each pool
   * alone for a neutral sender, even if the route has only one pool. An account of the caller may have got code since
   * the quote, and this code could change the outcome.
   */
  private async attributeShortfall(
    pendingSample: PendingSample,
    legs: readonly SampledLeg[],
    routePpm: number | null,
    snapshot: Snapshot,
  ) {
    const { route } = pendingSample.quote
    const shares = sharesOf(route)
    const expectedPpm = legs.reduce((sum, leg, k) => sum + (leg.ppm ?? -FLOAT_PPM) * shares[k]!, 0)
    const missingPpm = (routePpm ?? -FLOAT_PPM) - expectedPpm
    if (missingPpm > -SUSPICIOUS_PPM) return legs
    if (legs.length > MAX_PROBED_LEGS || !this.callShare.takeCalls(legs.length)) return legs
    return Promise.all(
      legs.map(async (leg, k) =>
        addShortfall(leg, await this.shortfallPpm(route.legs[k]!, leg, pendingSample, snapshot)),
      ),
    )
  }

  /**
   * Simulates one leg alone. Returns the simulated output less the output that the pool's new state predicts, in ppm of
   * the predicted output; at most 0.
   */
  private async shortfallPpm(
    leg: Leg,
    { pool }: SampledLeg,
    { terms: recordedTerms }: PendingSample,
    snapshot: Snapshot,
  ): Promise<number> {
    const { ppm: expectedPpm } = poolDrift(leg.pool, pool, leg)
    const expectedAmount = (1 + expectedPpm / FLOAT_PPM) * Number(leg.amountOut)
    // The new state explains a total loss, and a ratio to zero would not be a number.
    if (expectedAmount === 0) return 0
    const terms = {
      ...recordedTerms,
      from: NEUTRAL_SENDER,
      recipient: NEUTRAL_SENDER,
      minOutput: 1n,
      feePpm: 0n,
      direct: false,
    }
    const route = singleLegRoute({ ...leg, pool })
    const { contracts } = this.options
    const swap = encodeSwap({ ...terms, route, families: contracts.families })
    const { tokenIn, tokenOut, amountIn } = route
    const request = { from: NEUTRAL_SENDER, to: swap.to, data: swap.data, tokenIn, tokenOut, amountIn }
    const simulation = await this.simulate(request, snapshot, route)
    return Math.min(0, ((simulation.success ? Number(simulation.amountOut) : 0) / expectedAmount - 1) * FLOAT_PPM)
  }

  private async simulate(
    request: Pick<
      SimulationRequest,
      'from' | 'recipient' | 'to' | 'data' | 'tokenIn' | 'tokenOut' | 'amountIn' | 'bareRunMode'
    >,
    { block }: Snapshot,
    { legs }: RoutePlan,
    senderBalance?: bigint,
  ): Promise<SwapSimulation> {
    const result = await this.options.simulate(
      {
        ...request,
        block: { blockHash: block.hash },
        knownState: { header: block, senderCode: '0x', ...(senderBalance !== undefined && { senderBalance }) },
        priority: 'background',
      },
      new Set(legs.map(({ pool }) => pool.address)),
    )
    if (!result.success) this.callShare.recordExtra(EXTRA_CALLS_AFTER_FAILURE)
    return result
  }
}

function sampledLegOf(leg: Leg, { pools }: Snapshot): SampledLeg {
  const laterPool = pools.get(leg.pool.id)
  // A pool leaves memory when nobody requests its tokens; its drift is then unknown.
  const { amountOut } = leg
  if (!laterPool) return { pool: leg.pool, ppm: null, unexplainedPpm: 0, unexplainedGainPpm: 0, amountOut }
  return { pool: laterPool, amountOut, ...poolDrift(leg.pool, laterPool, leg) }
}

function addShortfall(leg: SampledLeg, missingPpm: number): SampledLeg {
  const compound = (a: number, b: number) => (1 + a / FLOAT_PPM) * (1 + b / FLOAT_PPM) * FLOAT_PPM - FLOAT_PPM
  if (missingPpm > -SUSPICIOUS_PPM) return leg
  return {
    ...leg,
    ppm: compound(leg.ppm ?? 0, missingPpm),
    unexplainedPpm: compound(leg.unexplainedPpm, missingPpm),
    unexplainedGainPpm: 0,
  }
}
