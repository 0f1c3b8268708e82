/** Reads DODO V2 pools. */
import { IDodoV2State__factory } from '@sluice/bindings'
import { type DexRow, type Hex, ZERO_ADDRESS } from '@sluice/chains'
import type { Pool, PoolReads } from '../../family.ts'
import type { DodoV2State, Side } from './types.ts'

const poolInterface = IDodoV2State__factory.createInterface()

/** Sides in the order of the contract's `RState`. */
const SIDES: readonly Side[] = ['ONE', 'ABOVE_ONE', 'BELOW_ONE']
/** Estimated gas of one getter call. */
const GETTER_GAS = 60_000

/** Reads each pool with two getter calls. Reads the fees of the zero address, an account without fee privileges. */
export function* readStates(_row: DexRow, pools: readonly Pool[]): PoolReads<DodoV2State> {
  const state = poolInterface.encodeFunctionData('getPMMStateForCall') as Hex
  const fees = poolInterface.encodeFunctionData('getUserFeeRate', [ZERO_ADDRESS]) as Hex
  const answers = yield pools.flatMap(({ address: to }) => [state, fees].map((data) => ({ to, data, gas: GETTER_GAS })))
  return pools.map((_, i) => {
    const [stateAnswer, feesAnswer] = [answers[2 * i], answers[2 * i + 1]]
    return stateAnswer && feesAnswer ? decodeState(stateAnswer, feesAnswer) : null
  })
}

function decodeState(stateAnswer: Hex, feesAnswer: Hex): DodoV2State | null {
  const { i, K, B, Q, B0, Q0, R } = poolInterface.decodeFunctionResult('getPMMStateForCall', stateAnswer)
  const { lpFeeRate, mtFeeRate } = poolInterface.decodeFunctionResult('getUserFeeRate', feesAnswer)
  const side = SIDES[Number(R)]
  if (i === 0n || side === undefined) return null
  return {
    price: i,
    slippage: K,
    base: B,
    quote: Q,
    baseTarget: B0,
    quoteTarget: Q0,
    side,
    lpFee: lpFeeRate,
    maintainerFee: mtFeeRate,
  }
}

export const topics: readonly Hex[] = [poolInterface.getEvent('DODOSwap').topicHash as Hex]
