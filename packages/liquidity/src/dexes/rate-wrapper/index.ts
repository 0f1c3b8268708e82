import { RateWrapperLens__factory } from '@sluice/bindings'
import type { Address, DexRow, Hex } from '@sluice/chains'
import type { DexFamily, Pool, Reads } from '../../family.ts'
import { lensOf } from '../../lenses.ts'
import { NO_LIMIT } from '../../math/capacity.ts'
import { linearTrade } from '../common/capacity-family.ts'
import { isZeroForOne } from '../common/direction.ts'
import { quoteByDirection } from '../common/exact-input.ts'
import { readEach } from '../common/read-each.ts'
import { findTokenRow } from '../common/token-row.ts'
import { amountFor, quote, type RateWrapperState, sharesFor } from './math.ts'

const LENS = lensOf('RateWrapperLens')
const lens = RateWrapperLens__factory.createInterface()

const READ_GAS = 300_000

/** A row is a wrapper: it is the pool of what it wraps and itself. */
function findPools(row: DexRow, pairs: readonly (readonly [Address, Address])[]): Reads<readonly Pool<null>[]> {
  const read = { ...LENS, data: lens.encodeFunctionData('underlying', [row.address]) as Hex, gas: 60_000 }
  return findTokenRow(row, pairs, read, (answer) => lens.decodeFunctionResult('underlying', answer)[0])
}

function readStates(_row: DexRow, pools: readonly Pool[]): Reads<readonly (RateWrapperState | null)[]> {
  return readEach(
    pools,
    (pool) => ({ ...LENS, data: lens.encodeFunctionData('read', [pool.address]) as Hex, gas: READ_GAS }),
    decodeState,
  )
}

/** Null where the wrapper does not give what pooled amount and shares make. */
function decodeState(answer: Hex): RateWrapperState | null {
  const [{ pooled, shares, supply, sample, quotes }] = lens.decodeFunctionResult('read', answer)
  if (pooled === 0n || shares === 0n) return null
  const state = { pooled, shares, supply }
  return sharesFor(state, sample) === quotes[0] && amountFor(state, sample) === quotes[1] ? state : null
}

/** A rate changes by a log of the rebasing token, if by any. */
const topics: readonly Hex[] = []
const applyLog = () => 'reread' as const

export const rateWrapper: DexFamily<RateWrapperState> = {
  id: 'rate-wrapper',
  payment: { pullsInput: true, forwardsOutput: true },
  rowsAreTokens: true,
  findPools,
  readStates,
  dependsOn: ({ address }) => [address],
  topics,
  applyLog,
  // The rebasing token tells of its rate, not the wrapper, and some do not.
  refreshStates: readStates,

  quoteExactInput: quoteByDirection('rate-wrapper', quote),

  ...linearTrade<RateWrapperState>(({ state, ...pool }, tokenIn, tokenOut) => {
    const wrap = isZeroForOne({ ...pool, state }, tokenIn, tokenOut)
    const price = Number(state.pooled) / Number(state.shares)
    return {
      quote: (amountIn) => quote(state, wrap, amountIn),
      limit: wrap ? NO_LIMIT : state.supply,
      scale: wrap ? state.pooled : state.supply,
      rate: wrap ? 1 / price : price,
    }
  }),

  /** Shares can always be made; those that exist are what counts as depth. */
  reserves: ({ state }) => [amountFor(state, state.supply), state.supply],

  takesTaxedInput: false,
  step: (pool, tokenIn, tokenOut, input, output) => ({
    op: 'rate-wrapper',
    wrap: isZeroForOne(pool, tokenIn, tokenOut),
    tokenIn,
    tokenOut,
    input,
    output,
  }),
}
