/** Notices balances of rebasing coins, which change without a log of the pool. */
import { ICurvePoolState__factory } from '@sluice/bindings'
import { callCodec } from '@sluice/bindings/codec'
import { type DexRow, wordOf } from '@sluice/chains'
import type { Pool, PoolReads } from '../../family.ts'
import { rereadChanged } from '../common/reread-changed.ts'
import { decodeState, movesSilently, poolRead, READ_GAS, readStates } from './state.ts'
import type { CurveStableState } from './types.ts'

const balanceCodec = callCodec<[coin: bigint], [bigint]>(ICurvePoolState__factory.createInterface(), 'balances')
/** Estimated gas to read the balance of one coin. The pool may read it from a coin behind a proxy. */
const BALANCE_GAS = 20_000

/**
 * Estimated gas of a refresh. NG pools list their rebasing coins. Pools of other factories do not, so all of their
 * balances are read.
 */
export function refreshGas(pool: Pool<CurveStableState>): number {
  if (movesSilently(pool)) return READ_GAS
  return hasKnownCoins(pool) ? 0 : pool.state.balances.length * BALANCE_GAS
}

const hasKnownCoins = ({ fixed }: Pool<unknown>) => fixed !== undefined

/**
 * Reads the pools again whose parameters can change in this state. Reads the balances of the others, and those again
 * whose balances differ.
 */
export function* refreshStates(row: DexRow, pools: readonly Pool<CurveStableState>[]): PoolReads<CurveStableState> {
  const movingPools = pools.filter(movesSilently)
  const movingSet = new Set(movingPools)
  const otherPools = pools.filter((pool) => !movingSet.has(pool))
  const answers = yield [
    ...movingPools.map(poolRead),
    ...otherPools.flatMap(({ address, state }) =>
      state.balances.map((_, coin) => ({ to: address, data: balanceCodec.encode(BigInt(coin)), gas: BALANCE_GAS })),
    ),
  ]
  let offset = movingPools.length
  const changedPools = otherPools.filter(({ state: { balances } }) => {
    const poolAnswers = answers.slice(offset, offset + balances.length)
    offset += balances.length
    return balances.some((balance, coin) => wordOf(poolAnswers[coin]) !== balance)
  })
  const otherStates = (yield* rereadChanged(readStates, row, otherPools, changedPools))[Symbol.iterator]()
  const movingAnswers = answers[Symbol.iterator]()
  return pools.map((pool) => {
    if (!movingSet.has(pool)) return otherStates.next().value!
    const answer = movingAnswers.next().value
    return answer ? decodeState(answer) : null
  })
}
