/** Reads Pancake Infinity pools, and applies their logs. */
import {
  IPancakeInfinityBinManager__factory,
  IPancakeInfinityClManager__factory,
  PancakeInfinityLens__factory,
} from '@sluice/bindings'
import type { DexRow, Hex } from '@sluice/chains'
import type { Log } from '@sluice/rpc'
import { id as keccakOf } from 'ethers'
import type { Pool, PoolReads } from '../../family.ts'
import { lensRead, PANCAKE_INFINITY_LENS } from '../../lenses.ts'
import { decodeBins } from '../../math/bins.ts'
import { changeLiquidity } from '../../math/positions.ts'
import { joinTicks, splitAnswers, wordRanges } from '../common/concentrated-state.ts'
import { unpackProtocolFees } from '../uniswap-v4/fee.ts'
import { keyOf, spacingOf, touchesSwaps } from './key.ts'
import type { InfinityState } from './types.ts'

const lensInterface = PancakeInfinityLens__factory.createInterface()
const clManagerInterface = IPancakeInfinityClManager__factory.createInterface()
const binManagerInterface = IPancakeInfinityBinManager__factory.createInterface()

/** Maximum bins that are read on each side of the active bin. Swaps that need more bins are refused. */
const MAX_BINS = 100
/** Estimated gas to read price and liquidity of one `cl` pool. */
const CL_STATE_GAS = 40_000
/** Estimated gas to read bins. Each bin takes a search in the pool's tree of bins and two storage loads. */
const BINS_GAS = 200_000 + 2 * MAX_BINS * 16_000

/** Reads states. Returns null for a pool that has no price, that cannot be read, or whose hook takes part in swaps. */
export function* readStates(row: DexRow, pools: readonly Pool<null>[]): PoolReads<InfinityState> {
  const reads = pools.map((pool) => {
    const key = keyOf(pool)
    if (touchesSwaps(key)) return []
    return key.kind === 'cl' ? clReads(row, pool) : [binRead(row, pool)]
  })
  const answersByPool = splitAnswers(reads, yield reads.flat())
  return pools.map((pool, i) => (keyOf(pool).kind === 'cl' ? decodeCl : decodeBin)(pool, answersByPool[i]!))
}

/** Returns the reads of a `cl` pool: its price and liquidity, then its ticks. */
const clReads = ({ address: manager }: DexRow, pool: Pool<null>) => [
  {
    ...PANCAKE_INFINITY_LENS,
    data: lensInterface.encodeFunctionData('readCl', [manager, pool.id]) as Hex,
    gas: CL_STATE_GAS,
  },
  ...wordRanges(spacingOf(keyOf(pool))).map(({ first, last, gas }) =>
    lensRead(
      PANCAKE_INFINITY_LENS,
      lensInterface.encodeFunctionData('ticks', [manager, pool.id, spacingOf(keyOf(pool)), first, last]),
      gas,
    ),
  ),
]

/** Returns the read of a `bin` pool. */
const binRead = ({ address: manager }: DexRow, { id }: Pool<null>) =>
  lensRead(PANCAKE_INFINITY_LENS, lensInterface.encodeFunctionData('readBin', [manager, id, MAX_BINS]), BINS_GAS)

function decodeCl(pool: Pool<null>, [stateAnswer, ...tickAnswers]: readonly (Hex | null)[]): InfinityState | null {
  const ticks = joinTicks(tickAnswers)
  if (!stateAnswer || !ticks) return null
  const [readResult] = lensInterface.decodeFunctionResult('readCl', stateAnswer)
  if (readResult.sqrtPriceX96 === 0n) return null
  return {
    kind: 'cl',
    sqrtPriceX96: readResult.sqrtPriceX96,
    tick: Number(readResult.tick),
    liquidity: readResult.liquidity,
    feePpm: Number(readResult.lpFee),
    ...unpackProtocolFees(Number(readResult.protocolFee)),
    tickSpacing: spacingOf(keyOf(pool)),
    ticks,
  }
}

