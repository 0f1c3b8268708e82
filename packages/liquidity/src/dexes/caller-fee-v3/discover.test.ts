/** Tests of rows and creation logs of factories that set fees by caller. */
import { ISlipstreamFactory__factory, IUniswapV3Factory__factory } from '@sluice/bindings'
import { type DexRow, type Hex, toAddress } from '@sluice/chains'
import type { Log } from '@sluice/rpc'
import { expect, test } from 'vitest'
import { familyOf, rowsOf } from '../../index.ts'
import { callerFeeV3 } from './index.ts'

const [token0, token1, pool, factory] = ['a', 'b', 'c', 'd'].map((digit) => toAddress(`0x${digit.repeat(40)}`)) as [
  never,
  never,
  never,
  never,
]
const row = (family: string): DexRow => ({ family, brand: 'test', role: 'factory', address: factory })

test('range pools of SyncSwap are served, and pools of V3 itself are not', () => {
  expect(rowsOf(callerFeeV3, row('syncswap-range'))).toEqual([{ ...row('caller-fee-v3'), version: 'tick-spacing' }])
  expect(rowsOf(callerFeeV3, row('caller-fee-v3'))).toEqual([row('caller-fee-v3')])
  expect(rowsOf(callerFeeV3, row('uniswap-v3'))).toEqual([])
  expect(familyOf('caller-fee-v3')).toBe(callerFeeV3)
})

test.each([
  ['by fee', IUniswapV3Factory__factory.createInterface(), [token0, token1, 2_000, 40, pool]],
  ['by tick spacing', ISlipstreamFactory__factory.createInterface(), [token0, token1, 40, pool]],
] as const)('a creation log %s names tokens and pool', (_, events, values) => {
  const { topics, data } = events.encodeEventLog(events.getEvent('PoolCreated')!, [...values])
  const log = { address: factory, topics: topics as Hex[], data: data as Hex } as unknown as Log
  expect(callerFeeV3.creationTopics).toContain(topics[0])
  expect(callerFeeV3.createdPool!(row('caller-fee-v3'), log)).toEqual({
    ...{ id: pool, family: 'caller-fee-v3', dex: 'test', address: pool },
    ...{ tokens: [token0, token1], state: null },
  })
})
