/** Tests of the time-dependent fee of Liquidity Book pairs. */
import { type DexRow, toAddress } from '@sluice/chains'
import { expect, test } from 'vitest'
import type { Pool } from '../../family.ts'
import { refreshStates } from './state.ts'
import type { LiquidityBookState } from './types.ts'

test('a new block updates the time of the volatility decay without a read', () => {
  const row = { family: 'liquidity-book', brand: 'test', role: 'factory', address: toAddress(`0x${'11'.repeat(20)}`) }
  const state = { timestamp: 100, binStep: 25, activeId: 8_388_608, bins: [], allBelow: true, allAbove: true }
  const pool = { id: '0x', state } as unknown as Pool<LiquidityBookState>
  const block = { number: 2, hash: '0x', parentHash: '0x', timestamp: 112, gasLimit: 0n } as never
  const step = refreshStates(row as DexRow, [pool], block).next([])
  expect(step).toEqual({ done: true, value: [{ ...state, timestamp: 112 }] })
})