function decodeBin(pool: Pool<null>, [answer]: readonly (Hex | null)[]): InfinityState | null {
  if (!answer) return null
  const [readResult] = lensInterface.decodeFunctionResult('readBin', answer)
  if (readResult.activeId === 0n) return null
  return {
    kind: 'bin',
    activeId: Number(readResult.activeId),
    binStep: spacingOf(keyOf(pool)),
    bins: [...decodeBins([...readResult.below]).toReversed(), ...decodeBins([...readResult.above])],
    allBelow: readResult.allBelow,
    allAbove: readResult.allAbove,
    limited: true,
    feePpm: Number(readResult.lpFee),
    ...unpackProtocolFees(Number(readResult.protocolFee)),
  }
}

const CL_SWAP_TOPIC = clManagerInterface.getEvent('Swap').topicHash as Hex
const CL_MODIFY_LIQUIDITY_TOPIC = clManagerInterface.getEvent('ModifyLiquidity').topicHash as Hex
const PROTOCOL_FEE_TOPIC = clManagerInterface.getEvent('ProtocolFeeUpdated').topicHash as Hex
const LP_FEE_TOPIC = clManagerInterface.getEvent('DynamicLPFeeUpdated').topicHash as Hex

/**
 * Topics of the logs of both managers. Logs of `bin` pools do not contain the reserves of bins. So after such a log,
 * the pool is read again.
 */
export const topics: readonly Hex[] = [
  CL_SWAP_TOPIC,
  CL_MODIFY_LIQUIDITY_TOPIC,
  PROTOCOL_FEE_TOPIC,
  LP_FEE_TOPIC,
  ...(['Swap', 'Mint', 'Burn', 'Donate'] as const).map(
    (name) => binManagerInterface.getEvent(name as 'Swap').topicHash as Hex,
  ),
]

/**
 * Topics of the logs with which a manager pauses or resumes the swaps of all its pools.
 *
 * @see Pausable, pancakeswap/infinity-core
 */
export const contractTopics: readonly Hex[] = ['Paused(address)', 'Unpaused(address)'].map(
  (signature) => keccakOf(signature) as Hex,
)

/** Returns the pool id, which is the first indexed argument of the managers' logs. */
export const poolIdOf = (log: Log): string => log.topics[1]!

export function applyLog(
  { address: manager, state }: Pool<InfinityState>,
  log: Log,
): InfinityState | 'reread' | 'ignore' {
  // Only the manager's logs count: any contract can emit a log with the id of a pool.
  if (log.address !== manager) return 'ignore'
  switch (log.topics[0]) {
    case PROTOCOL_FEE_TOPIC: {
      const { protocolFee } = clManagerInterface.decodeEventLog('ProtocolFeeUpdated', log.data, log.topics)
      return { ...state, ...unpackProtocolFees(Number(protocolFee)) }
    }
    case LP_FEE_TOPIC: {
      const { dynamicLPFee } = clManagerInterface.decodeEventLog('DynamicLPFeeUpdated', log.data, log.topics)
      return { ...state, feePpm: Number(dynamicLPFee) }
    }
  }
  if (state.kind !== 'cl') return 'reread'
  switch (log.topics[0]) {
    case CL_SWAP_TOPIC: {
      const { sqrtPriceX96, liquidity, tick } = clManagerInterface.decodeEventLog('Swap', log.data, log.topics)
      return { ...state, sqrtPriceX96, liquidity, tick: Number(tick) }
    }
    case CL_MODIFY_LIQUIDITY_TOPIC: {
      const event = clManagerInterface.decodeEventLog('ModifyLiquidity', log.data, log.topics)
      const { tickLower, tickUpper, liquidityDelta } = event
      return changeLiquidity(state, Number(tickLower), Number(tickUpper), liquidityDelta) ?? 'reread'
    }
    default:
      return 'reread'
  }
}
