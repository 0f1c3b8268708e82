/** Reads token balances. */
import { IERC20__factory } from '@sluice/bindings'
import type { Address, Hex } from '@sluice/chains'
import type { Reads } from '@sluice/liquidity'

/** Estimated gas of one `balanceOf`, with a reserve: even rebasing tokens behind proxies use less. */
const READ_GAS = 300_000

const erc20 = IERC20__factory.createInterface()

export type BalanceKey = readonly [holder: Address, token: Address]

/** Reads balances in base units; null for a token whose `balanceOf` fails. */
export function* readBalances(keys: readonly BalanceKey[]): Reads<readonly (bigint | null)[]> {
  const answers = yield keys.map(([holder, token]) => ({
    ...{ to: token, gas: READ_GAS },
    data: erc20.encodeFunctionData('balanceOf', [holder]) as Hex,
  }))
  return answers.map((answer) => (answer && answer.length >= 66 ? BigInt(answer.slice(0, 66)) : null))
}
