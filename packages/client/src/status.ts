/** Reads the state of a transaction from the service and compares it with the caller's own node. */
import type { SluiceClient } from './client.ts'
import { ClientError, messageOf, orWalletError } from './errors.ts'
import { abortError, request } from './http.ts'
import { knownGuards } from './known-guards.ts'
import { type NodeStatus, nodeStatus } from './receipt-status.ts'
import type { TransactionStatus } from './types.ts'
import type { Wallet } from './wallet.ts'

/** Node that proves a status: a wallet with `request`, or the URL of an RPC endpoint. */
export type StatusNode = Pick<Wallet, 'chainId' | 'request'> | string

/** Options of `getStatus`. */
export type StatusOptions = {
  /** `toAmount` of the quote, in base units. If given, `swap.difference` compares the received output with it. */
  readonly toAmount?: bigint | string | undefined
  /** Node that proves the status. Without it, nothing is proven. */
  readonly node?: StatusNode | undefined
  /** Additional Guard whose swaps are proven, for chains that this package does not know. */
  readonly guard?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Status of a transaction. Without a `node`, all fields come from the service. With a `node`, they come from that node,
 * except `reason`, and except `swap` if the calldata is not a swap of a known Guard.
 */
export type CheckedStatus = TransactionStatus & {
  /**
   * Fields proven by the receipt and the transaction from the caller's node. `status` is proven only for mined
   * transactions, because `pending` and `unknown` depend on the node.
   */
  readonly proven: readonly ProvableField[]
  /**
   * Proven fields, such as `swap.received`, for which the service reports a different value. A reorg can also cause
   * such a difference.
   */
  readonly contradicted: readonly string[]
  /** Status as the service reported it. */
  readonly reported: TransactionStatus
}

/** Field of a status that a node can prove. */
export type ProvableField = Exclude<keyof TransactionStatus, 'hash' | 'reason'>

/** Fields that a receipt proves, and fields that a transaction proves even while it is pending. */
const BY_RECEIPT: readonly ProvableField[] = ['status', 'block', 'blockHash', 'confirmations', 'gasUsed', 'gasCost']
const BY_TRANSACTION: readonly ProvableField[] = ['from', 'to']

/**
 * Reads the state of a transaction. If the caller passes a node, its receipt and transaction prove the outcome, block,
 * gas, order, spent input and received output. `reason` is never proven.
 *
 * @throws ClientError `INVALID` for an invalid argument; `BAD_ANSWER` for a malformed response of the service; `WALLET`
 *   if the node fails, is on another chain, or returns a malformed response
 * @example
 * ```ts
 * const { status, swap, proven } = await getStatus(sluice, 1, hash, { toAmount: route.toAmount, node: wallet })
 * if (status === 'landed' && proven.includes('swap')) console.log(swap?.received)
 * ```
 */
export async function getStatus(
  client: SluiceClient,
  chainId: number,
  hash: string,
  options: StatusOptions = {},
): Promise<CheckedStatus> {
  const { toAmount, node, guard, signal } = options
  if (!/^0x[0-9a-fA-F]{64}$/.test(String(hash)))
    throw new ClientError('INVALID', `${String(hash).slice(0, 100)} is no hash of a transaction`)
  if (toAmount !== undefined && !/^\d{1,78}$/.test(String(toAmount)))
    throw new ClientError('INVALID', 'toAmount must be an integer in base units')
  const requestedHash = hash.toLowerCase()
  const reportedStatus = await client.get<Partial<TransactionStatus>>(
    `/status/${chainId}/${requestedHash}`,
    { toAmount },
    signal,
  )
  if (!isStatus(reportedStatus) || reportedStatus.hash !== requestedHash)
    throw new ClientError('BAD_ANSWER', 'the response is not the status of this transaction')
  if (node === undefined) return { ...reportedStatus, proven: [], contradicted: [], reported: reportedStatus }
  const nodeRequest = await requestOf(node, chainId, signal)
  // Query the node after the service, so that the node's state is probably the newer one.
  const [transaction, receipt, head] = await Promise.all([
    nodeRequest('eth_getTransactionByHash', [requestedHash]),
    nodeRequest('eth_getTransactionReceipt', [requestedHash]),
    nodeRequest('eth_blockNumber', []),
  ])
  const guards = [...knownGuards, ...(guard === undefined ? [] : [guard.toLowerCase()])]
  const quotedAmount = toAmount === undefined ? undefined : BigInt(toAmount)
  return checkStatus(
    nodeStatus(requestedHash, { transaction, receipt, head }, { guards, quoted: quotedAmount }),
    reportedStatus,
  )
}

function checkStatus({ isSwapRead, ...observedStatus }: NodeStatus, reportedStatus: TransactionStatus): CheckedStatus {
  const isMined = observedStatus.block !== null
  const hasSameStatus = observedStatus.status === reportedStatus.status
  const provableFields: readonly ProvableField[] = [
    ...(isMined ? BY_RECEIPT : []),
    ...(observedStatus.from === null ? [] : BY_TRANSACTION),
    ...(isSwapRead ? (['swap'] as const) : []),
  ]
  return {
    ...observedStatus,
    // If node and service report different states, the amounts in the service's `swap` belong to the wrong state.
    swap: isSwapRead || !hasSameStatus ? observedStatus.swap : reportedStatus.swap,
    reason: hasSameStatus ? reportedStatus.reason : null,
    proven: provableFields,
    contradicted: findContradictions(observedStatus, reportedStatus, provableFields),
    reported: reportedStatus,
  }
}

/**
 * Lists the proven fields for which the service reports a different value. Compares the fields of objects one by one.
 * If the service does not know the transaction, the list is empty.
 */
function findContradictions(
  observedStatus: Omit<TransactionStatus, 'reason'>,
  reportedStatus: TransactionStatus,
  provableFields: readonly ProvableField[],
): readonly string[] {
  if (reportedStatus.status === 'unknown') return []
  const isMined = observedStatus.block !== null && reportedStatus.block !== null
  // Confirmations may differ, because the head moves between the two requests.
  const fields = provableFields.filter(
    (name) => name !== 'confirmations' && (isMined || name === 'swap' || BY_TRANSACTION.includes(name)),
  )
  const [observedFields, reportedFields] = [fieldTexts(observedStatus, fields), fieldTexts(reportedStatus, fields)]
  const minedOnlyFields = new Set(['swap.spent', 'swap.received', 'swap.difference'])
  return [...observedFields.keys()].filter(
    (name) => (isMined || !minedOnlyFields.has(name)) && observedFields.get(name) !== reportedFields.get(name),
  )
}

/** Returns the fields as lower-case text, keyed by `field` or `field.part`. */
function fieldTexts(
  status: Omit<TransactionStatus, 'reason'>,
  fields: readonly ProvableField[],
): ReadonlyMap<string, string | undefined> {
  return new Map(
    fields.flatMap((name): (readonly [string, string])[] => {
      const value: unknown = status[name]
      const textOf = (field: unknown) => String(field).toLowerCase()
      if (typeof value !== 'object' || value === null) return [[name, textOf(value)]]
      return Object.entries(value).map(([field, inner]) => [`${name}.${field}`, textOf(inner)])
    }),
  )
}

/**
 * Returns a function that sends JSON-RPC to the node, after checking the node's chain.
 *
 * @throws ClientError `WALLET` if the node is on another chain or does not accept JSON-RPC
 */
async function requestOf(
  node: StatusNode,
  chainId: number,
  signal: AbortSignal | undefined,
): Promise<(method: string, params: readonly unknown[]) => Promise<unknown>> {
  const nodeRequest = typeof node === 'string' ? rpcAt(node, signal) : node.request?.bind(node)
  if (!nodeRequest) throw new ClientError('WALLET', 'the node takes no JSON-RPC')
  const checkedRequest = async (method: string, params: readonly unknown[]): Promise<unknown> => {
    if (signal?.aborted) throw abortError(signal)
    return (await orWalletError(async () => nodeRequest(method, params), `${method}: `)) ?? null
  }
  const nodeChainId = Number(typeof node === 'string' ? await checkedRequest('eth_chainId', []) : await chainOf(node))
  if (nodeChainId !== chainId) throw new ClientError('WALLET', `the node is on chain ${nodeChainId}, not ${chainId}`)
  return checkedRequest
}

const chainOf = (node: Pick<Wallet, 'chainId'>) => orWalletError(async () => node.chainId(), 'chain id: ')

/** Returns a function that sends JSON-RPC over HTTP. */
function rpcAt(baseUrl: string, signal: AbortSignal | undefined) {
  return async (method: string, params: readonly unknown[]): Promise<unknown> => {
    const body = { jsonrpc: '2.0', id: 1, method, params }
    const { result, error } = await request<{ result?: unknown; error?: unknown }>({ baseUrl }, '', { body, signal })
    if (error !== undefined && error !== null) throw new ClientError('WALLET', `${method}: ${messageOf(error)}`)
    return result
  }
}

const STATES: readonly unknown[] = ['unknown', 'pending', 'landed', 'reverted'] satisfies TransactionStatus['status'][]

/** Returns true if all fields have the documented types. */
function isStatus(status: Partial<TransactionStatus>): status is TransactionStatus {
  const { gasCost, swap } = status
  const isAmount = (value: unknown) => typeof value === 'string' && /^\d{1,78}$/.test(value)
  const isText = (value: unknown) => typeof value === 'string'
  const areNullOr = (isValid: (value: unknown) => boolean, ...values: readonly unknown[]) =>
    values.every((value) => value === null || isValid(value))
  const isMined = status.status === 'landed' || status.status === 'reverted'
  return (
    STATES.includes(status.status) &&
    isText(status.hash) &&
    (status.block !== null) === isMined &&
    areNullOr(Number.isSafeInteger, status.block, status.confirmations) &&
    areNullOr(isText, status.blockHash, status.from, status.to, status.reason) &&
    areNullOr(isAmount, status.gasUsed) &&
    (gasCost === null || (isAmount(gasCost?.native) && areNullOr(isAmount, gasCost?.l1Fee))) &&
    (swap === null ||
      ([swap?.src, swap?.dst].every(isText) &&
        [swap?.fromAmount, swap?.minToAmount].every(isAmount) &&
        Number.isSafeInteger(swap?.deadline) &&
        areNullOr(isAmount, swap?.spent, swap?.received)))
  )
}
