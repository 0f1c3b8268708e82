/** Finds and reads iZiSwap pools. A point is iZiSwap's tick. */
import { IIziswapState__factory, IziswapLens__factory } from '@sluice/bindings'
import type { DexRow, Hex } from '@sluice/chains'
import type { Pool, PoolReads, TokenPair } from '../../family.ts'
import { lensOf, lensRead } from '../../lenses.ts'
import { finderCodec, findKeyedPools } from '../common/concentrated-discover.ts'
import { splitAnswers, wordRanges } from '../common/concentrated-state.ts'
import type { IziswapState, LiquidityPoint } from './types.ts'

const LENS = lensOf('IziswapLens')
const lensInterface = IziswapLens__factory.createInterface()
const findCodec = finderCodec(lensInterface, 'find')
const eventsInterface = IIziswapState__factory.createInterface()

/** Fees in ppm that factories are known to offer. The lens skips fees that a factory has not enabled. */
const FEES_PPM = [100, 400, 500, 2000, 3000, 10_000]
/** Maximum token pairs per read. They take about 4 million gas if all fees are enabled. */
const PAIRS_PER_READ = 200
/** Estimated gas to read a pool without its points. */
const STATE_GAS = 60_000

export const findPools = (row: DexRow, pairs: readonly TokenPair[]) =>
  findKeyedPools(row, pairs, FEES_PPM, {
    lens: LENS,
    finder: findCodec,
    pairsPerRead: PAIRS_PER_READ,
    pairGas: 20_000,
  })

/** Result of the first read: the state without its points. */
type StateWithoutPoints = Omit<IziswapState, 'points'>

/**
 * Reads the pools without their points, and then the points. The second read needs the result of the first one, because
 * the number of bitmap words depends on `pointDelta`.
 */
export function* readStates(_row: DexRow, pools: readonly Pool[]): PoolReads<IziswapState> {
  const states = (yield pools.map((pool) =>
    lensRead(LENS, lensInterface.encodeFunctionData('read', [pool.address]), STATE_GAS),
  )).map((answer) => answer && decodeState(answer))
  const reads = states.map((state, i) =>
    state
      ? wordRanges(state.pointDelta).map(({ first, last, gas }) =>
          lensRead(
            LENS,
            lensInterface.encodeFunctionData('points', [pools[i]!.address, state.pointDelta, first, last]),
            gas,
          ),
        )
      : [],
  )
  const answersByPool = splitAnswers(reads, yield reads.flat())
  return states.map((state, i) => {
    if (!state || answersByPool[i]!.some((answer) => answer === null)) return null
    return { ...state, points: answersByPool[i]!.flatMap((answer) => decodePoints(answer!)) }
  })
}

function decodeState(answer: Hex): StateWithoutPoints {
  const [readResult] = lensInterface.decodeFunctionResult('read', answer)
  return {
    sqrtPriceX96: readResult.sqrtPriceX96,
    point: Number(readResult.point),
    liquidity: readResult.liquidity,
    liquidityX: readResult.liquidityX,
    feePpm: Number(readResult.feePpm),
    pointDelta: Number(readResult.pointDelta),
  }
}

/** Decodes points, which have three words each. */
function decodePoints(answer: Hex): readonly LiquidityPoint[] {
  const words = [...lensInterface.decodeFunctionResult('points', answer)[0]] as readonly bigint[]
  return Array.from({ length: words.length / 3 }, (_, i) => {
    const [point, flagsAndLiquidity, sellingXAndY] = words.slice(3 * i, 3 * i + 3) as [bigint, bigint, bigint]
    const flags = Number(flagsAndLiquidity >> 128n)
    return {
      point: Number(BigInt.asIntN(256, point)),
      endpoint: (flags & 1) !== 0,
      order: (flags & 2) !== 0,
      liquidityNet: BigInt.asIntN(128, flagsAndLiquidity),
      sellingX: sellingXAndY >> 128n,
      sellingY: BigInt.asUintN(128, sellingXAndY),
    }
  })
}

export const topics: readonly Hex[] = (['Swap', 'Mint', 'Burn', 'AddLimitOrder', 'DecLimitOrder'] as const).map(
  (name) => eventsInterface.getEvent(name as 'Swap').topicHash as Hex,
)
