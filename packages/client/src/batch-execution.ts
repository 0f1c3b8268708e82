/**
 * Reads the outcome of a batch on chain, because some wallets report a batch as failed although it was mined and
 * succeeded.
 */
import { ENTRY_POINTS, SAFE_FAILURE, SAFE_SUCCESS, USER_OPERATION } from './account-events.ts'
import type { Wallet } from './wallet.ts'

/**
 * Outcome of a batch. `executed`: the account's calls succeeded. `reverted`: they failed. `unclear`: the transaction
 * succeeded, but its receipt does not show whether the account's calls did. `unknown`: the node does not have the
 * transaction.
 */
export type BatchExecution = 'executed' | 'reverted' | 'unclear' | 'unknown'

type Log = { readonly address?: unknown; readonly topics?: unknown; readonly data?: unknown }

/**
 * Reads what a mined transaction did with the batch of an account. The status of a receipt does not suffice: if a
 * smart account's calls fail, the transaction that contains them can still succeed.
 *
 * @param hash - transaction that the wallet names for the batch
 * @throws Error if the node does not answer
 * @example
 * ```ts
 * const execution = await batchExecution(wallet, hash)
 * ```
 */
export async function batchExecution(
  { request, address }: Pick<Wallet, 'request' | 'address'>,
  hash: string,
): Promise<BatchExecution> {
  const answer: unknown = await request?.('eth_getTransactionReceipt', [hash])
  if (answer === null || answer === undefined) return 'unknown'
  const { status, from, logs } = Object(answer) as Record<string, unknown>
  if (status === '0x0' || status === 0) return 'reverted'
  const account = address.toLowerCase()
  const readLogs: readonly Log[] = Array.isArray(logs) ? logs.map(Object) : []
  const outcomes = readLogs.flatMap((log) => outcomeOf(log, account))
  if (outcomes.length > 0)
    return outcomes.every((hasSucceeded) => hasSucceeded === outcomes[0]) ? executionOf(outcomes[0]!) : 'unclear'
  // An account with EIP-7702 code sends the batch itself, and emits no event about it. That the calls ran shows in the
  // log of another contract: a swap transfers a token.
  const isSelfExecuted = textOf(from) === account && readLogs.some((log) => textOf(log.address) !== account)
  return isSelfExecuted ? 'executed' : 'unclear'
}

const executionOf = (hasSucceeded: boolean): BatchExecution => (hasSucceeded ? 'executed' : 'reverted')

/**
 * Returns one value if the log reports an execution of the account: true if it succeeded. Otherwise returns an empty
 * array.
 */
function outcomeOf({ address, topics, data }: Log, account: string): readonly boolean[] {
  const emitter = textOf(address)
  const [event, , sender] = Array.isArray(topics) ? topics.map(textOf) : []
  if (emitter === account && (event === SAFE_SUCCESS || event === SAFE_FAILURE)) return [event === SAFE_SUCCESS]
  const isOperation =
    event === USER_OPERATION && ENTRY_POINTS.some((entryPoint) => entryPoint.toLowerCase() === emitter)
  if (!isOperation || sender?.slice(-40) !== account.slice(2)) return []
  // Words of the data: nonce, success, cost, gas.
  return [/^0x[0-9a-f]{64}0{63}1/.test(textOf(data))]
}

const textOf = (value: unknown): string => String(value).toLowerCase()
