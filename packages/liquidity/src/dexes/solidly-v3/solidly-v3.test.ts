/** Tests the logs of Solidly V3 that Uniswap V3 does not have. */
import { ISolidlyV3Pool__factory } from '@sluice/bindings'
import { type DexRow, type Hex, toAddress } from '@sluice/chains'
import type { Log } from '@sluice/rpc'
import { expect, test } from 'vitest'
import type { Pool } from '../../family.ts'
import type { ConcentratedState } from '../../math/concentrated.ts'
import { sqrtRatioAtTick } from '../../math/ticks.ts'
import { solidlyV3 } from './index.ts'

const FACTORY = toAddress('0x70fe4a44ea505cfa3a57b95cf2862d4fd5f0f687')
const ROW: DexRow = { family: 'solidly-v3', brand: 'Solidly V3', role: 'factory', address: FACTORY }
const WETH = toAddress('0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2')
const OTHER_TOKEN = toAddress('0xd555498a524612c67f286df0e0a9a64a73a7cdc7')
const POOL = toAddress('0x6339962d8b80749ce86d65affc0b2a4290aef42f')

const wordOf = (value: bigint | string): string => BigInt(value).toString(16).padStart(64, '0')
const logOf = (address: Log['address'], topics: readonly Hex[], data: readonly (bigint | string)[]): Log => ({
  ...{ address, topics, data: `0x${data.map(wordOf).join('')}` },
  ...{ blockNumber: 1, blockHash: '0x', logIndex: 0 },
})

test('the creation log of a pool of Ethereum, which indexes the tick spacing, names the pool', () => {
  const [topic] = solidlyV3.creationTopics!
  expect(topic).toBe('0x783cca1c0412dd0d695e784568c96da2e9c22ff989357a2e8b1d9b2b4e6b7118')
  const indexed = [WETH, OTHER_TOKEN, 100n].map((value) => `0x${wordOf(value)}` as const)
  const log = logOf(FACTORY, [topic!, ...indexed], [10_000n, POOL])
  expect(solidlyV3.createdPool!(ROW, log)).toMatchObject({ id: POOL, address: POOL, tokens: [WETH, OTHER_TOKEN] })
})

test('a fee log changes the fee of later swaps, to the largest fee and to none', () => {
  const state: ConcentratedState = {
    ...{ sqrtPriceX96: sqrtRatioAtTick(0), tick: 0, liquidity: 10n ** 18n, feePpm: 3_000, tickSpacing: 50 },
    ticks: [
      [-5_000, 10n ** 18n],
      [5_000, -(10n ** 18n)],
    ],
  }
  const pool: Pool<ConcentratedState> = {
    ...{ id: POOL, family: 'solidly-v3', dex: 'Solidly V3', address: POOL, tokens: [WETH, OTHER_TOKEN], state },
  }
  const topic = ISolidlyV3Pool__factory.createInterface().getEvent('SetFee').topicHash as Hex
  expect(solidlyV3.topics).toContain(topic)
  const outputAt = (feePpm: bigint) => {
    const stateAfter = solidlyV3.applyLog(pool, logOf(POOL, [topic], [3_000n, feePpm])) as ConcentratedState
    expect(stateAfter).toEqual({ ...state, feePpm: Number(feePpm) })
    return solidlyV3.quoteExactInput({ ...pool, state: stateAfter }, WETH, OTHER_TOKEN, 10n ** 9n).amountOut
  }
  expect([outputAt(0n), outputAt(100_000n)]).toEqual([999_999_999n, 899_999_999n])
})
