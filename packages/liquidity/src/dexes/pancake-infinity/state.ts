/** Reads Pancake Infinity pools, and applies their logs. */
import {
  IPancakeInfinityBinManager__factory,
  IPancakeInfinityClManager__factory,
  PancakeInfinityLens__factory,
} from '@sluice/bindings'
import type { DexRow, Hex } from '@sluice/chains'
import type { Log } from '@sluice/rpc'
import type { Pool, Reads } from '../../family.ts'
import { PANCAKE_INFINITY_LENS } from '../../lenses.ts'
import { decodeBins } from '../../math/bins.ts'
import { changeLiquidity } from '../../math/positions.ts'
import { joinTicks, splitAnswers, wordRanges } from '../common/concentrated-state.ts'
import { keyOf, stepOf, touchesSwaps } from './key.ts'
import type { InfinityFees, InfinityState } from './types.ts'

const lensInterface = PancakeInfinityLens__factory.createInterface()
const clManagerInterface = IPancakeInfinityClManager__factory.createInterface()
const binManagerInterface = IPancakeInfinityBinManager__factory.createInterface()

/** Bins read on each side of the active bin. Swaps that go farther are refused. */
const MAX_BINS = 100
/** Estimated gas to read price and liquidity of one pool with ticks. */
const CL_STATE_GAS = 40_000
/** Estimated gas to read bins: a walk of the bin tree and two storage loads per bin. */
const BINS_GAS = 200_000 + 2 * MAX_BINS * 16_000

/** Returns null for a pool whose hook takes part in swaps. */
export function* readStates(row: DexRow, pools: readonly Pool<null>[]): Reads<readonly (InfinityState | null)[]> {
  const reads = pools.map((pool) => {
    const key = keyOf(pool)
    if (touchesSwaps(key)) return []
    return key.kind === 'cl' ? clReads(row, pool) : [binRead(row, pool)]
  })
  const answersByPool = splitAnswers(reads, yield reads.flat())
  return pools.map((pool, i) => (keyOf(pool).kind === 'cl' ? decodeCl : decodeBin)(pool, answersByPool[i]!))
}

const clReads = ({ address }: DexRow, pool: Pool<null>) => [
  {
    ...PANCAKE_INFINITY_LENS,
    data: lensInterface.encodeFunctionData('readCl', [address, pool.id]) as Hex,
    gas: CL_STATE_GAS,
  },
  ...wordRanges(stepOf(keyOf(pool))).map(({ first, last, gas }) => ({
    ...PANCAKE_INFINITY_LENS,
    data: lensInterface.encodeFunctionData('ticks', [address, pool.id, stepOf(keyOf(pool)), first, last]) as Hex,
    gas,
  })),
]

const binRead = ({ address }: DexRow, { id }: Pool<null>) => ({
  ...PANCAKE_INFINITY_LENS,
  data: lensInterface.encodeFunctionData('readBin', [address, id, MAX_BINS]) as Hex,
  gas: BINS_GAS,
})

/** Splits the packed fees: twelve bits per direction. */
const protocolFees = (packedFees: number): Pick<InfinityFees, 'protocolFee0Ppm' | 'protocolFee1Ppm'> => ({
  protocolFee0Ppm: packedFees & 0xfff,
  protocolFee1Ppm: packedFees >> 12,
})

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
    ...protocolFees(Number(readResult.protocolFee)),
    tickSpacing: stepOf(keyOf(pool)),
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
    binStep: stepOf(keyOf(pool)),
    bins: [...decodeBins([...readResult.below]).toReversed(), ...decodeBins([...readResult.above])],
    allBelow: readResult.allBelow,
    allAbove: readResult.allAbove,
    limited: true,
    feePpm: Number(readResult.lpFee),
    ...protocolFees(Number(readResult.protocolFee)),
  }
}

const topic = (hash: string | undefined) => hash as Hex
const CL_SWAP = topic(clManagerInterface.getEvent('Swap')!.topicHash)
const CL_MODIFY_LIQUIDITY = topic(clManagerInterface.getEvent('ModifyLiquidity')!.topicHash)
const PROTOCOL_FEE = topic(clManagerInterface.getEvent('ProtocolFeeUpdated')!.topicHash)
const LP_FEE = topic(clManagerInterface.getEvent('DynamicLPFeeUpdated')!.topicHash)

/** Logs of the managers. Logs of bin pools do not carry the reserves. */
export const topics: readonly Hex[] = [
  CL_SWAP,
  CL_MODIFY_LIQUIDITY,
  PROTOCOL_FEE,
  LP_FEE,
  ...(['Swap', 'Mint', 'Burn', 'Donate'] as const).map((name) =>
    topic(binManagerInterface.getEvent(name as 'Swap').topicHash),
  ),
]

/** Each manager emits the logs of all its pools, with the pool id as the first indexed argument. */
export const poolIdOf = (log: Log): string => log.topics[1]!

export function applyLog({ address, state }: Pool<InfinityState>, log: Log): InfinityState | 'reread' | 'ignore' {
  // Any contract can emit a log with the id of a pool.
  if (log.address !== address) return 'ignore'
  switch (log.topics[0]) {
    case PROTOCOL_FEE: {
      const { protocolFee } = clManagerInterface.decodeEventLog('ProtocolFeeUpdated', log.data, log.topics)
      return { ...state, ...protocolFees(Number(protocolFee)) }
    }
    case LP_FEE: {
      const { dynamicLPFee } = clManagerInterface.decodeEventLog('DynamicLPFeeUpdated', log.data, log.topics)
      return { ...state, feePpm: Number(dynamicLPFee) }
    }
  }
  if (state.kind !== 'cl') return 'reread'
  switch (log.topics[0]) {
    case CL_SWAP: {
      const { sqrtPriceX96, liquidity, tick } = clManagerInterface.decodeEventLog('Swap', log.data, log.topics)
      return { ...state, sqrtPriceX96, liquidity, tick: Number(tick) }
    }
    case CL_MODIFY_LIQUIDITY: {
      const event = clManagerInterface.decodeEventLog('ModifyLiquidity', log.data, log.topics)
      const { tickLower, tickUpper, liquidityDelta } = event
      return changeLiquidity(state, Number(tickLower), Number(tickUpper), liquidityDelta) ?? 'reread'
    }
    default:
      return 'reread'
  }
}
