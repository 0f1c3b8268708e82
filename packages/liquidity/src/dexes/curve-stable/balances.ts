/** Notices balances of rebasing coins, which change without a log of the pool. */
import { ICurvePoolState__factory } from '@sluice/bindings'
import { callCodec } from '@sluice/bindings/codec'
import type { DexRow } from '@sluice/chains'
import type { Pool, Reads } from '../../family.ts'
import { decodeState, movesSilently, poolRead, READ_GAS, readStates } from './state.ts'
import type { CurveStableState } from './types.ts'

const balanceCodec = callCodec<[coin: bigint], [bigint]>(ICurvePoolState__factory.createInterface(), 'balances')
/** Estimated gas of the balance of one coin, of which the pool may ask a coin behind a proxy. */
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
export function* refreshStates(
  row: DexRow,
  pools: readonly Pool<CurveStableState>[],
): Reads<readonly (CurveStableState | null)[]> {
  const movingPools = pools.filter(movesSilently)
  const otherPools = pools.filter((pool) => !movesSilently(pool))
  const answers = yield [
    ...movingPools.map(poolRead),
    ...otherPools.flatMap(({ address, state }) =>
      state.balances.map((_, coin) => ({ to: address, data: balanceCodec.encode(BigInt(coin)), gas: BALANCE_GAS })),
    ),
  ]
  const newStates = new Map<Pool, CurveStableState | null>()
  for (const [i, pool] of movingPools.entries()) {
    const answer = answers[i]
    newStates.set(pool, answer ? decodeState(answer) : null)
  }
  let offset = movingPools.length
  const changedPools = otherPools.filter(({ state: { balances } }) => {
    const poolAnswers = answers.slice(offset, offset + balances.length)
    offset += balances.length
    return balances.some((balance, coin) => poolAnswers[coin]?.length !== 66 || BigInt(poolAnswers[coin]) !== balance)
  })
  const statesOfChanged = changedPools.length > 0 ? yield* readStates(row, changedPools) : []
  for (const [i, pool] of changedPools.entries()) newStates.set(pool, statesOfChanged[i]!)
  return pools.map((pool) => (newStates.has(pool) ? newStates.get(pool)! : pool.state))
}
