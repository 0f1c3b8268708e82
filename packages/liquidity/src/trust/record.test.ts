/** Tests each condition of trust at its limit, one below, and one above. */
import { describe, expect, test } from 'vitest'
import {
  hasEarned,
  isDueForMeasurement,
  recordBreach,
  recordLiquidity,
  recordMeasurement,
  standingOf,
  type TrustRecord,
  UNOBSERVED,
} from './record.ts'

const terms = { blocks: 10, pools: 3, namedTokens: 2, depthUsd: 1_000, measurementIntervalBlocks: 5 }
const enough = { pools: 3, namedTokens: 2, depthUsd: 1_000 }
/** A record whose conditions have held from block 101 to `lastSeenBlock`. */
const record = (lastSeenBlock: number, cleanMeasurementBlock: number | null): TrustRecord => ({
  ...{ heldSinceBlock: 101, lastSeenBlock, depthUsd: 1_500, cleanMeasurementBlock, fault: null, breach: null },
})

describe('a block', () => {
  test.each([
    ['pools', { pools: 2 }, 'in 2 pools with named tokens, of 3 at least'],
    ['named tokens', { namedTokens: 1 }, 'traded with 1 named tokens, of 2 at least'],
    ['depth', { depthUsd: 999.99 }, 'less than 1000 USD of named tokens stand against it'],
    ['a known depth', { depthUsd: Number.NaN }, 'less than 1000 USD of named tokens stand against it'],
  ])('without enough %s ends the period and the measurement, but not the breach', (_, missing, fault) => {
    const liquidity = { ...enough, ...missing }
    const before = { ...record(110, 108), breach: 'a tax' }
    expect(recordLiquidity(before, liquidity, 111, terms)).toEqual({
      ...{
        heldSinceBlock: null,
        lastSeenBlock: 111,
        depthUsd: liquidity.depthUsd,
        cleanMeasurementBlock: null,
        fault,
        breach: 'a tax',
      },
    })
  })

  test('with exactly enough of everything starts a period, and the next one continues it', () => {
    const first = recordLiquidity({ ...UNOBSERVED, breach: 'a tax' }, enough, 7, terms)
    expect(first).toEqual({
      heldSinceBlock: 7,
      lastSeenBlock: 7,
      depthUsd: 1_000,
      cleanMeasurementBlock: null,
      fault: null,
      breach: 'a tax',
    })
    expect(recordLiquidity(first, { ...enough, depthUsd: 2_000 }, 8, terms)).toEqual({
      ...{ ...first, lastSeenBlock: 8, depthUsd: 2_000 },
    })
  })
})

test('a clean measurement is dated; a faulty one and a breach reset all but the liquidity', () => {
  expect(recordMeasurement(record(110, null), null, 110)).toEqual(record(110, 110))
  const reset = { ...UNOBSERVED, lastSeenBlock: 110, depthUsd: 1_500, fault: 'a tax', breach: 'a tax' }
  expect(recordMeasurement(record(110, 108), 'a tax', 111)).toEqual(reset)
  expect(recordBreach(record(110, 108), 'a tax')).toEqual(reset)
})

test.each([
  // Blocks 101 to 109 are nine, one less than needed.
  [record(109, null), false, false, 'seen to behave for 9 blocks, of 10 at least'],
  [record(109, 109), false, false, 'seen to behave for 9 blocks, of 10 at least'],
  [{ ...record(109, 109), breach: 'a tax' }, false, false, 'seen to behave for 9 blocks, of 10 at least, after a tax'],
  [record(110, null), true, false, 'not measured yet'],
  [record(110, 110), false, true, 'seen to behave for 10 blocks'],
  [record(110, 106), false, true, 'seen to behave for 10 blocks'],
  [record(110, 105), true, true, 'seen to behave for 10 blocks'],
  [record(110, 100), true, true, 'seen to behave for 10 blocks'],
  [record(110, 99), true, false, 'not measured lately'],
  [{ ...record(110, 110), heldSinceBlock: null }, false, false, 'not seen yet'],
  [{ ...record(110, 110), heldSinceBlock: null, fault: 'a tax' }, false, false, 'a tax'],
])('the standing of %o', (of, isDue, isEarned, reason) => {
  expect(isDueForMeasurement(of, terms)).toBe(isDue)
  expect(hasEarned(of, terms)).toBe(isEarned)
  expect(standingOf(of, terms)).toEqual({ standing: isEarned ? 'earned' : 'stranger', reason })
})
