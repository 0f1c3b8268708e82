/** The largest inputs that families state, and the ends of their curves, against their own quotes: in many states of every family. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { exactIdOf } from '../src/dexes/common/twin-id.ts'
import { families, familyOf, PoolRefusal, refusalOf } from '../src/index.ts'
import { endOf, endsAt } from './curve-end.ts'
import { afterSwap, knownWays, poolStates } from './pool-states.ts'

const RUNS = process.env.LONG ? 2_000 : 25
const states = poolStates(17)

/** Families that refuse single amounts for roundings, of theirs or of what is not known of them. */
const SPORADIC = new Set(['ambient', 'iziswap', 'solidly', 'curve-stable', 'velodrome-v2'])
/** Base units of input that an empty curve may have: rounding leaves less than one of them. */
const ROUNDED = 2
/** Base units of output that are dust. */
const DUST = 1_000n
const part = fc.double({ min: 0, max: 1, noNaN: true })
const drawn = fc.record({
  place: fc.nat(),
  pair: fc.nat(),
  swaps: fc.array(fc.record({ pair: fc.nat(), part }), { maxLength: 2 }),
  parts: fc.array(part, { minLength: 6, maxLength: 6 }),
  bits: fc.array(fc.integer({ min: 0, max: 127 }), { minLength: 6, maxLength: 6 }),
})

/** A sampled twin computes as any other sampled family does. */
const ids = families.map(({ id }) => id).filter((id) => exactIdOf(id) === null)

describe.each(ids)('%s', (id) => {
  const family = familyOf(id)!
  const pools = states.get(id) ?? []
  /** Cases that came to their end, and those that were compared there. */
  let [compared, ends] = [0, 0]

  test('accepts its stated maximum input, refuses one unit more, and ends its curve there', () => {
    expect(pools.length).toBeGreaterThan(0)
    fc.assert(
      fc.property(drawn, ({ place, pair, swaps, parts, bits }) => {
        const pairOf = (pool: (typeof pools)[number], n: number) => {
          const i = n % pool.tokens.length
          const j = (i + 1 + (Math.floor(n / 7) % (pool.tokens.length - 1))) % pool.tokens.length
          return [pool.tokens[i]!, pool.tokens[j]!] as const
        }
        const first = pools[place % pools.length]!
        const pool = swaps.reduce((at, swap) => afterSwap(at, ...pairOf(at, swap.pair), swap.part), first)
        const [tokenIn, tokenOut] = pairOf(pool, pair)
        /** Accepted, or the code of the refusal. */
        const answer = (amountIn: bigint) => {
          try {
            family.quoteExactInput(pool, tokenIn, tokenOut, amountIn)
            return 'accepted'
          } catch (error) {
            return refusalOf(error).code
          }
        }
        const maxInput = family.maxInput(pool, tokenIn, tokenOut)
        const curve = family.priceCurve(pool, tokenIn, tokenOut)
        compared++
        for (let k = 0; k < curve.liquidity.length; k++) {
          expect(curve.liquidity[k]).toBeGreaterThanOrEqual(0)
          expect(curve.sqrtPrice[k + 1]).toBeLessThanOrEqual(curve.sqrtPrice[k]!)
        }
        const end = endOf(curve)
        if (maxInput === null) {
          expect(answer((1n << 128n) - 1n)).toBe('accepted')
          expect(end).toBeGreaterThan(2 ** 127)
        } else if (maxInput === 0n) {
          for (const bit of bits) expect(answer(1n << BigInt(bit))).not.toBe('accepted')
          expect(end).toBeLessThanOrEqual(ROUNDED)
        } else {
          ends++
          expect(answer(maxInput)).toBe('accepted')
          expect(answer(maxInput + 1n)).toBe('TOO_LARGE')
          // The curve of a pool that is all but drained may leave out its last units.
          const { amountOut } = family.quoteExactInput(pool, tokenIn, tokenOut, maxInput)
          if (amountOut >= DUST) expect(endsAt(curve, maxInput), `curve ends at ${end} of ${maxInput}`).toBe(true)
          expect(end).toBeLessThanOrEqual(Number(maxInput))
          for (const bit of bits) expect(answer(maxInput + (1n << BigInt(bit)))).toBe('TOO_LARGE')
        }
        const maxAmount = maxInput ?? (1n << 128n) - 1n
        for (const one of parts) {
          const amountIn = (maxAmount * BigInt(Math.round(one * 1e9))) / 1_000_000_000n
          const code = answer(amountIn)
          if (SPORADIC.has(id) && code === 'UNSUPPORTED') continue
          // What is refused below the end is dust, or cannot be sold at all.
          if (code !== 'accepted' && maxInput !== 0n) {
            expect(code).toBe('TOO_SMALL')
            expect(amountIn).toBeLessThan(maxAmount / 2n + 1n)
          }
        }
      }),
      { numRuns: RUNS },
    )
    expect(compared).toBeGreaterThanOrEqual(RUNS)
  })

  test('has compared states with limited capacity', () => {
    expect(ends).toBeGreaterThan(0)
  })
})

const ways = knownWays()
/** Answers of a family that are compared: some collections have thousands that are alike. */
const MAX_WAYS = 300

test.each([...ways.keys()])(
  '%s: vectors with an output are within the maximum input, and refused large amounts beyond',
  (id) => {
    const family = familyOf(id)!
    const all = ways.get(id)!
    const step = Math.ceil(all.length / MAX_WAYS)
    for (const { pool, tokenIn, tokenOut, accepted, refused } of all.filter((_, k) => k % step === 0)) {
      const maxInput = family.maxInput(pool, tokenIn, tokenOut) ?? 1n << 128n
      const isWithin = (amountIn: bigint) => amountIn <= maxInput
      const codeOf = (amountIn: bigint) => {
        try {
          return family.quoteExactInput(pool, tokenIn, tokenOut, amountIn)
        } catch (error) {
          return refusalOf(error)
        }
      }
      const ours = codeOf(accepted)
      // Beyond what the family looks at, or too little of another release.
      if (accepted > 0n && !(ours instanceof PoolRefusal))
        expect(isWithin(accepted), `${accepted} of ${maxInput}`).toBe(true)
      for (const amountIn of refused) {
        const refusal = codeOf(amountIn)
        if (refusal instanceof PoolRefusal && refusal.code === 'TOO_LARGE')
          expect(isWithin(amountIn), `${amountIn} of ${maxInput}`).toBe(false)
      }
    }
  },
)
