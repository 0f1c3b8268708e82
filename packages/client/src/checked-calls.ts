/** Checks the `calls` of a route: the batch that a smart account sends. */
import { encodeCall, selectors } from './calls.ts'
import { ClientError } from './errors.ts'
import { NATIVE, type Route } from './types.ts'

type Call = { readonly to?: unknown; readonly data?: unknown; readonly value?: unknown }

/**
 * Checks that `calls` are only these calls, in this order: at most one reset of the allowance to zero, at most one
 * approval of exactly the input, and the transaction. The spender must be the contract that the transaction calls.
 *
 * @throws ClientError `UNSAFE` for any other list of calls
 */
export function checkCalls({ src, tx, calls }: Pick<Route, 'src' | 'tx' | 'calls'>, amountIn: bigint): void {
  const list: readonly unknown[] = Array.isArray(calls) ? calls : []
  const [swapCall, ...approvals] = [...list].reverse().map((call): Call => Object(call))
  const isSwap =
    swapCall !== undefined &&
    equalsIgnoringCase(swapCall.to, tx.to) &&
    swapCall.data === tx.data &&
    String(swapCall.value) === String(tx.value)
  const [approvalCall, resetCall] = approvals
  const isNative = equalsIgnoringCase(src, NATIVE)
  const isAllowed =
    isSwap &&
    approvals.length <= (isNative ? 0 : 2) &&
    (approvalCall === undefined || isApprovalCall(approvalCall, src, tx.to, amountIn)) &&
    (resetCall === undefined || isApprovalCall(resetCall, src, tx.to, 0n))
  if (!isAllowed)
    throw new ClientError('UNSAFE', '`calls` do more than approve the Guard for the input and send the transaction')
}

/** Returns true if the call is exactly `approve(spender, amount)` of the token. */
export function isApprovalCall({ to, data, value }: Call, token: string, spender: string, amount: bigint): boolean {
  return (
    equalsIgnoringCase(to, token) &&
    equalsIgnoringCase(data, encodeCall(selectors.approve, spender, amount)) &&
    String(value) === '0'
  )
}

/** Compares an unverified value with a hex text, ignoring case. Returns false if the value is no text. */
export function equalsIgnoringCase(a: unknown, b: string): boolean {
  return typeof a === 'string' && a.toLowerCase() === b.toLowerCase()
}
