/** Tests which pools get a penalty for fading quotes, and that no other pool does. */
import { type Address, toAddress } from '@sluice/chains'
import { familyOf, type Pool, type UniswapV2State } from '@sluice/liquidity'
import { describe, expect, test } from 'vitest'
import { FadingPools } from './fading-pools.ts'
import { poolDrift } from './leg-drift.ts'
import type { SampledLeg } from './sample.ts'

const token = (byte: string) => toAddress(`0x${byte.repeat(20)}`)
const [A, B] = [token('aa'), token('bb')]
const E18 = 10n ** 18n
const BLOCK_SECONDS = 12
const SAMPLES = process.env.LONG ? 100_000 : 10_000
const HOUR = 3_600

const pair = (id: number, { reserve0 = 1_000n * E18, reserve1 = 2_000n * E18, feePpm = 3_000 } = {}): Pool => {
  const address = toAddress(`0x${id.toString(16).padStart(40, '0')}`)
  const state: UniswapV2State = { reserve0, reserve1, feePpm }
  return { id: address, address, family: 'uniswap-v2', dex: 'Test', tokens: [A, B], state }
}

/** A leg with an unexplained loss of `ppm`, or gain if positive. */
const leg = (ppm: number, { pool = pair(1), amountOut = E18 } = {}): SampledLeg => {
  const [unexplainedPpm, unexplainedGainPpm] = [Math.min(0, ppm), Math.max(0, ppm)]
  return { pool, ppm, unexplainedPpm, unexplainedGainPpm, amountOut }
}

/** Records one leg, one block after its quote. */
const record = (venues: FadingPools, timestamp: number, ...legs: readonly SampledLeg[]) =>
  venues.record({ after: 1, timestamp, ppm: 0, reverted: false, legs })

