/** Reads parameters of Velodrome V2 pairs that their factory changes without a log of the pairs: fees and the pause. */
import { IVelodromeV2Factory__factory } from '@sluice/bindings'
import { type DexRow, type Hex, wordOf } from '@sluice/chains'
import { id } from 'ethers'
import type { DexFamily, Pool, PoolReads, Read } from '../../family.ts'
import type { SolidlyState } from '../../math/solidly.ts'
import { rereadChanged } from '../common/reread-changed.ts'
import { withPause } from '../common/solidly-family.ts'

const factoryInterface = IVelodromeV2Factory__factory.createInterface()
/** Estimated gas of `getFee`. */
export const FEE_GAS = 15_000
/** Estimated gas of `isPaused`. */
const PAUSE_GAS = 10_000
/** One fee unit of the factory, a basis point, in ppm. */
const PPM_PER_FEE_UNIT = 100n
const IS_PAUSED = id('isPaused()').slice(0, 10) as Hex

/**
 * Log by which the factory announces a pause or its end. A fork may emit none, so every refresh reads the pause.
 *
 * @see PoolFactory.setPauseState, velodrome-finance/contracts (v2)
 */
export const contractTopics: readonly Hex[] = [id('SetPauseState(bool)') as Hex]

/** Returns the read of the pause of a factory, which stops the swaps of all its pairs. */
export const pauseRead = ({ address: to }: DexRow): Read => ({ to, data: IS_PAUSED, gas: PAUSE_GAS })

/**
 * Returns a `refreshStates` that reads the fees and the pause from the factory. If the fee of a pair differs from its
 * state, reads the pair again by `readStates`, because forks may use other fee units. Keeps the fee if the factory
 * returns none.
 */
export const createParameterRefresh = (readStates: DexFamily<SolidlyState>['readStates']) =>
  function* refreshStates(row: DexRow, pools: readonly Pool<SolidlyState>[]): PoolReads<SolidlyState> {
    const [pauseAnswer, ...feeAnswers] = yield [
      pauseRead(row),
      ...pools.map(({ address, state }) => ({
        to: row.address,
        data: factoryInterface.encodeFunctionData('getFee', [address, state.stable]) as Hex,
        gas: FEE_GAS,
      })),
    ]
    const isChanged = ({ feePpm }: SolidlyState, answer: Hex | null | undefined) => {
      const fee = wordOf(answer)
      return fee !== null && fee * PPM_PER_FEE_UNIT !== BigInt(feePpm)
    }
    const changedPools = pools.filter(({ state }, i) => isChanged(state, feeAnswers[i]))
    const states = yield* rereadChanged(readStates, row, pools, changedPools)
    return states.map((state) => state && withPause(state, pauseAnswer))
  }
