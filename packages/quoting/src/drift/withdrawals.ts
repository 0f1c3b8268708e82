/**
 * Pools that pay less a block later than their trades explain: what that costs, as haircuts by which routes are ranked. Does no
 * I/O; evidence fades with samples and with time, and there is a limit to how much is kept.
 */
import { FLOAT_PPM } from '@sluice/chains'
import type { Haircuts } from '@sluice/routing'
import { Bounded, type StateCount } from '@sluice/simulation'
import type { Sample, SampledLeg } from './sample.ts'

/** Pools of which some quote was withdrawn; those with the oldest evidence go first. */
const MAX_POOLS = 1_000
/** Parts per million by which a quote must be missed to count: a tenth of a percent. */
const LEAST_PPM = 1_000
/** Base units below which the rounding of an output may look like more than nothing. */
const LEAST_OUTPUT = 100_000n
/** Samples that the evidence is of, about: each makes those before it count less by one part in so many. */
const MEMORY = 60
/** Seconds in which evidence comes to count half. */
const HALF_LIFE = 3_600
/**
 * Bounds by which withdrawals must outweigh gifts, against the square root of both together, before a pool is charged and before it is
 * left out. A pool whose price is set anew as often for the taker as against is within 3 of them but once in 90,000 independent
 * windows: faded weights make the root 1.4 times the standard deviation.
 */
const CHARGED_AT = 3
const LEFT_OUT_AT = 3.5
/** Part of the samples that a pool must have withdrawn, gifts taken off, to be left out. */
const LEFT_OUT_SHARE = 0.2
/** Seconds that a pool is left out: first, and at most. It doubles for each time within a day. */
const LEFT_OUT_FIRST = 3_600
const LEFT_OUT_MOST = 57_600
const FORGIVEN_AFTER = 86_400
/** A pool that still takes part is believed half at least. */
const MOST_PPM = 500_000
/** Parts per million to which haircuts are rounded: a basis point. */
const STEP_PPM = 100
/** Seconds after which fading is looked at again. */
const REFRESH = 60

type Evidence = {
  readonly family: string
  readonly dex: string
  /** Weights, each sample 1 when it is new: of all, of those that withdrew, of those that gave. */
  samples: number
  withdrew: number
  gave: number
  /** Parts per million lost, less those given, times weight. */
  lostPpm: number
  /** Unix seconds of the last sample. */
  at: number
  /** Unix seconds until which it is left out; 0 where it never was. */
  outUntil: number
  /** Times that it was left out, each within a day of the one before. */
  times: number
}

export type Withdrawing = {
  readonly id: string
  readonly family: string
  readonly dex: string
  /** Parts per million that it is ranked lower; all of it while it is left out. */
  readonly haircutPpm: number
  /** Unix seconds; null where it takes part. */
  readonly leftOutUntil: number | null
  /** Weights of the samples, and of those in which it withdrew: whole numbers that have faded. */
  readonly samples: number
  readonly withdrew: number
}

export class Withdrawals {
  private readonly pools = new Bounded<string, Evidence>(MAX_POOLS)
  private known: Haircuts | undefined
  /** Unix seconds that the known haircuts are of. */
  private knownAt = 0
  /** Unix seconds of the newest block that was told of. */
  private newest = 0
  private isStale = false

  get count(): StateCount {
    return this.pools.count
  }

  /** One block later, where nothing but the pools' own doing lies between. A block counts once for a pool. */
  take({ after, timestamp, legs }: Sample): void {
    this.newest = Math.max(this.newest, timestamp)
    if (after === 1) for (const leg of legs) this.takeLeg(leg, timestamp)
  }

