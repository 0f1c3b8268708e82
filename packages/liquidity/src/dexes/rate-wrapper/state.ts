import { RateWrapperLens__factory } from '@sluice/bindings'
import { type Address, type DexRow, type Hex, toAddress } from '@sluice/chains'
import type { Pool, Reads } from '../../family.ts'
import { lensOf } from '../../lenses.ts'
import { pairKey } from '../common/direction.ts'
import { amountFor, sharesFor } from './math.ts'
import type { RateWrapperState } from './types.ts'

const LENS = lensOf('RateWrapperLens')
const lens = RateWrapperLens__factory.createInterface()

const READ_GAS = 300_000

/** A row is a wrapper: it is the pool of what it wraps and itself. */
export function* findPools(row: DexRow, pairs: readonly (readonly [Address, Address])[]): Reads<readonly Pool<null>[]> {
  const wrapper = row.address
  if (!pairs.some((pair) => pair.includes(wrapper))) return []
  const [answer] = yield [{ ...LENS, data: lens.encodeFunctionData('underlying', [wrapper]) as Hex, gas: 60_000 }]
  if (!answer) return []
  const token = toAddress(lens.decodeFunctionResult('underlying', answer)[0])
  const wanted = pairKey([token, wrapper])
  if (!pairs.some((pair) => pairKey(pair) === wanted)) return []
  return [{ id: wrapper, family: row.family, dex: row.brand, address: wrapper, tokens: [token, wrapper], state: null }]
}

export function* readStates(_row: DexRow, pools: readonly Pool[]): Reads<readonly (RateWrapperState | null)[]> {
  const answers = yield pools.map((pool) => ({
    ...LENS,
    data: lens.encodeFunctionData('read', [pool.address]) as Hex,
    gas: READ_GAS,
  }))
  return answers.map((answer) => answer && decodeState(answer))
}

/** Null where the wrapper does not give what pooled amount and shares make. */
function decodeState(answer: Hex): RateWrapperState | null {
  const [{ pooled, shares, supply, sample, quotes }] = lens.decodeFunctionResult('read', answer)
  if (pooled === 0n || shares === 0n) return null
  const state = { pooled, shares, supply }
  return sharesFor(state, sample) === quotes[0] && amountFor(state, sample) === quotes[1] ? state : null
}

/** A rate changes by a log of the rebasing token, if by any. */
export const topics: readonly Hex[] = []
export const applyLog = () => 'reread' as const
