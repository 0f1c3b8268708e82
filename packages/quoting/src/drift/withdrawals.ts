/**
 * Pools whose quotes fade: they pay less one block later than their trades explain. Computes the penalty with which
 * routes through them are ranked. Does no I/O; evidence decays with samples and with time, and its amount is limited.
 */
import { FLOAT_PPM } from '@sluice/chains'
import type { DriftPenalties } from '@sluice/routing'
import { BoundedMap, type StateCount } from '@sluice/simulation'
import type { DriftSample, SampledLeg } from './sample.ts'

/** Maximum pools with evidence; those with the oldest evidence are dropped first. */
const MAX_POOLS = 1_000
/** Minimum loss in ppm for a sample to count as faded: 0.1 %. */
const MIN_FADE_PPM = 1_000
/** Minimum output in base units; below it rounding errors look like losses. */
const MIN_OUTPUT = 100_000n
/** Approximate number of samples that the evidence covers: each new one reduces the weight of earlier ones by 1/60. */
const MEMORY = 60
/** Half-life of evidence in seconds. */
const HALF_LIFE_SECONDS = 3_600
/**
 * Thresholds on (faded - improved) / sqrt(faded + improved), above which a pool gets a penalty or is excluded. For a
 * pool whose price changes equally often in both directions, 3 is exceeded in one of 90,000 independent windows.
 * Decayed weights make the root 1.4 times the standard deviation.
 */
const PENALTY_THRESHOLD = 3
const EXCLUSION_THRESHOLD = 3.5
/** Minimum share of faded samples, less improved ones, for exclusion. */
const EXCLUSION_SHARE = 0.2
/** Seconds of the first and of the longest exclusion. Each further exclusion within a day doubles the time. */
const FIRST_EXCLUSION_SECONDS = 3_600
const MAX_EXCLUSION_SECONDS = 57_600
const EXCLUSION_MEMORY_SECONDS = 86_400
/** Maximum penalty in ppm of a pool that is not excluded. */
const MAX_PENALTY_PPM = 500_000
/** Rounding of penalties in ppm: one basis point. */
const STEP_PPM = 100
/** Seconds after which decayed penalties are recomputed. */
const REFRESH_SECONDS = 60

type Evidence = {
  readonly family: string
  readonly dex: string
  /** Decayed weights of all samples, of faded samples, and of improved samples; a new sample weighs 1. */
  sampleWeight: number
  fadedWeight: number
  improvedWeight: number
  /** Weighted sum of losses less gains, ppm. */
  weightedLossPpm: number
  /** Unix time in seconds of the last sample. */
  lastSampleAt: number
  /** Unix time in seconds until which the pool is excluded; 0 if it never was. */
  excludedUntil: number
  /** Number of exclusions in a row, each within a day of the previous one. */
  exclusionCount: number
}

/** A pool whose quotes fade, with its penalty. */
export type FadingPool = {
  readonly id: string
  readonly family: string
  readonly dex: string
  /** Penalty in ppm with which routes are ranked; 1,000,000 while the pool is excluded. */
  readonly driftPenaltyPpm: number
  /** Unix time in seconds until which it is excluded; null if it is not. */
  readonly leftOutUntil: number | null
  /** Decayed weights of all samples and of faded ones. */
  readonly samples: number
  readonly withdrew: number
}

/** Tracks pools whose quotes fade. */
export class FadingPools {
  private readonly pools = new BoundedMap<string, Evidence>(MAX_POOLS)
  private cached: DriftPenalties | undefined
  /** Unix time in seconds of the cached penalties. */
  private cachedAt = 0
  /** Unix time in seconds of the newest block. */
  private newestTimestamp = 0
  private isStale = false

  get count(): StateCount {
    return this.pools.count
  }

  /**
   * Records a sample one block after the quote, when only the pool itself can explain a difference. Counts once per
   * pool and block.
   */
  record({ after, timestamp, legs }: DriftSample): void {
    this.newestTimestamp = Math.max(this.newestTimestamp, timestamp)
    if (after === 1) for (const leg of legs) this.takeLeg(leg, timestamp)
  }

  private takeLeg({ pool, ppm, unexplainedPpm, stateChangePpm, amountOut }: SampledLeg, timestamp: number): void {
    if (ppm === null || amountOut < MIN_OUTPUT) return
    const hasWithdrawn = unexplainedPpm <= -MIN_FADE_PPM
    // Pools that never faded have no entry, and need none.
    const evidence = this.pools.get(pool.id) ?? (hasWithdrawn ? newEvidence(pool.family, pool.dex) : undefined)
    if (!evidence || evidence.lastSampleAt >= timestamp) return
    fade(evidence, timestamp, 1 - 1 / MEMORY)
    evidence.sampleWeight++
    if (hasWithdrawn) evidence.fadedWeight++
    if (stateChangePpm >= MIN_FADE_PPM) evidence.improvedWeight++
    evidence.weightedLossPpm -= Math.max(-FLOAT_PPM, unexplainedPpm) + Math.min(FLOAT_PPM, stateChangePpm)
    if (isExcludable(evidence) && evidence.excludedUntil <= timestamp) exclude(evidence, timestamp)
    this.pools.set(pool.id, evidence)
    this.isStale = true
  }

