/** The fee of forks whose row only assumes one: measured at each pair by swaps that are undone. */
import { PairFeeLens__factory } from '@sluice/bindings'
import type { DexRow, Hex } from '@sluice/chains'
import { toBeHex } from 'ethers'
import type { Pool, Reads } from '../../family.ts'
import { PAIR_FEE_LENS } from '../../lenses.ts'
import { chunks } from '../common/chunks.ts'

const lens = PairFeeLens__factory.createInterface()

/** The facts that a pair which was measured keeps in `fixed`. */
export type MeasuredFee = {
  readonly feePpm: number
  /** When it was measured. */
  readonly block: number
}

/** As in the chains' files. */
const UNPROVEN = ['assumed', 'default']
const PAIRS_PER_READ = 200
/** Both reserves must be well above this, or rounding hides the fee. */
const LEAST_BALANCE = 100_000_000n
const RESERVE_LIMIT = 1n << 112n
/** The slot in which Uniswap's pair keeps reserve0, reserve1 and the time of their change, from the low bits up. */
const RESERVES_SLOT = toBeHex(8, 32) as Hex

const isUnproven = ({ feeBasis }: DexRow): boolean => feeBasis === undefined || UNPROVEN.includes(feeBasis)

/** Pairs with their fee in `fixed`; null where it cannot be told: such a pair is not to be used. */
export function* readFixed(
  row: DexRow,
  pools: readonly Pool<null>[],
  block: number,
): Reads<readonly (Pool<null> | null)[]> {
  if (!isUnproven(row)) return pools
  const batches = chunks(pools, PAIRS_PER_READ)
  const held = yield batches.map((batch) => ({
    ...PAIR_FEE_LENS,
    data: lens.encodeFunctionData('balances', [batch.map(({ address }) => address)]) as Hex,
    gas: 80_000 * batch.length,
  }))
  const claims = batches.flatMap((batch, b) => {
    const answer = held[b]
    if (!answer) return []
    const [balances] = lens.decodeFunctionResult('balances', answer) as unknown as [[bigint, bigint][]]
    return batch.flatMap((pool, i) => {
      const [balance0, balance1] = balances[i]!
      const small = balance0 < LEAST_BALANCE || balance1 < LEAST_BALANCE
      if (small || balance0 >= RESERVE_LIMIT || balance1 >= RESERVE_LIMIT) return []
      // A quarter of what it holds counts as paid in: the more, the finer the fee shows.
      return [{ pool, reserve0: balance0 - balance0 / 4n, reserve1: balance1 }]
    })
  })
  const answers = yield claims.map(({ pool, reserve0, reserve1 }) => ({
    ...PAIR_FEE_LENS,
    data: lens.encodeFunctionData('fee', [{ pair: pool.address, reserve0, reserve1 }]) as Hex,
    storage: { [pool.address]: { [RESERVES_SLOT]: toBeHex((reserve1 << 112n) | reserve0, 32) as Hex } },
    gas: 2_500_000,
  }))
  const completed = new Map(
    claims.flatMap(({ pool }, i) => {
      const feePpm = answers[i] ? Number(BigInt(answers[i])) : Infinity
      const fixed: MeasuredFee = { feePpm, block }
      return feePpm < 1_000_000 ? [[pool.id, { ...pool, fixed }]] : []
    }),
  )
  return pools.map(({ id }) => completed.get(id) ?? null)
}