  private takeLeg({ pool, ppm, unexplainedPpm, givenPpm, amountOut }: SampledLeg, timestamp: number): void {
    if (ppm === null || amountOut < LEAST_OUTPUT) return
    const withdrew = unexplainedPpm <= -LEAST_PPM
    // What a pool that never withdrew did well is not kept: it needs no excuse.
    const known = this.pools.get(pool.id) ?? (withdrew ? fresh(pool.family, pool.dex) : undefined)
    if (!known || known.at >= timestamp) return
    fade(known, timestamp, 1 - 1 / MEMORY)
    known.samples++
    if (withdrew) known.withdrew++
    if (givenPpm >= LEAST_PPM) known.gave++
    known.lostPpm -= Math.max(-FLOAT_PPM, unexplainedPpm) + Math.min(FLOAT_PPM, givenPpm)
    if (isAgainAndAgain(known) && known.outUntil <= timestamp) leaveOut(known, timestamp)
    this.pools.set(pool.id, known)
    this.isStale = true
  }

  /**
   * The haircuts as of a block, the same object as long as they are the same; undefined where there are none.
   *
   * @param now - Unix seconds of the block
   */
  haircuts(now: number): Haircuts | undefined {
    this.newest = Math.max(this.newest, now)
    if (this.pools.size === 0) return undefined
    if (!this.isStale && now >= this.knownAt && now < this.knownAt + REFRESH) return this.known
    this.knownAt = now
    this.isStale = false
    const fresh = new Map(this.withdrawing(now).map(({ id, haircutPpm }) => [id, haircutPpm]))
    const same = this.known?.size === fresh.size && [...fresh].every(([id, ppm]) => this.known?.get(id) === ppm)
    if (!same) this.known = fresh.size > 0 ? fresh : undefined
    return this.known
  }

  /** Pools with a haircut as of a block, the newest when absent; those that lose most first. */
  withdrawing(now = this.newest): readonly Withdrawing[] {
    return [...this.pools]
      .flatMap(([id, kept]) => {
        const one = { ...kept }
        fade(one, Math.max(now, one.at))
        const isOut = one.outUntil > now
        const haircutPpm = isOut ? FLOAT_PPM : isCharged(one) ? haircutOf(one) : 0
        const leftOutUntil = isOut ? one.outUntil : null
        const { family, dex, samples, withdrew } = one
        return haircutPpm > 0 ? [{ id, family, dex, haircutPpm, leftOutUntil, samples, withdrew }] : []
      })
      .sort((a, b) => b.haircutPpm - a.haircutPpm || (a.id < b.id ? -1 : 1))
  }
}

function fresh(family: string, dex: string): Evidence {
  return { family, dex, samples: 0, withdrew: 0, gave: 0, lostPpm: 0, at: 0, outUntil: 0, times: 0 }
}

/** Lets the evidence count less, by its age and by a factor of its own. */
function fade(of: Evidence, now: number, by = 1): void {
  const factor = by * 0.5 ** ((now - of.at) / HALF_LIFE)
  of.samples *= factor
  of.withdrew *= factor
  of.gave *= factor
  of.lostPpm *= factor
  of.at = now
}

/** True where withdrawals outweigh gifts by more than chance would have it. */
function outweighs({ withdrew, gave }: Evidence, times: number): boolean {
  return withdrew - gave >= times * Math.sqrt(withdrew + gave) && withdrew > 0
}

const isCharged = (of: Evidence): boolean => of.lostPpm > 0 && outweighs(of, CHARGED_AT)

const isAgainAndAgain = (of: Evidence): boolean =>
  isCharged(of) && outweighs(of, LEFT_OUT_AT) && of.withdrew - of.gave >= LEFT_OUT_SHARE * of.samples

/** Average loss of a quote of the pool. */
function haircutOf({ lostPpm, samples }: Evidence): number {
  return Math.min(MOST_PPM, Math.max(STEP_PPM, Math.round(lostPpm / samples / STEP_PPM) * STEP_PPM))
}

function leaveOut(of: Evidence, now: number): void {
  of.times = now - of.outUntil < FORGIVEN_AFTER ? of.times + 1 : 1
  of.outUntil = now + Math.min(LEFT_OUT_MOST, LEFT_OUT_FIRST * 2 ** (of.times - 1))
}