  /**
   * Returns the penalties at a block, by pool id; undefined if there are none. The same object until they change.
   *
   * @param now - timestamp of the block, Unix seconds
   */
  driftPenalties(now: number): DriftPenalties | undefined {
    this.newestTimestamp = Math.max(this.newestTimestamp, now)
    if (this.pools.size === 0) return undefined
    if (!this.isStale && now >= this.cachedAt && now < this.cachedAt + REFRESH_SECONDS) return this.cached
    this.cachedAt = now
    this.isStale = false
    const newEvidence = new Map(this.list(now).map(({ id, driftPenaltyPpm }) => [id, driftPenaltyPpm]))
    const isUnchanged =
      this.cached?.size === newEvidence.size && [...newEvidence].every(([id, ppm]) => this.cached?.get(id) === ppm)
    if (!isUnchanged) this.cached = newEvidence.size > 0 ? newEvidence : undefined
    return this.cached
  }

  /** Lists the pools with a penalty at a block, the newest if absent; largest penalty first. */
  list(now = this.newestTimestamp): readonly FadingPool[] {
    return [...this.pools]
      .flatMap(([id, evidence]) => {
        const copy = { ...evidence }
        fade(copy, Math.max(now, copy.lastSampleAt))
        const isOut = copy.excludedUntil > now
        const driftPenaltyPpm = isOut ? FLOAT_PPM : isPenalized(copy) ? penaltyPpmOf(copy) : 0
        const leftOutUntil = isOut ? copy.excludedUntil : null
        const { family, dex, sampleWeight, fadedWeight } = copy
        return driftPenaltyPpm > 0
          ? [{ id, family, dex, driftPenaltyPpm, leftOutUntil, samples: sampleWeight, withdrew: fadedWeight }]
          : []
      })
      .sort((a, b) => b.driftPenaltyPpm - a.driftPenaltyPpm || (a.id < b.id ? -1 : 1))
  }
}

function newEvidence(family: string, dex: string): Evidence {
  return {
    family,
    dex,
    sampleWeight: 0,
    fadedWeight: 0,
    improvedWeight: 0,
    weightedLossPpm: 0,
    lastSampleAt: 0,
    excludedUntil: 0,
    exclusionCount: 0,
  }
}

/** Decays the evidence by its age and by an extra factor. */
function fade(evidence: Evidence, now: number, weight = 1): void {
  const factor = weight * 0.5 ** ((now - evidence.lastSampleAt) / HALF_LIFE_SECONDS)
  evidence.sampleWeight *= factor
  evidence.fadedWeight *= factor
  evidence.improvedWeight *= factor
  evidence.weightedLossPpm *= factor
  evidence.lastSampleAt = now
}

/** Returns true if faded samples outweigh improved ones by more than chance explains. */
function outweighs({ fadedWeight, improvedWeight }: Evidence, times: number): boolean {
  return fadedWeight - improvedWeight >= times * Math.sqrt(fadedWeight + improvedWeight) && fadedWeight > 0
}

const isPenalized = (evidence: Evidence): boolean =>
  evidence.weightedLossPpm > 0 && outweighs(evidence, PENALTY_THRESHOLD)

const isExcludable = (evidence: Evidence): boolean =>
  isPenalized(evidence) &&
  outweighs(evidence, EXCLUSION_THRESHOLD) &&
  evidence.fadedWeight - evidence.improvedWeight >= EXCLUSION_SHARE * evidence.sampleWeight

/** Returns the average loss of a quote through the pool, ppm. */
function penaltyPpmOf({ weightedLossPpm, sampleWeight }: Evidence): number {
  return Math.min(MAX_PENALTY_PPM, Math.max(STEP_PPM, Math.round(weightedLossPpm / sampleWeight / STEP_PPM) * STEP_PPM))
}

function exclude(evidence: Evidence, now: number): void {
  evidence.exclusionCount = now - evidence.excludedUntil < EXCLUSION_MEMORY_SECONDS ? evidence.exclusionCount + 1 : 1
  evidence.excludedUntil =
    now + Math.min(MAX_EXCLUSION_SECONDS, FIRST_EXCLUSION_SECONDS * 2 ** (evidence.exclusionCount - 1))
}
