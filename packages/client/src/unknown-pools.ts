/** Finds the unproven pools of a transaction. Reads only the transaction, no other data of the service. */
import { type Step, tradesOf } from '@sluice/program'
import type { SwapContracts } from './contracts.ts'
import type { Explanation } from './explain.ts'
import { keccak256 } from './keccak.ts'
import { type Unproven, unprovenFields } from './proof.ts'
import type { SwapLeg } from './types.ts'

/**
 * Returns the pools of a transaction that no known factory deployed and no list contains. They may run any code, and
 * can keep all output above the minimum. A transaction does not contain the output token of every step. So this function tries all tokens of the swap for such a step.
 *
 * @param contracts - all trusted contracts of the chain
 * @example
 * ```ts
 * const unknown = unknownPools(explain(tx), contractsOf(1)!)
 * ```
 */
export function unknownPools(explanation: Explanation, contracts: SwapContracts): readonly string[] {
  const { tokenIn, tokenOut, steps } = explanation
  const wrapper = contracts.wrapper ? [contracts.wrapper] : []
  const namedTokens = steps.flatMap((step) => [step.tokenIn, 'tokenOut' in step ? step.tokenOut : []].flat())
  const tokens = [...new Set([tokenOut, ...namedTokens, ...wrapper].map((token) => token.toLowerCase()))]
  const unknown = steps.flatMap((step) => findFewestUnproven(step, tokens, contracts, [tokenIn, tokenOut]))
  return [...new Set(unknown.map(({ pool, value }) => pool || value))]
}

/**
 * Returns the unproven fields of a step. If its output token is unknown, assumes the token with which the fewest fields
 * are unproven.
 */
function findFewestUnproven(
  step: Step,
  tokens: readonly string[],
  contracts: SwapContracts,
  swapTokens: readonly string[],
): readonly Unproven[] {
  const trades = tradesOf(step, keccak256)
  let fewest: readonly Unproven[] | undefined
  for (const tokenOut of tokens) {
    const legs = trades.map(({ pool }) => ({ pool, tokenIn: step.tokenIn, tokenOut }) as SwapLeg)
    const unprovenForToken = unprovenFields([step], legs, contracts, swapTokens)
    if (!fewest || unprovenForToken.length < fewest.length) fewest = unprovenForToken
    if (fewest.length === 0) break
  }
  return fewest ?? []
}
