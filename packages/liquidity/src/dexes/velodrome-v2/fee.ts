/** Notices fees of Velodrome V2 pairs that the factory's fee manager changed. The pairs emit no log of it. */
import { IVelodromeV2Factory__factory } from '@sluice/bindings'
import type { DexRow, Hex } from '@sluice/chains'
import type { DexFamily, Pool, Reads } from '../../family.ts'
import type { SolidlyState } from '../../math/solidly.ts'

const factoryInterface = IVelodromeV2Factory__factory.createInterface()
/** Estimated gas of `getFee`. */
export const FEE_GAS = 15_000
/** Parts per million of one unit of a fee. */
const PPM_PER_UNIT = 100n

/**
 * Asks the factory for the fees. Reads the pairs again whose fee differs, because forks may use other units. Keeps the
 * state of a pair if the factory does not answer.
 */
export const refreshWith = (readStates: DexFamily<SolidlyState>['readStates']) =>
  function* refreshStates(row: DexRow, pools: readonly Pool<SolidlyState>[]): Reads<readonly (SolidlyState | null)[]> {
    const answers = yield pools.map(({ address, state }) => ({
      to: row.address,
      data: factoryInterface.encodeFunctionData('getFee', [address, state.stable]) as Hex,
      gas: FEE_GAS,
    }))
    const isChanged = ({ feePpm }: SolidlyState, answer: Hex | null | undefined) =>
      answer?.length === 66 && BigInt(answer) * PPM_PER_UNIT !== BigInt(feePpm)
    const changedPools = pools.filter(({ state }, i) => isChanged(state, answers[i]))
    if (changedPools.length === 0) return pools.map(({ state }) => state)
    const readStatesOfChanged = yield* readStates(
      row,
      changedPools.map((pool) => ({ ...pool, state: null })),
    )
    return pools.map((pool) => {
      const index = changedPools.indexOf(pool)
      return index < 0 ? pool.state : readStatesOfChanged[index]!
    })
  }
