/**
 * Finds pools whose quotes fade: one block after a quote, the pool pays less, and the trades in between do not explain
 * the loss. Computes the penalty with which routes through such pools are ranked. Does no I/O. Evidence decays with
 * samples and with time, and its amount is limited.
 */
import { FLOAT_PPM } from '@sluice/chains'
import type { DriftPenalties } from '@sluice/routing'
import { BoundedMap, type StateCount } from '@sluice/simulation'
import type { DriftSample, SampledLeg } from './sample.ts'

/** Maximum pools with evidence. Pools with the oldest evidence are dropped first. */
const MAX_POOLS = 1_000
/** Minimum unexplained change in ppm (0.1 %) for a sample to count as faded (a loss) or improved (a gain). */
const MIN_FADE_PPM = 1_000
/** Minimum output of a sample in base units; with a smaller output, rounding errors look like losses. */
const MIN_OUTPUT = 100_000n
/** Approximate number of samples that the evidence covers: each sample reduces the weight of earlier samples by 1/60. */
const SAMPLE_MEMORY = 60
/** Half-life of evidence in seconds. */
const HALF_LIFE_SECONDS = 3_600
/**
 * Thresholds on (fadedWeight - improvedWeight) / sqrt(fadedWeight + improvedWeight), from which a pool gets a penalty
 * or is excluded. Because weights decay, the square root is 1.4 standard deviations of the difference, so the threshold
 * 3 is 4.2 standard deviations. A pool whose price changes equally often in both directions exceeds it in one of 90,000
 * independent windows.
 */
const PENALTY_THRESHOLD = 3
const EXCLUSION_THRESHOLD = 3.5
/** Minimum of (fadedWeight - improvedWeight) / sampleWeight for exclusion. */
const EXCLUSION_SHARE = 0.2
/** Duration of the first exclusion. */
const FIRST_EXCLUSION_SECONDS = 3_600
/** Maximum duration of an exclusion. */
const MAX_EXCLUSION_SECONDS = 57_600
/** An exclusion that starts within this time after the previous exclusion ended lasts twice as long. */
const EXCLUSION_MEMORY_SECONDS = 86_400
/** Maximum penalty in ppm of a pool that is not excluded. */
const MAX_PENALTY_PPM = 500_000
/** Penalties are multiples of this number of ppm: one basis point. */
const PENALTY_STEP_PPM = 100
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
  /** Decayed weight of all samples. */
  readonly samples: number
  /** Decayed weight of faded samples. */
  readonly withdrew: number
}

export class FadingPools {
  private readonly evidenceByPool = new BoundedMap<string, Evidence>(MAX_POOLS)
  private cachedPenalties: DriftPenalties | undefined
  /** Unix time in seconds of the cached penalties. */
  private cachedAt = 0
  /** Unix time in seconds of the newest block. */
  private newestTimestamp = 0
  private needsRefresh = false

  get count(): StateCount {
    return this.evidenceByPool.count
  }

  /**
   * Records a sample that was taken one block after the quote. Ignores later samples, because their loss can have other
   * causes than the pool. Counts each pool once per block.
   */
  record({ after, timestamp, legs }: DriftSample): void {
    this.newestTimestamp = Math.max(this.newestTimestamp, timestamp)
    if (after === 1) for (const leg of legs) this.recordLeg(leg, timestamp)
  }

  private recordLeg({ pool, ppm, unexplainedPpm, unexplainedGainPpm, amountOut }: SampledLeg, timestamp: number): void {
    if (ppm === null || amountOut < MIN_OUTPUT) return
    const hasFaded = unexplainedPpm <= -MIN_FADE_PPM
    // A pool gets an entry when it first fades.
    const evidence = this.evidenceByPool.get(pool.id) ?? (hasFaded ? newEvidence(pool.family, pool.dex) : undefined)
    if (!evidence || evidence.lastSampleAt >= timestamp) return
    decay(evidence, timestamp, 1 - 1 / SAMPLE_MEMORY)
    evidence.sampleWeight++
    if (hasFaded) evidence.fadedWeight++
    if (unexplainedGainPpm >= MIN_FADE_PPM) evidence.improvedWeight++
    evidence.weightedLossPpm -= Math.max(-FLOAT_PPM, unexplainedPpm) + Math.min(FLOAT_PPM, unexplainedGainPpm)
    if (isExcludable(evidence) && evidence.excludedUntil <= timestamp) exclude(evidence, timestamp)
    this.evidenceByPool.set(pool.id, evidence)
    this.needsRefresh = true
  }

