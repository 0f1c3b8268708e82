/** Discovery logs and program steps of Maverick V2 pools. Their quotes: test/recorded-samples.test.ts. */
import { IMaverickV2Factory__factory } from '@sluice/bindings'
import { type DexRow, type Hex, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { expect, test } from 'vitest'
import type { Pool } from '../../family.ts'
import type { SampledState } from '../common/sampled-state.ts'
import { maverickV2 } from './index.ts'

const A = toAddress(`0x${'aa'.repeat(20)}`)
const B = toAddress(`0x${'bb'.repeat(20)}`)
const POOL = toAddress(`0x${'cc'.repeat(20)}`)
const factoryInterface = IMaverickV2Factory__factory.createInterface()
const row: DexRow = { family: 'maverick-v2', brand: 'test', role: 'factory', address: POOL }

function creationOf(accessor: string) {
  const event = factoryInterface.getEvent('PoolCreated')
  const { data, topics } = factoryInterface.encodeEventLog(event, [POOL, 0, 1n, 1n, 1n, 60n, 0, A, B, 1, accessor])
  return { address: row.address, data: data as Hex, topics: topics as Hex[] }
}

test('a creation log names the pool and its tokens, unless an accessor controls the pool', () => {
  const createdPool = (accessor: string) => maverickV2.createdPool!(row, creationOf(accessor) as never)
  expect(createdPool(ZERO_ADDRESS)).toMatchObject({ id: POOL, family: 'maverick-v2', tokens: [A, B], state: null })
  expect(createdPool(A)).toBeNull()
})

test('a step sells token A or token B', () => {
  const state: SampledState = { samples: [[[100n, 99n]], [[100n, 98n]]], focus: [[], []], sold: [0n, 0n], stamp: '' }
  const pool: Pool<SampledState> = {
    id: POOL,
    family: 'maverick-v2',
    dex: 'test',
    address: POOL,
    tokens: [A, B],
    state,
  }
  const stepOf = (tokenIn: typeof A, tokenOut: typeof A) =>
    maverickV2.step(pool, tokenIn, tokenOut, { kind: 'rest' }, { kind: 'recipient' })
  expect(stepOf(A, B)).toMatchObject({ op: 'maverick-v2', pool: POOL, zeroForOne: true, tokenIn: A })
  expect(stepOf(B, A)).toMatchObject({ zeroForOne: false, tokenIn: B })
  expect(maverickV2.quoteExactInput(pool, A, B, 100n).amountOut).toBe(99n)
  expect(maverickV2.quoteExactInput(pool, B, A, 100n).amountOut).toBe(98n)
})
