/** Tests the distribution of answers to the lists that asked for them, and the logs of tick pools. */
import { IUniswapV3PoolEvents__factory } from '@sluice/bindings'
import { type Hex, toAddress } from '@sluice/chains'
import type { Log } from '@sluice/rpc'
import { describe, expect, test } from 'vitest'
import type { Pool } from '../../family.ts'
import type { ConcentratedState, Tick } from '../../math/concentrated.ts'
import { concentratedLogs, decodeTicks, splitAnswers, wordRanges } from './concentrated-state.ts'

test('each list gets the answers to its own reads, in order', () => {
  expect(splitAnswers([['a'], [], ['b', 'c'], ['d']], [1, 2, 3, 4])).toEqual([[1], [], [2, 3], [4]])
  expect(splitAnswers([], [])).toEqual([])
})

test('ticks and their net liquidity may be negative; gross liquidity has the upper 128 bits', () => {
  const wordOf = (net: bigint, gross: bigint) => (gross << 128n) | BigInt.asUintN(128, net)
  expect(decodeTicks([BigInt.asUintN(256, -887_220n), wordOf(5n, 7n), 887_220n, wordOf(-5n, 1n << 127n)])).toEqual([
    [-887_220, 5n, 7n],
    [887_220, -5n, 1n << 127n],
  ])
})

test('the reads of a bitmap cover each word from the lowest to the highest tick once', () => {
  expect(wordRanges(60)).toMatchObject([{ first: -58, last: 57 }])
  const ranges = wordRanges(1)
  expect([ranges[0]!.first, ranges.at(-1)!.last]).toEqual([-3_466, 3_465])
  for (const [k, { first, last }] of ranges.entries()) {
    expect(last - first).toBeLessThan(1_500)
    if (k > 0) expect(first).toBe(ranges[k - 1]!.last + 1)
  }
})

describe('a log', () => {
  const events = IUniswapV3PoolEvents__factory.createInterface()
  const [address, user] = [toAddress(`0x${'1'.repeat(40)}`), toAddress(`0x${'2'.repeat(40)}`)]
  const { topics, applyLog } = concentratedLogs()
  const ticks: readonly Tick[] = [
    [-20, 100n, 100n],
    [20, -100n, 100n],
  ]
  const poolWith = (ownTicks: readonly Tick[]) =>
    ({
      address,
      state: { sqrtPriceX96: 1n << 96n, tick: 0, liquidity: 100n, feePpm: 500, tickSpacing: 10, ticks: ownTicks },
    }) as unknown as Pool<ConcentratedState>
  const apply = (name: string, values: readonly unknown[], ownTicks = ticks) => {
    const { topics: logTopics, data } = events.encodeEventLog(name, values)
    expect(topics).toContain(logTopics[0])
    const position = { blockNumber: 1, blockHash: '0x', logIndex: 0 } as const
    const log: Log = { address, topics: logTopics as Hex[], data: data as Hex, ...position }
    return applyLog(poolWith(ownTicks), log)
  }

  test('of a swap carries price, liquidity, and tick', () => {
    const state = apply('Swap', [user, user, 11n, -12n, 13n << 90n, 14n, -15])
    expect(state).toEqual({ ...poolWith(ticks).state, sqrtPriceX96: 13n << 90n, liquidity: 14n, tick: -15 })
  })

  test('of a mint adds liquidity, and of a burn removes it', () => {
    expect(apply('Mint', [user, user, -20, 20, 7n, 1n, 2n])).toMatchObject({
      liquidity: 107n,
      ticks: [
        [-20, 107n, 107n],
        [20, -107n, 107n],
      ],
    })
    expect(apply('Burn', [user, -20, 20, 40n, 1n, 2n])).toMatchObject({
      liquidity: 60n,
      ticks: [
        [-20, 60n, 60n],
        [20, -60n, 60n],
      ],
    })
  })

  test('of a position whose ticks are not known, or of a new price, requires another read of the pool', () => {
    expect(apply('Burn', [user, -20, 20, 101n, 1n, 2n])).toBe('reread')
    expect(apply('Burn', [user, -30, 20, 40n, 1n, 2n])).toBe('reread')
    const withoutGross = ticks.map(([index, net]): Tick => [index, net])
    expect(apply('Mint', [user, user, -20, 20, 7n, 1n, 2n], withoutGross)).toBe('reread')
    expect(apply('Initialize', [13n << 90n, -15])).toBe('reread')
  })
})