  /**
   * Returns the penalties at a block by pool id; undefined if there are none. Returns the same object until a penalty
   * changes.
   *
   * @param now - timestamp of the block, Unix seconds
   */
  driftPenalties(now: number): DriftPenalties | undefined {
    this.newestTimestamp = Math.max(this.newestTimestamp, now)
    if (this.evidenceByPool.size === 0) return undefined
    if (!this.needsRefresh && now >= this.cachedAt && now < this.cachedAt + REFRESH_SECONDS) return this.cachedPenalties
    this.cachedAt = now
    this.needsRefresh = false
    const newPenalties = new Map(this.list(now).map(({ id, driftPenaltyPpm }) => [id, driftPenaltyPpm]))
    const isUnchanged =
      this.cachedPenalties?.size === newPenalties.size &&
      [...newPenalties].every(([id, ppm]) => this.cachedPenalties?.get(id) === ppm)
    if (!isUnchanged) this.cachedPenalties = newPenalties.size > 0 ? newPenalties : undefined
    return this.cachedPenalties
  }

  /** Lists the pools with a penalty, largest first. @param now - timestamp of the block; default: the newest block */
  list(now = this.newestTimestamp): readonly FadingPool[] {
    return [...this.evidenceByPool]
      .flatMap(([id, evidence]) => {
        const decayedEvidence = { ...evidence }
        decay(decayedEvidence, Math.max(now, evidence.lastSampleAt))
        const isExcluded = evidence.excludedUntil > now
        const penaltyPpm = isPenalized(decayedEvidence) ? penaltyPpmOf(decayedEvidence) : 0
        const driftPenaltyPpm = isExcluded ? FLOAT_PPM : penaltyPpm
        const leftOutUntil = isExcluded ? evidence.excludedUntil : null
        const { family, dex, sampleWeight, fadedWeight } = decayedEvidence
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

/** Decays the evidence by its age, and multiplies it by an extra factor. */
function decay(evidence: Evidence, now: number, extraFactor = 1): void {
  const factor = extraFactor * 0.5 ** ((now - evidence.lastSampleAt) / HALF_LIFE_SECONDS)
  evidence.sampleWeight *= factor
  evidence.fadedWeight *= factor
  evidence.improvedWeight *= factor
  evidence.weightedLossPpm *= factor
  evidence.lastSampleAt = now
}

/** True if the faded samples outweigh the improved samples by `threshold` times the square root of their weight. */
function outweighs({ fadedWeight, improvedWeight }: Evidence, threshold: number): boolean {
  return fadedWeight - improvedWeight >= threshold * Math.sqrt(fadedWeight + improvedWeight) && fadedWeight > 0
}

const isPenalized = (evidence: Evidence): boolean =>
  evidence.weightedLossPpm > 0 && outweighs(evidence, PENALTY_THRESHOLD)

const isExcludable = (evidence: Evidence): boolean =>
  isPenalized(evidence) &&
  outweighs(evidence, EXCLUSION_THRESHOLD) &&
  evidence.fadedWeight - evidence.improvedWeight >= EXCLUSION_SHARE * evidence.sampleWeight

/** Returns the average unexplained loss of a quote through the pool, in ppm. */
function penaltyPpmOf({ weightedLossPpm, sampleWeight }: Evidence): number {
  return Math.min(
    MAX_PENALTY_PPM,
    Math.max(PENALTY_STEP_PPM, Math.round(weightedLossPpm / sampleWeight / PENALTY_STEP_PPM) * PENALTY_STEP_PPM),
  )
}

function exclude(evidence: Evidence, now: number): void {
  evidence.exclusionCount = now - evidence.excludedUntil < EXCLUSION_MEMORY_SECONDS ? evidence.exclusionCount + 1 : 1
  evidence.excludedUntil =
    now + Math.min(MAX_EXCLUSION_SECONDS, FIRST_EXCLUSION_SECONDS * 2 ** (evidence.exclusionCount - 1))
}
