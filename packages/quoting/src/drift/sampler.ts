/** Quotes simulated again, one and two blocks after the block that they were made at: a share of the node's calls goes into it. */
import { FLOAT_PPM, type Hex } from '@sluice/chains'
import type { Snapshot } from '@sluice/liquidity'
import { encodeSwap, type Leg, type Route } from '@sluice/routing'
import type { SimulationRequest, SimulationResult } from '@sluice/simulation'
import type { SwapContracts } from '../chain/contracts.ts'
import type { Log } from '../events.ts'
import { alone } from '../quote/culprits.ts'
import type { Made } from '../quote/made.ts'
import { NEUTRAL_SENDER } from '../quote/neutral-sender.ts'
import type { Simulate } from '../quote/ports.ts'
import { tooLittle } from '../quote/try-route.ts'
import type { ChainView } from '../view/view.ts'
import { CallShare } from './call-share.ts'
import { changePpm, poolDrift, sharesOf } from './leg-drift.ts'
import type { After, Sample, SampledLeg } from './sample.ts'
import { AFTER, DriftStatistics } from './statistics.ts'

/** Quotes that wait for their blocks. */
const MAX_WAITING = 32
/** Calls of a quote: one a block. */
const CALLS = AFTER.length
/** Calls that a simulation which fails takes more: the target's code, and another try. */
const FAILED_CALLS = 2
/** Parts per million that a route pays less than its pools say before they are asked one by one. */
const SUSPICIOUS_PPM = 1_000
/** Limit of a route whose pools are asked one by one. */
const MAX_ASKED = 6

type Options = {
  /** Share of the node's calls, from 0 to 1. */
  readonly share: number
  readonly contracts: Pick<SwapContracts, 'guard' | 'executor' | 'families'>
  readonly simulate: Simulate
  /** True for a block of the chain as it is known now. */
  readonly holds: (block: Snapshot['block']) => boolean
  readonly log: Pick<Log, 'warn'>
  readonly onSample: (sample: Sample) => void
}

type Waiting = Pick<Made, 'quote' | 'from' | 'terms' | 'asSent'> & {
  readonly code: Promise<Hex>
  /** A token takes a part of transfers: what one of its legs pays alone says nothing. */
  readonly isTaxed: boolean
  /** Blocks after that of the quote that were looked at, or can be no more. */
  looked: number
}
type Known = { readonly snapshot: Snapshot; readonly code: Hex }

export class DriftSampler {
  readonly statistics = new DriftStatistics()
  private readonly options: Options
  private readonly calls: CallShare
  private waiting: Waiting[] = []
  private offeredAt = 0
  /** Number of the block that was seen last: more of its pools may be told of later. */
  private seen = 0

  constructor(options: Options) {
    this.options = options
    this.calls = new CallShare(options.share)
  }

  /** True while a quote waits for the next blocks, which come within so many milliseconds if they come at all. */
  awaitsBlocks(ms: number): boolean {
    return this.waiting.length > 0 && Date.now() - this.offeredAt < ms
  }

  /** Calls went to the node. */
  spent(calls: number): void {
    this.calls.earn(calls)
  }

  /** A quote was made: it is taken where its simulations have been earned. */
  offer(view: Pick<ChainView, 'codeOf'>, { quote, from, terms, sought, asSent }: Made): void {
    if (this.calls.isOff || quote.route.legs.length === 0 || this.waiting.length >= MAX_WAITING) return
    if (!this.calls.take(CALLS)) return
    const code = view.codeOf(from)
    // A failure is met where it is waited for.
    code.catch(() => {})
    const isTaxed = quote.route.legs.some(
      ({ tokenIn, tokenOut }) => sought.taxes?.has(tokenIn) || sought.taxes?.has(tokenOut),
    )
    this.offeredAt = Date.now()
    this.waiting.push({ quote, from, terms, asSent, code, isTaxed, looked: 0 })
  }

  /** A block came. Resolves when the quotes whose turn it is have been simulated. */
  async observe(snapshot: Snapshot): Promise<void> {
    const { number } = snapshot.block
    const isNew = number > this.seen
    this.seen = number
    if (!isNew) return
    const due = this.waiting.filter(({ quote: { block } }) => block.number < number)
    this.waiting = this.waiting.filter(({ quote: { block } }) => block.number + CALLS > number)
    for (const one of due) {
      const blocks = Math.min(number - one.quote.block.number, CALLS + 1)
      // Blocks that came and went between two that were seen.
      for (; one.looked < blocks - 1; one.looked++) this.statistics.miss()
      one.looked = blocks
    }
    await Promise.all(due.map((one) => this.simulateAgain(one, snapshot)))
  }

  /** The chain sleeps: nobody sees the blocks to come. */
  forget(): void {
    this.waiting = []
    this.seen = 0
  }

