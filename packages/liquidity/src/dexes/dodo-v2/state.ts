/** Reads DODO V2 pools. */
import { IDodoV2State__factory } from '@sluice/bindings'
import { type DexRow, type Hex, ZERO_ADDRESS } from '@sluice/chains'
import type { Pool, Reads } from '../../family.ts'
import type { DodoV2State, Side } from './types.ts'

const poolInterface = IDodoV2State__factory.createInterface()

const SIDES: readonly Side[] = ['ONE', 'ABOVE_ONE', 'BELOW_ONE']
/** Estimated gas of one getter call. */
const STATE_GAS = 60_000

/** Reads each pool with two calls of its getters. Reads the fee that accounts without privileges pay. */
export function* readStates(_row: DexRow, pools: readonly Pool[]): Reads<readonly (DodoV2State | null)[]> {
  const state = poolInterface.encodeFunctionData('getPMMStateForCall') as Hex
  const fees = poolInterface.encodeFunctionData('getUserFeeRate', [ZERO_ADDRESS]) as Hex
  const answers = yield pools.flatMap(({ address: to }) => [state, fees].map((data) => ({ to, data, gas: STATE_GAS })))
  return pools.map((_, i) => {
    const [stateAnswer, ratesAnswer] = [answers[2 * i], answers[2 * i + 1]]
    return stateAnswer && ratesAnswer ? decodeState(stateAnswer, ratesAnswer) : null
  })
}

function decodeState(stateAnswer: Hex, ratesAnswer: Hex): DodoV2State | null {
  const { i, K, B, Q, B0, Q0, R } = poolInterface.decodeFunctionResult('getPMMStateForCall', stateAnswer)
  const { lpFeeRate, mtFeeRate } = poolInterface.decodeFunctionResult('getUserFeeRate', ratesAnswer)
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
