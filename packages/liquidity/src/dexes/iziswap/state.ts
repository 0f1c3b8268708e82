/** Finds and reads iZiSwap pools. */
import { IIziswapState__factory, IziswapLens__factory } from '@sluice/bindings'
import type { Address, DexRow, Hex } from '@sluice/chains'
import type { Pool, Reads } from '../../family.ts'
import { lensOf } from '../../lenses.ts'
import { finderCodec, findKeyedPools } from '../common/concentrated-discover.ts'
import { splitAnswers, wordRanges } from '../common/concentrated-state.ts'
import type { IziswapState, LiquidityPoint } from './types.ts'

const LENS = lensOf('IziswapLens')
const lensInterface = IziswapLens__factory.createInterface()
const FIND_CODEC = finderCodec(lensInterface, 'find')
const eventsInterface = IIziswapState__factory.createInterface()

/** Fees in ppm that factories may offer. The lens skips fees that are not enabled. */
const FEES = [100, 400, 500, 2000, 3000, 10_000]
/** Token pairs per read, which takes about 4 million gas if all fees are enabled. */
const PAIRS_PER_READ = 200
/** Estimated gas to read price and settings of a pool. */
const HEAD_GAS = 60_000

export const findPools = (row: DexRow, pairs: readonly (readonly [Address, Address])[]) =>
  findKeyedPools(row, pairs, FEES, {
    lens: LENS,
    finder: FIND_CODEC,
    pairsPerRead: PAIRS_PER_READ,
    pairGas: 20_000,
  })

/** State without its points: what the first round reads. */
type Head = Omit<IziswapState, 'points'>

/** Reads in two rounds: first the settings, then the points, because the bitmap layout depends on the settings. */
export function* readStates(_row: DexRow, pools: readonly Pool[]): Reads<readonly (IziswapState | null)[]> {
  const heads = (yield pools.map((pool) => ({
    ...LENS,
    data: lensInterface.encodeFunctionData('read', [pool.address]) as Hex,
    gas: HEAD_GAS,
  }))).map((answer) => answer && decodeHead(answer))
  const reads = heads.map((head, i) =>
    head
      ? wordRanges(head.pointDelta).map(({ first, last, gas }) => ({
          ...LENS,
          data: lensInterface.encodeFunctionData('points', [pools[i]!.address, head.pointDelta, first, last]) as Hex,
          gas,
        }))
      : [],
  )
  const answersOf = splitAnswers(reads, yield reads.flat())
  return heads.map((head, i) => {
    if (!head || answersOf[i]!.some((answer) => answer === null)) return null
    return { ...head, points: answersOf[i]!.flatMap((answer) => decodePoints(answer!)) }
  })
}

function decodeHead(answer: Hex): Head {
  const [head] = lensInterface.decodeFunctionResult('read', answer)
  return {
    sqrtPriceX96: head.sqrtPriceX96,
    point: Number(head.point),
    liquidity: head.liquidity,
    liquidityX: head.liquidityX,
    feePpm: Number(head.feePpm),
    pointDelta: Number(head.pointDelta),
  }
}

/** Decodes three words per point, as the lens packs them. */
function decodePoints(answer: Hex): readonly LiquidityPoint[] {
  const words = [...lensInterface.decodeFunctionResult('points', answer)[0]] as readonly bigint[]
  return Array.from({ length: words.length / 3 }, (_, i) => {
    const [point, liquidity, selling] = words.slice(3 * i, 3 * i + 3) as [bigint, bigint, bigint]
    const kind = Number(liquidity >> 128n)
    return {
      point: Number(BigInt.asIntN(256, point)),
      endpoint: (kind & 1) !== 0,
      order: (kind & 2) !== 0,
      liquidityNet: BigInt.asIntN(128, liquidity),
      sellingX: selling >> 128n,
      sellingY: BigInt.asUintN(128, selling),
    }
  })
}

export const topics: readonly Hex[] = (['Swap', 'Mint', 'Burn', 'AddLimitOrder', 'DecLimitOrder'] as const).map(
  (name) => eventsInterface.getEvent(name as 'Swap').topicHash as Hex,
)
