/** Measures the fees of pairs by simulated swaps. Used for forks whose row in the chain's file has no proven fee. */
import { PairFeeLens__factory } from '@sluice/bindings'
import type { DexRow, Hex } from '@sluice/chains'
import { toBeHex } from 'ethers'
import type { Pool, PoolReads } from '../../family.ts'
import { PAIR_FEE_LENS } from '../../lenses.ts'
import { chunks } from '../common/chunks.ts'

const lensInterface = PairFeeLens__factory.createInterface()

/** Immutable data (`Pool.fixed`) of a pair whose fee was measured. */
export type MeasuredFee = {
  readonly feePpm: number
  /** Block of the measurement. */
  readonly block: number
}

/** Values of `feeBasis` in the chain's file for which the fee must be measured. */
const UNPROVEN_BASES = ['assumed', 'default']
/** Maximum pools per read of balances. */
const POOLS_PER_READ = 200
/** Minimum balance of each token, in base units, for a measurement. Below it, rounding would hide the fee. */
const MIN_BALANCE = 100_000_000n
/** Exclusive upper bound of reserves, which the pair stores as uint112. */
const RESERVE_LIMIT = 1n << 112n
/** Storage slot that packs, from the low bits up, reserve0, reserve1, and the timestamp of the last update. */
const RESERVES_SLOT = toBeHex(8, 32) as Hex

/** True if the row's fee is unknown or only assumed. */
const isUnproven = ({ feeBasis }: DexRow): boolean => feeBasis === undefined || UNPROVEN_BASES.includes(feeBasis)

/** Measures the fee of each pair, and returns it in `fixed`. Returns null for a pair whose fee cannot be measured. */
export function* readFixed(row: DexRow, pools: readonly Pool<null>[], block: number): PoolReads<Pool<null>> {
  if (!isUnproven(row)) return pools
  const batches = chunks(pools, POOLS_PER_READ)
  const balanceAnswers = yield batches.map((batch) => ({
    ...PAIR_FEE_LENS,
    data: lensInterface.encodeFunctionData('balances', [batch.map(({ address }) => address)]) as Hex,
    gas: 80_000 * batch.length,
  }))
  const probes = batches.flatMap((batch, batchIndex) => {
    const answer = balanceAnswers[batchIndex]
    if (!answer) return []
    const [balances] = lensInterface.decodeFunctionResult('balances', answer) as unknown as [[bigint, bigint][]]
    return batch.flatMap((pool, i) => {
      const [balance0, balance1] = balances[i]!
      const isTooSmall = balance0 < MIN_BALANCE || balance1 < MIN_BALANCE
      if (isTooSmall || balance0 >= RESERVE_LIMIT || balance1 >= RESERVE_LIMIT) return []
      // The read overrides reserve0 with three quarters of the balance, so the pair counts the last quarter as input.
      // Such a large input gives a precise fee.
      return [{ pool, reserve0: balance0 - balance0 / 4n, reserve1: balance1 }]
    })
  })
  const answers = yield probes.map(({ pool, reserve0, reserve1 }) => ({
    ...PAIR_FEE_LENS,
    data: lensInterface.encodeFunctionData('fee', [{ pair: pool.address, reserve0, reserve1 }]) as Hex,
    storage: { [pool.address]: { [RESERVES_SLOT]: toBeHex((reserve1 << 112n) | reserve0, 32) as Hex } },
    gas: 2_500_000,
  }))
  const poolsWithFee = new Map(
    probes.flatMap(({ pool }, i) => {
      const feePpm = answers[i] ? Number(BigInt(answers[i])) : Infinity
      const fixed: MeasuredFee = { feePpm, block }
      return feePpm < 1_000_000 ? [[pool.id, { ...pool, fixed }]] : []
    }),
  )
  return pools.map(({ id }) => poolsWithFee.get(id) ?? null)
}
