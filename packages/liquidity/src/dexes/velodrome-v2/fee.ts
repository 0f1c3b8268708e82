/** Detects changed fees of Velodrome V2 pairs. The factory's fee manager can change fees without a log of the pair. */
import { IVelodromeV2Factory__factory } from '@sluice/bindings'
import type { DexRow, Hex } from '@sluice/chains'
import type { DexFamily, Pool, Reads } from '../../family.ts'
import type { SolidlyState } from '../../math/solidly.ts'

const factoryInterface = IVelodromeV2Factory__factory.createInterface()
/** Estimated gas of `getFee`. */
export const FEE_GAS = 15_000
/** One fee unit of the factory, a basis point, in ppm. */
const PPM_PER_FEE_UNIT = 100n

/**
 * Returns a `refreshStates` that reads the fees from the factory. If the fee of a pair differs from its state, reads
 * the pair again by `readStates`, because forks may use other fee units. Keeps the state if the factory returns no fee.
 */
export const createFeeRefresh = (readStates: DexFamily<SolidlyState>['readStates']) =>
  function* refreshStates(row: DexRow, pools: readonly Pool<SolidlyState>[]): Reads<readonly (SolidlyState | null)[]> {
    const answers = yield pools.map(({ address, state }) => ({
      to: row.address,
      data: factoryInterface.encodeFunctionData('getFee', [address, state.stable]) as Hex,
      gas: FEE_GAS,
    }))
    const isChanged = ({ feePpm }: SolidlyState, answer: Hex | null | undefined) =>
      answer?.length === 66 && BigInt(answer) * PPM_PER_FEE_UNIT !== BigInt(feePpm)
    const changedPools = pools.filter(({ state }, i) => isChanged(state, answers[i]))
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
