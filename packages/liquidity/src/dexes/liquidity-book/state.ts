/** Reads Liquidity Book pairs. */
import { ILiquidityBookState__factory, LiquidityBookLens__factory } from '@sluice/bindings'
import type { DexRow, Hex } from '@sluice/chains'
import type { BlockHeader } from '@sluice/rpc'
import type { Pool, PoolReads, Reads } from '../../family.ts'
import { LIQUIDITY_BOOK_LENS, lensRead } from '../../lenses.ts'
import { decodeBins } from '../../math/bins.ts'
import { stateReader } from '../common/read-each.ts'
import type { LiquidityBookState } from './types.ts'

const lensInterface = LiquidityBookLens__factory.createInterface()
const eventsInterface = ILiquidityBookState__factory.createInterface()

/** Maximum bins that are read on each side of the active bin. Swaps that need more bins are refused. */
const MAX_BINS = 100
/** Estimated gas of a read. Each bin takes a search in the pair's tree of bins and two storage loads. */
const READ_GAS = 200_000 + 2 * MAX_BINS * 16_000

const readSupportedStates = stateReader(
  (pool) => lensRead(LIQUIDITY_BOOK_LENS, lensInterface.encodeFunctionData('read', [pool.address, MAX_BINS]), READ_GAS),
  decodeState,
)

/** Reads states. Returns null for pairs of version 2.0, which have other getters and other math. */
export function* readStates(row: DexRow, pools: readonly Pool[]): PoolReads<LiquidityBookState> {
  return row.version === '2.0' ? pools.map(() => null) : yield* readSupportedStates(row, pools)
}

/** Sets the block's time, from which the fee is computed. All other changes emit logs, so nothing is read. */
export function* refreshStates(
  _row: DexRow,
  pools: readonly Pool<LiquidityBookState>[],
  { timestamp }: BlockHeader,
): Reads<readonly LiquidityBookState[]> {
  return pools.map(({ state }) => ({ ...state, timestamp }))
}

function decodeState(answer: Hex): LiquidityBookState {
  const [readResult] = lensInterface.decodeFunctionResult('read', answer)
  const numbers = (words: readonly bigint[]) => [...words].map(Number)
  const [
    baseFactor,
    filterPeriod,
    decayPeriod,
    reductionFactor,
    variableFeeControl,
    protocolShare,
    maxVolatilityAccumulator,
  ] = numbers(readResult.fixedFee) as [number, number, number, number, number, number, number]
  const [volatilityAccumulator, volatilityReference, idReference, timeOfLastUpdate] = numbers(
    readResult.variableFee,
  ) as [number, number, number, number]
  return {
    timestamp: Number(readResult.timestamp),
    binStep: Number(readResult.binStep),
    activeId: Number(readResult.activeId),
    bins: [...decodeBins([...readResult.below]).toReversed(), ...decodeBins([...readResult.above])],
    allBelow: readResult.allBelow,
    allAbove: readResult.allAbove,
    limited: readResult.limited,
    fee: {
      baseFactor,
      filterPeriod,
      decayPeriod,
      reductionFactor,
      variableFeeControl,
      protocolShare,
      maxVolatilityAccumulator,
      volatilityAccumulator,
      volatilityReference,
      idReference,
      timeOfLastUpdate,
    },
  }
}

export const topics: readonly Hex[] = (
  [
    'Swap',
    'DepositedToBins',
    'WithdrawnFromBins',
    'CompositionFees',
    'FlashLoan',
    'StaticFeeParametersSet',
    'ForcedDecay',
    'HooksParametersSet',
  ] as const
).map((name) => eventsInterface.getEvent(name as 'Swap').topicHash as Hex)
