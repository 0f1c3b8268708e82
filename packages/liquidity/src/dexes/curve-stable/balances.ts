/** Refreshes pools whose parameters or balances change without a log, such as the balances of rebasing coins. */
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
 * Returns the estimated gas of a refresh. NG pools report which of their coins rebase. Other pools do not, so all of
 * their balances are read.
 */
export function refreshGas(pool: Pool<CurveStableState>): number {
  if (movesSilently(pool)) return READ_GAS
  return hasKnownCoins(pool) ? 0 : pool.state.balances.length * BALANCE_GAS
}

/** True for NG pools, for which `readFixed` has read the types of the coins. */
const hasKnownCoins = ({ fixed }: Pool<unknown>) => fixed !== undefined

/**
 * Refreshes states. Pools with parameters that can change now are read again. Of all other pools, only the balances are
 * read. If the balances of a pool have changed, this pool is read again too.
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
