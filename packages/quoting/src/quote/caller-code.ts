/** Finds out whether code of the caller's own accounts may run in a swap. */
import type { Address } from '@sluice/chains'
import type { ChainView } from '../view/view.ts'

/** Accounts that a request names. */
type CallerAccounts = {
  readonly from: Address
  readonly recipient?: Address | undefined
  readonly feeRecipient?: Address | undefined
}

/**
 * True if an account that the caller names has code. A payment of the native token, or a token's hook, runs this code,
 * which can change gas and outcome of the swap. Observations of such a swap must not count for other callers. Also true
 * if the code cannot be read.
 */
export async function mayRunCallerCode(
  accounts: CallerAccounts,
  { codeOf }: Pick<ChainView, 'codeOf'>,
): Promise<boolean> {
  try {
    const codes = await Promise.all(callerAccounts(accounts).map(codeOf))
    return codes.some((code) => code !== '0x')
  } catch {
    return true
  }
}

/** Returns the distinct accounts of a caller. */
export function callerAccounts({ from, recipient, feeRecipient }: CallerAccounts): readonly Address[] {
  return [...new Set([from, recipient, feeRecipient])].filter((account) => account !== undefined)
}