  private async simulateAgain(one: Waiting, snapshot: Snapshot): Promise<void> {
    const { block } = one.quote
    const after = AFTER.find((blocks) => block.number + blocks === snapshot.block.number)
    if (!after) return
    const isOver = one.terms.deadline <= BigInt(snapshot.block.timestamp)
    if (isOver || !this.options.holds(block)) return this.statistics.miss()
    try {
      const known = { snapshot, code: await one.code }
      const sample = await this.sample(one, known, after)
      this.statistics.add(sample)
      this.options.onSample(sample)
    } catch (error) {
      // The node failed, or knows the block no more: that says nothing of the quote.
      this.statistics.miss()
      this.options.log.warn({ err: error }, 'a quote could not be simulated again')
    }
  }

  private async sample(one: Waiting, known: Known, after: After): Promise<Sample> {
    const { quote, from, asSent, terms } = one
    const { to, data } = quote.swap
    const { tokenIn, tokenOut, amountIn, legs } = quote.route
    const { recipient = from } = terms
    const request = { from, recipient, to, data, tokenIn, tokenOut, amountIn, asSent }
    const result = await this.run(request, known, quote.route)
    const received = result.success ? result.amountOut : tooLittle(result)
    const ppm = received === undefined ? null : changePpm(quote.amountOut, received)
    const sampled = legs.map((leg) => legOf(leg, known.snapshot))
    return {
      after,
      timestamp: known.snapshot.block.timestamp,
      ppm,
      reverted: !result.success,
      legs: one.isTaxed ? sampled : await this.attributed(one, sampled, ppm, known),
    }
  }

  /**
   * The pools' answers, held against what was paid: where that is less, it is a pool's own doing that memory does not see. One
   * pool alone has done it; of several each is asked.
   */
  private async attributed(one: Waiting, legs: readonly SampledLeg[], ppm: number | null, known: Known) {
    const { route } = one.quote
    const shares = sharesOf(route)
    const said = legs.reduce((sum, leg, k) => sum + (leg.ppm ?? -FLOAT_PPM) * shares[k]!, 0)
    const missing = (ppm ?? -FLOAT_PPM) - said
    if (missing > -SUSPICIOUS_PPM) return legs
    if (legs.length === 1) return [withdrawn(legs[0]!, missing)]
    if (legs.length > MAX_ASKED || !this.calls.take(legs.length)) return legs
    return Promise.all(
      legs.map(async (leg, k) => withdrawn(leg, await this.missingOf(route.legs[k]!, leg, one, known))),
    )
  }

  /** Parts per million that a pool pays less than memory says of it; 0 where it pays as much. */
  private async missingOf(leg: Leg, { pool }: SampledLeg, { terms: made }: Waiting, known: Known): Promise<number> {
    const terms = { ...made, from: NEUTRAL_SENDER, recipient: NEUTRAL_SENDER, minOutput: 1n, feePpm: 0n, direct: false }
    const route = alone({ ...leg, pool })
    const { contracts } = this.options
    const swap = encodeSwap({ ...terms, route, families: contracts.families })
    const { tokenIn, tokenOut, amountIn } = route
    const request = { from: NEUTRAL_SENDER, to: swap.to, data: swap.data, tokenIn, tokenOut, amountIn }
    const [then, now] = [poolDrift(leg.pool, pool, leg).ppm, await this.run(request, { ...known, code: '0x' }, route)]
    const due = (1 + then / FLOAT_PPM) * Number(leg.amountOut)
    return Math.min(0, ((now.success ? Number(now.amountOut) : 0) / due - 1) * FLOAT_PPM)
  }

  private async run(
    request: Pick<
      SimulationRequest,
      'from' | 'recipient' | 'to' | 'data' | 'tokenIn' | 'tokenOut' | 'amountIn' | 'asSent'
    >,
    { snapshot: { block }, code }: Known,
    { legs }: Route,
  ): Promise<SimulationResult> {
    const result = await this.options.simulate(
      {
        ...request,
        block: { blockHash: block.hash },
        known: { header: block, senderCode: code },
        priority: 'background',
      },
      new Set(legs.map(({ pool }) => pool.address)),
    )
    if (!result.success) this.calls.owe(FAILED_CALLS)
    return result
  }
}

function legOf(leg: Leg, { pools }: Snapshot): SampledLeg {
  const now = pools.get(leg.pool.id)
  // Tokens that nobody asks for are followed no more: what became of their pools is not known.
  const { amountOut } = leg
  if (!now) return { pool: leg.pool, ppm: null, unexplainedPpm: 0, givenPpm: 0, amountOut }
  return { pool: now, amountOut, ...poolDrift(leg.pool, now, leg) }
}

function withdrawn(leg: SampledLeg, missingPpm: number): SampledLeg {
  const both = (a: number, b: number) => (1 + a / FLOAT_PPM) * (1 + b / FLOAT_PPM) * FLOAT_PPM - FLOAT_PPM
  if (missingPpm > -SUSPICIOUS_PPM) return leg
  return {
    ...leg,
    ppm: both(leg.ppm ?? 0, missingPpm),
    unexplainedPpm: both(leg.unexplainedPpm, missingPpm),
    givenPpm: 0,
  }
}
