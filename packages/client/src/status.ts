/** State of a transaction: as the service reports it, and as the caller's own node proves it. */
import type { SluiceClient } from './client.ts'
import { ClientError, messageOf, orClientError } from './errors.ts'
import { aborted, request } from './http.ts'
import { knownGuards } from './known-guards.ts'
import { type NodeStatus, nodeStatus } from './receipt-status.ts'
import type { TransactionStatus } from './types.ts'
import type { Wallet } from './wallet.ts'

/** Node of the caller's choice: a wallet whose node takes JSON-RPC, or the URL of an RPC. */
export type StatusNode = Pick<Wallet, 'chainId' | 'request'> | string

export type StatusOptions = {
  /** `toAmount` of the quote, in base units: the answer says how what was received compares. */
  readonly toAmount?: bigint | string | undefined
  /** Proves the answer: see `CheckedStatus`. */
  readonly node?: StatusNode | undefined
  /** The Guard of a chain that this package does not know, whose swaps are proven too. */
  readonly guard?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Without a `node`, the word of the service alone. With one, every field but `reason` is what that node says, whatever the service
 * says; so is `swap`, unless nobody but the service can read it.
 */
export type CheckedStatus = TransactionStatus & {
  /**
   * Fields that follow from the receipt and the transaction of the caller's own node. `status` is among them once it is mined:
   * `pending` and `unknown` only say what the node has now.
   */
  readonly proven: readonly ProvableField[]
  /** Proven fields of which the service says otherwise, such as `swap.received`: it is wrong, or a reorganization came between. */
  readonly contradicted: readonly string[]
  /** The answer of the service. */
  readonly reported: TransactionStatus
}

export type ProvableField = Exclude<keyof TransactionStatus, 'hash' | 'reason'>

/** Fields that a receipt proves, and those that a transaction proves before it is mined. */
const BY_RECEIPT: readonly ProvableField[] = ['status', 'block', 'blockHash', 'confirmations', 'gasUsed', 'gasCost']
const BY_TRANSACTION: readonly ProvableField[] = ['from', 'to']

/**
 * Reads the state of a transaction, and proves it if the caller names a node: outcome, block, gas, the order in its calldata, and
 * what left and reached the sender by the logs of the receipt. `reason` is always the word of the service.
 *
 * @throws ClientError `INVALID` for arguments that cannot be used, `BAD_ANSWER` for an answer that is not as the interface has it,
 *   `WALLET` for a node of another chain, one that fails, and one whose answers cannot be read
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
  const wanted = hash.toLowerCase()
  const reported = await client.get<Partial<TransactionStatus>>(`/status/${chainId}/${wanted}`, { toAmount }, signal)
  if (!isStatus(reported) || reported.hash !== wanted)
    throw new ClientError('BAD_ANSWER', 'the response is not the status of this transaction')
  if (node === undefined) return { ...reported, proven: [], contradicted: [], reported }
  const ask = await requestOf(node, chainId, signal)
  // The service is asked first, so that the node has seen as much.
  const [transaction, receipt, head] = await Promise.all([
    ask('eth_getTransactionByHash', [wanted]),
    ask('eth_getTransactionReceipt', [wanted]),
    ask('eth_blockNumber', []),
  ])
  const guards = [...knownGuards, ...(guard === undefined ? [] : [guard.toLowerCase()])]
  const quoted = toAmount === undefined ? undefined : BigInt(toAmount)
  return checked(nodeStatus(wanted, { transaction, receipt, head }, { guards, quoted }), reported)
}

function checked({ isSwapRead, ...found }: NodeStatus, reported: TransactionStatus): CheckedStatus {
  const isMined = found.block !== null
  const agrees = found.status === reported.status
  const proven: readonly ProvableField[] = [
    ...(isMined ? BY_RECEIPT : []),
    ...(found.from === null ? [] : BY_TRANSACTION),
    ...(isSwapRead ? (['swap'] as const) : []),
  ]
  return {
    ...found,
    // Of another outcome, what the service makes of the swap is not of this one.
    swap: isSwapRead || !agrees ? found.swap : reported.swap,
    reason: agrees ? reported.reason : null,
    proven,
    contradicted: contradictions(found, reported, proven),
    reported,
  }
}

/** Proven fields, the parts of objects each by itself, of which the service says otherwise. What it has not seen yet is no lie. */
function contradictions(
  found: Omit<TransactionStatus, 'reason'>,
  reported: TransactionStatus,
  proven: readonly ProvableField[],
): readonly string[] {
  if (reported.status === 'unknown') return []
  const isMined = found.block !== null && reported.block !== null
  // The head moves between the two answers.
  const fields = proven.filter(
    (name) => name !== 'confirmations' && (isMined || name === 'swap' || BY_TRANSACTION.includes(name)),
  )
  const [own, others] = [partsOf(found, fields), partsOf(reported, fields)]
  const afterwards = new Set(['swap.spent', 'swap.received', 'swap.difference'])
  return [...own.keys()].filter((name) => (isMined || !afterwards.has(name)) && own.get(name) !== others.get(name))
}

/** Values as text, by name. */
function partsOf(
  status: Omit<TransactionStatus, 'reason'>,
  fields: readonly ProvableField[],
): ReadonlyMap<string, string | undefined> {
  return new Map(
    fields.flatMap((name): (readonly [string, string])[] => {
      const value: unknown = status[name]
      const textOf = (part: unknown) => String(part).toLowerCase()
      if (typeof value !== 'object' || value === null) return [[name, textOf(value)]]
      return Object.entries(value).map(([part, inner]) => [`${name}.${part}`, textOf(inner)])
    }),
  )
}

/**
 * JSON-RPC to the node, which is one of this chain.
 *
 * @throws ClientError `WALLET` for one of another chain, and one that takes no JSON-RPC
 */
async function requestOf(
  node: StatusNode,
  chainId: number,
  signal: AbortSignal | undefined,
): Promise<(method: string, params: readonly unknown[]) => Promise<unknown>> {
  const ask = typeof node === 'string' ? rpcAt(node, signal) : node.request?.bind(node)
  if (!ask) throw new ClientError('WALLET', 'the node takes no JSON-RPC')
  const checkedAsk = async (method: string, params: readonly unknown[]): Promise<unknown> => {
    if (signal?.aborted) throw aborted(signal)
    return (await orClientError('WALLET', async () => ask(method, params), `${method}: `)) ?? null
  }
  const current = Number(typeof node === 'string' ? await checkedAsk('eth_chainId', []) : await chainOf(node))
  if (current !== chainId) throw new ClientError('WALLET', `the node is on chain ${current}, not ${chainId}`)
  return checkedAsk
}

const chainOf = (node: Pick<Wallet, 'chainId'>) => orClientError('WALLET', async () => node.chainId(), 'chain id: ')

/** JSON-RPC over HTTP. */
function rpcAt(baseUrl: string, signal: AbortSignal | undefined) {
  return async (method: string, params: readonly unknown[]): Promise<unknown> => {
    const body = { jsonrpc: '2.0', id: 1, method, params }
    const { result, error } = await request<{ result?: unknown; error?: unknown }>({ baseUrl }, '', { body, signal })
    if (error !== undefined && error !== null) throw new ClientError('WALLET', `${method}: ${messageOf(error)}`)
    return result
  }
}

const STATES: readonly unknown[] = ['unknown', 'pending', 'landed', 'reverted'] satisfies TransactionStatus['status'][]

/** True where every field is there, with the types of the interface. */
function isStatus(status: Partial<TransactionStatus>): status is TransactionStatus {
  const { gasCost, swap } = status
  const isAmount = (value: unknown) => typeof value === 'string' && /^\d{1,78}$/.test(value)
  const isText = (value: unknown) => typeof value === 'string'
  const orNull = (isValid: (value: unknown) => boolean, ...values: readonly unknown[]) =>
    values.every((value) => value === null || isValid(value))
  const isMined = status.status === 'landed' || status.status === 'reverted'
  return (
    STATES.includes(status.status) &&
    isText(status.hash) &&
    (status.block !== null) === isMined &&
    orNull(Number.isSafeInteger, status.block, status.confirmations) &&
    orNull(isText, status.blockHash, status.from, status.to, status.reason) &&
    orNull(isAmount, status.gasUsed) &&
    (gasCost === null || (isAmount(gasCost?.native) && orNull(isAmount, gasCost?.l1Fee))) &&
    (swap === null ||
      ([swap?.src, swap?.dst].every(isText) &&
        [swap?.fromAmount, swap?.minToAmount].every(isAmount) &&
        Number.isSafeInteger(swap?.deadline) &&
        orNull(isAmount, swap?.spent, swap?.received)))
  )
}
