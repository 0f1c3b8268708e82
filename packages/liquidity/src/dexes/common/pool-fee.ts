/**
 * Refreshes the fees of concentrated-liquidity pools, for families in which a contract changes the fee without a log.
 */
import { IUniswapV3PoolState__factory } from '@sluice/bindings'
import type { DexRow, Hex } from '@sluice/chains'
import type { Pool, PoolReads } from '../../family.ts'
import type { ConcentratedState } from '../../math/concentrated.ts'

const poolInterface = IUniswapV3PoolState__factory.createInterface()
/** Characters of a result of one 32-byte word, with `0x`. */
const WORD_LENGTH = 66

/**
 * Returns `refreshStates` and `parameterGas` of a family.
 *
 * @param getters - names of getters of the fee, in order of precedence; every pool has at least one of them
 * @param getterGas - estimated gas of one getter call
 */
export function feeRefresh<State extends ConcentratedState>(
  getters: readonly ('fee' | 'currentFee')[],
  getterGas: number,
) {
  const calls = getters.map((name) => poolInterface.encodeFunctionData(name as 'fee') as Hex)
  function* refreshStates(_row: DexRow, pools: readonly Pool<State>[]): PoolReads<State> {
    const answers = yield pools.flatMap(({ address: to }) => calls.map((data) => ({ to, data, gas: getterGas })))
    return pools.map(({ state }, i) => {
      const poolAnswers = answers.slice(i * calls.length, (i + 1) * calls.length)
      const word = poolAnswers.find((answer) => answer !== null && answer.length >= WORD_LENGTH)
      if (!word) return null
      const feePpm = Number(BigInt.asUintN(24, BigInt(word.slice(0, WORD_LENGTH))))
      return feePpm === state.feePpm ? state : { ...state, feePpm }
    })
  }
  return { refreshStates, parameterGas: () => calls.length * getterGas }
}
