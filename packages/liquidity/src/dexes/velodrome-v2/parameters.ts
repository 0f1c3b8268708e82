/** Reads two parameters of Velodrome V2 pairs that their factory changes without a log of the pairs: fee and pause. */
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
/** Calldata of `isPaused()`. */
const IS_PAUSED = id('isPaused()').slice(0, 10) as Hex

/**
 * Topic of the log that the factory emits at the start and the end of a pause. A fork may emit no such log, so every
 * refresh also reads whether the factory is paused.
 *
 * @see PoolFactory.setPauseState, velodrome-finance/contracts (v2)
 */
export const contractTopics: readonly Hex[] = [id('SetPauseState(bool)') as Hex]

/** Returns the read that shows whether a factory is paused. A pause stops the swaps of all its pairs. */
export const pauseRead = ({ address: to }: DexRow): Read => ({ to, data: IS_PAUSED, gas: PAUSE_GAS })

/**
 * Returns a `refreshStates` that reads the fees and the pause from the factory. If the fee of a pair is not the one in
 * its state, the pair is read again by `readStates`. The new fee is not used directly, because forks may have other fee
 * units. If the factory returns no fee, the state keeps its fee.
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