/** Mulberry32, a seeded pseudorandom generator. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

describe('a pool whose quotes fade', () => {
  const always = (samples: number, ppm = -20_000) => {
    const venues = new FadingPools()
    for (let k = 1; k <= samples; k++) record(venues, k * BLOCK_SECONDS, leg(ppm))
    return venues.list(samples * BLOCK_SECONDS)[0]
  }

  test('gets a penalty equal to its loss, and is excluded within 20 samples', () => {
    expect(always(5)).toBeUndefined()
    expect(always(12)).toMatchObject({ driftPenaltyPpm: 20_000, leftOutUntil: null })
    expect(always(20)).toMatchObject({ driftPenaltyPpm: 1_000_000, leftOutUntil: expect.any(Number) })
  })

  test('is excluded as fast after a long time without fading', () => {
    const venues = new FadingPools()
    record(venues, 1, leg(-20_000))
    for (let k = 1; k <= 1_000; k++) record(venues, k * BLOCK_SECONDS, leg(0))
    for (let k = 1_001; k <= 1_020; k++) record(venues, k * BLOCK_SECONDS, leg(-20_000))
    expect(venues.driftPenalties(1_020 * BLOCK_SECONDS)?.get(pair(1).id)).toBe(1_000_000)
  })

  test('gets its average loss as the penalty if quotes fade sometimes', () => {
    const venues = new FadingPools()
    for (let k = 1; k <= 400; k++) record(venues, k, leg(k % 6 === 0 ? -60_000 : 0))
    const [one] = venues.list(400)
    expect(one?.leftOutUntil).toBeNull()
    expect(one?.driftPenaltyPpm).toBeGreaterThan(8_000)
    expect(one?.driftPenaltyPpm).toBeLessThan(13_000)
  })

  test('returns by itself, is excluded longer each time, and starts over after a day', () => {
    const venues = new FadingPools()
    let now = 0
    const outFor = () => {
      for (let k = 0; k < 40; k++) {
        now += BLOCK_SECONDS
        record(venues, now, leg(-20_000))
        const until = venues.list(now)[0]?.leftOutUntil
        if (until) return until - now
      }
      throw new Error('never left out')
    }
    const times = [1, 2, 3, 4, 5, 6].map(() => {
      const seconds = outFor()
      now += seconds
      expect(venues.list(now)[0]?.leftOutUntil ?? null).toBeNull()
      return seconds / HOUR
    })
    expect(times).toEqual([1, 2, 4, 8, 16, 16])
    now += 24 * HOUR
    expect(venues.driftPenalties(now)).toBeUndefined()
    expect(outFor()).toBe(HOUR)
  })
})

describe('a pool gets no penalty', () => {
  test('for one event that affected many quotes', () => {
    const venues = new FadingPools()
    for (let quote = 0; quote < 50; quote++) record(venues, 12, leg(-400_000))
    expect(venues.list(12)).toEqual([])
  })

  test('for rounding of tiny outputs, for less than 0.1 %, or for losses after two blocks', () => {
    const venues = new FadingPools()
    for (let k = 1; k <= 100; k++) {
      record(venues, k * 12, leg(-333_333, { amountOut: 3n }), leg(-900, { pool: pair(2) }))
      const legs = [leg(-50_000, { pool: pair(3) })]
      venues.record({ after: 2, timestamp: k * 12, ppm: 0, reverted: true, legs })
    }
    expect(venues.list(1_200)).toEqual([])
    expect(venues.count.entries).toBe(0)
  })

  test('if quotes improve as often as they fade, down to 0.1 %', () => {
    const venues = new FadingPools()
    for (let k = 1; k <= 101; k++) record(venues, k, leg(k % 2 === 0 ? 1_000 : -1_000))
    expect(venues.count.entries).toBe(1)
    expect(venues.list(101)).toEqual([])
  })

  test('beyond the limit of stored pools', () => {
    const venues = new FadingPools()
    for (let id = 1; id <= 5_000; id++) record(venues, id, leg(-20_000, { pool: pair(id) }))
    expect(venues.count).toEqual({ entries: 1_000, evicted: 4_000 })
  })

  test.each([1, 2, 3, 4, 5])('if its quotes never fade, in 10,000 samples: seed %i', (seed) => {
    const random = seeded(seed)
    const venues = new FadingPools()
    const pools = [
      pair(1),
      pair(2, { feePpm: 500 }),
      pair(3, { feePpm: 10_000 }),
      pair(4, { reserve0: 10n * E18, reserve1: 5n * E18 }),
    ]
    let withdrew = 0
    for (let sample = 1; sample <= SAMPLES; sample++) {
      const at = sample % pools.length
      const before = pools[at]!
      const after = normalBlock(before, random)
      pools[at] = after
      const [tokenIn, tokenOut] = random() < 0.5 ? [A, B] : [B, A]
      const [reserve] = tokenIn === A ? reservesOf(before) : reservesOf(before).toReversed()
      const amountIn = part(reserve!, 10 ** (-5 + 4 * random()))
      const { amountOut } = familyOf(before.family)!.quoteExactInput(before, tokenIn, tokenOut, amountIn)
      const drift = poolDrift(before, after, { tokenIn, tokenOut, amountIn })
      if (drift.unexplainedPpm <= -1_000) withdrew++
      record(venues, sample * BLOCK_SECONDS, { pool: after, amountOut, ...drift })
      expect(venues.driftPenalties(sample * BLOCK_SECONDS), `sample ${sample}`).toBeUndefined()
    }
    // Liquidity was removed at times, so a rule that penalizes it would fail this test.
    expect(withdrew).toBeGreaterThan(3)
  })

  test.each([1, 2, 3, 4, 5])('if its price is reset at random, in 10,000 samples: seed %i', (seed) => {
    const random = seeded(seed * 77)
    const venues = new FadingPools()
    for (let sample = 1; sample <= SAMPLES; sample++) {
      // Like an oracle: up and down equally often, by up to 1 %, in a third of the blocks.
      record(venues, sample * BLOCK_SECONDS, leg(random() < 1 / 3 ? 20_000 * (random() - 0.5) : 0))
      expect(venues.driftPenalties(sample * BLOCK_SECONDS), `sample ${sample}`).toBeUndefined()
    }
    expect(venues.count.entries).toBe(1)
  })
})

const reservesOf = ({ state }: Pool): readonly [bigint, bigint] => {
  const { reserve0, reserve1 } = state as UniswapV2State
  return [reserve0, reserve1]
}
const part = (of: bigint, by: number): bigint => (of * BigInt(Math.round(by * 1e9))) / 1_000_000_000n

/**
 * Simulates a block of a pool: trades in both directions; liquidity added in 2 % and removed in 0.2 % of the blocks.
 */
