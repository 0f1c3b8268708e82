/** Reads Uniswap V2 pairs, and applies their logs. */
import { IUniswapV2PairEvents__factory, PairLens__factory } from '@sluice/bindings'
import { eventReader } from '@sluice/bindings/codec'
import type { DexRow, Hex } from '@sluice/chains'
import type { Log } from '@sluice/rpc'
import type { Pool, PoolReads } from '../../family.ts'
import { lensRead, PAIR_LENS } from '../../lenses.ts'
import { chunks } from '../common/chunks.ts'
import type { MeasuredFee } from './fee.ts'
import type { UniswapV2State } from './types.ts'

const lensInterface = PairLens__factory.createInterface()
const eventsInterface = IUniswapV2PairEvents__factory.createInterface()

/** Maximum pools per read. They take about 3 million gas, and 16 kB of data in each direction. */
const POOLS_PER_READ = 500
/** Fallback fee for a row without a fee, common to almost all forks. `fee.ts` measures the fees of such pools first. */
const DEFAULT_FEE_PPM = 3_000
const RESERVE_MASK = (1n << 112n) - 1n

export function* readStates(row: DexRow, pools: readonly Pool<null>[]): PoolReads<UniswapV2State> {
  const batches = chunks(pools, POOLS_PER_READ)
  const answers = yield batches.map((batch) =>
    lensRead(
      PAIR_LENS,
      lensInterface.encodeFunctionData('reserves', [batch.map((pool) => pool.address)]),
      6_000 * batch.length,
    ),
  )
  return batches.flatMap((batch, batchIndex) => {
    const answer = answers[batchIndex]
    if (!answer) return batch.map(() => null)
    const [words] = lensInterface.decodeFunctionResult('reserves', answer) as unknown as [bigint[]]
    return words.map((word, i) => {
      const feePpm = (batch[i]!.fixed as MeasuredFee | undefined)?.feePpm ?? row.feePpm ?? DEFAULT_FEE_PPM
      return word === 0n ? null : { reserve0: (word >> 112n) & RESERVE_MASK, reserve1: word & RESERVE_MASK, feePpm }
    })
  })
}

/**
 * Decodes a `Sync` log, which contains both reserves. Pairs emit it at every change of their reserves. It is a fast
 * decoder, because a block has hundreds of these logs.
 */
const decodeSync = eventReader<[bigint, bigint]>(eventsInterface, 'Sync')
export const topics: readonly Hex[] = [eventsInterface.getEvent('Sync').topicHash as Hex]

export function applyLog({ state }: Pool<UniswapV2State>, log: Log): UniswapV2State {
  const [reserve0, reserve1] = decodeSync(log.data)
  return { reserve0, reserve1, feePpm: state.feePpm }
}
