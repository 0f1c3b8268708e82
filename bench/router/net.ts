/** Computes the output of routes after gas. */
import type { Scenario, ScenarioTrade } from './scenario.ts'

/** Returns the output after gas in base units. Values gas at the scenario's prices, for all routers in the same way. */
export function netOf(
  { amountOut, gas }: { readonly amountOut: bigint; readonly gas: number },
  { tokens, nativeToken }: Scenario,
  { tokenOut }: ScenarioTrade,
  gasPrice: bigint,
): number {
  const native = tokens[nativeToken]!
  const token = tokens[tokenOut]!
  const gasUsd = ((gas * Number(gasPrice)) / 10 ** native.decimals) * native.priceUsd
  return Number(amountOut) - (gasUsd / token.priceUsd) * 10 ** token.decimals
}