function normalBlock(pool: Pool, random: () => number): Pool {
  let now = pool
  const trade = (sold: Address, bought: Address, amount: bigint): bigint => {
    const { amountOut, state } = familyOf(now.family)!.quoteExactInput(now, sold, bought, amount)
    now = { ...now, state }
    return amountOut
  }
  const trades = Math.floor(4 * random())
  for (let k = 0; k < trades; k++) {
    const [reserve0, reserve1] = reservesOf(now)
    const size = 10 ** (-5 + 4 * random())
    // Mostly trades that revert the price, so that it stays in range over ten thousand blocks.
    const isHigh = Number(reserve0) / Number(reserve1) > Number(reservesOf(pool)[0]) / Number(reservesOf(pool)[1])
    if (random() < (isHigh ? 0.6 : 0.4)) trade(B, A, part(reserve1, size))
    else {
      const bought = trade(A, B, part(reserve0, size))
      // The same amount is sold back, as in a sandwich.
      if (random() < 0.2) trade(B, A, bought)
    }
  }
  const scaled = (by: number): Pool => {
    const [reserve0, reserve1] = reservesOf(now)
    const state = { ...(now.state as UniswapV2State), reserve0: part(reserve0, by), reserve1: part(reserve1, by) }
    return { ...now, state }
  }
  const liquidity = random()
  if (liquidity < 1 / 500) return scaled(1 - 0.5 * random())
  return liquidity < 1 / 50 ? scaled(1 + 0.05 * random()) : now
}

describe('penalties as of a block', () => {
  /** Records faded samples until the pool has a penalty, and returns the first second without one. */
  function decaying() {
    const pools = new FadingPools()
    for (let k = 1; k <= 12; k++) record(pools, k * BLOCK_SECONDS, leg(-20_000))
    let end = 12 * BLOCK_SECONDS
    while (pools.list(end).length > 0) end++
    return { pools, end }
  }

  test('are kept for a minute, although evidence decays', () => {
    const { pools, end } = decaying()
    const penalties = pools.driftPenalties(end - 1)
    expect([...penalties!.values()]).toEqual([20_000])
    for (const later of [0, 1, 59]) expect(pools.driftPenalties(end - 1 + later)).toBe(penalties)
    expect(pools.driftPenalties(end - 1 + 60)).toBeUndefined()
  })

  test('are computed again for an earlier block', () => {
    const { pools, end } = decaying()
    expect(pools.driftPenalties(end + 50)).toBeUndefined()
    expect(pools.driftPenalties(end - 1)?.size).toBe(1)
  })

  test('are computed again after each sample, and stay the same object if none changes', () => {
    const pools = new FadingPools()
    expect(pools.driftPenalties(1)).toBeUndefined()
    for (let k = 1; k <= 12; k++) record(pools, k * BLOCK_SECONDS, leg(-20_000))
    const now = 12 * BLOCK_SECONDS
    const first = pools.driftPenalties(now)
    for (let k = 1; k <= 12; k++) record(pools, k * BLOCK_SECONDS, leg(-30_000, { pool: pair(2) }))
    const second = pools.driftPenalties(now)
    expect([first?.size, second?.size]).toEqual([1, 2])
    expect(pools.driftPenalties(now + 60)).toBe(second)
  })
})
