/** Refreshes parameters of stable and volatile pairs that change without a log of the pairs. */
import type { DexRow, Hex } from '@sluice/chains'
import type { DexFamily, Pool, Reads } from '../../family.ts'
import type { SolidlyState } from '../../math/solidly.ts'

/** Characters of an answer of one word, with `0x`. */
const WORD_LENGTH = 66

/** Returns the state with the pause of its factory. `answer` is null for a factory without the getter. */
export function withPause(state: SolidlyState, answer: Hex | null | undefined): SolidlyState {
  const isPaused = answer?.length === WORD_LENGTH && BigInt(answer) !== 0n
  if (isPaused === (state.paused === true)) return state
  const { paused, ...unpausedState } = state
  return isPaused ? { ...state, paused: true } : unpausedState
}

/** Returns the states of pairs, and reads those of `changedPools` again. */
export function* rereadChanged(
  readStates: DexFamily<SolidlyState>['readStates'],
  row: DexRow,
  pools: readonly Pool<SolidlyState>[],
  changedPools: readonly Pool<SolidlyState>[],
): Reads<readonly (SolidlyState | null)[]> {
  if (changedPools.length === 0) return pools.map(({ state }) => state)
  const rereadStates = yield* readStates(
    row,
    changedPools.map((pool) => ({ ...pool, state: null })),
  )
  return pools.map((pool) => {
    const index = changedPools.indexOf(pool)
    return index < 0 ? pool.state : rereadStates[index]!
  })
}
