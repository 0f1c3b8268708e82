/** Implements `DexFamily` for wrappers of rebasing tokens. */
import { RateWrapperLens__factory } from '@sluice/bindings'
import type { DexRow, Hex } from '@sluice/chains'
import type { DexFamily, Pool, Reads, TokenPair } from '../../family.ts'
import { lensOf, lensRead } from '../../lenses.ts'
import { NO_LIMIT } from '../../math/capacity.ts'
import { linearTrade } from '../common/exact-input.ts'
import { poolStep } from '../common/pool-step.ts'
import { stateReader } from '../common/read-each.ts'
import { findTokenRow } from '../common/token-row.ts'
import { amountForShares, quote, type RateWrapperState, sharesForAmount } from './math.ts'

const LENS = lensOf('RateWrapperLens')
const lensInterface = RateWrapperLens__factory.createInterface()

/** Estimated gas to read one wrapper. */
const READ_GAS = 300_000

/** Finds the pool of a row, which is the wrapper itself. */
function findPools(row: DexRow, pairs: readonly TokenPair[]): Reads<readonly Pool<null>[]> {
  const read = { ...LENS, data: lensInterface.encodeFunctionData('underlying', [row.address]) as Hex, gas: 60_000 }
  return findTokenRow(row, pairs, read, (answer) => lensInterface.decodeFunctionResult('underlying', answer)[0])
}

const readStates = stateReader(
  (pool) => lensRead(LENS, lensInterface.encodeFunctionData('read', [pool.address]), READ_GAS),
  decodeState,
)

/** Decodes a state. Returns null if our math does not reproduce the wrapper's own conversions. */
function decodeState(answer: Hex): RateWrapperState | null {
  const [{ pooled, shares, supply, sample, quotes }] = lensInterface.decodeFunctionResult('read', answer)
  if (pooled === 0n || shares === 0n) return null
  const state = { pooled, shares, supply }
  return sharesForAmount(state, sample) === quotes[0] && amountForShares(state, sample) === quotes[1] ? state : null
}

/** Wrappers of rebasing tokens, such as wstETH and weETH. */
export const rateWrapper: DexFamily<RateWrapperState> = {
  id: 'rate-wrapper',
  payment: { pullsInput: true, forwardsOutput: true },
  rowsAreTokens: true,
  findPools,
  readStates,
  dependsOn: ({ address }) => [address],
  topics: [],
  applyLog: () => 'reread',
  // The wrapper emits no log when its rate changes, and not every rebasing token does.
  refreshStates: readStates,

  ...linearTrade('rate-wrapper', {
    quote,
    approximateMaxInput: ({ supply }, isWrap) => (isWrap ? NO_LIMIT : supply),
    rateOf({ pooled, shares }, isWrap) {
      const price = Number(pooled) / Number(shares)
      return isWrap ? 1 / price : price
    },
  }),

  // The wrapper can mint any amount, so it has no reserve. The existing supply takes its place.
  reserves: ({ state }) => [state.shares === 0n ? 0n : amountForShares(state, state.supply), state.supply],

  takesTaxedInput: false,
  step: poolStep('rate-wrapper'),
}
