/** Reads a mined transaction and its block from a node, and simulates it again. */
import { type Address, type Hex, toAddress } from '@sluice/chains'
import {
  type BlockHeader,
  type BlockOverrides,
  type CallRequest,
  l1FeeOfReceipt,
  minerOf,
  type RequestOptions,
  type Rpc,
  RpcError,
} from '@sluice/rpc'
import { type BalanceChange, balanceCalls, balanceChanges, holdingsOf } from './balances.ts'
import { type CallFrame, type FlowLog, nativeFlows, type TokenTransfer, tokenFlows } from './flows.ts'

export type RawTransaction = {
  readonly hash: Hex
  readonly from: string
  readonly to: string | null
  readonly input: Hex
  readonly value: Hex
  readonly gas: Hex
  readonly nonce: Hex
  readonly type?: Hex
  readonly gasPrice?: Hex
  readonly maxFeePerGas?: Hex
  readonly maxPriorityFeePerGas?: Hex
  readonly accessList?: readonly unknown[]
  readonly authorizationList?: readonly unknown[]
  readonly blockNumber: Hex | null
}
type RawLog = { readonly address: string; readonly topics: readonly Hex[]; readonly data: Hex }
type RawReceipt = {
  readonly transactionHash: Hex
  readonly transactionIndex: Hex
  readonly blockNumber: Hex
  readonly blockHash: Hex
  readonly status?: Hex
  readonly gasUsed: Hex
  readonly effectiveGasPrice?: Hex
  readonly l1Fee?: Hex
  readonly operatorFeeScalar?: Hex
  readonly operatorFeeConstant?: Hex
  readonly daFootprintGasScalar?: unknown
  readonly tokenRatio?: unknown
  readonly from: string
  readonly to: string | null
  readonly logs: readonly RawLog[]
}
type RawBlock = {
  readonly number: Hex
  readonly hash: Hex
  readonly parentHash?: Hex
  readonly timestamp: Hex
  readonly miner?: string | null
  readonly mixHash?: Hex
  readonly baseFeePerGas?: Hex
  readonly transactions: readonly RawTransaction[]
}

export type MinedReceipt = {
  readonly hash: Hex
  /** Position of the transaction in its block. */
  readonly index: number
  /** Block number. */
  readonly block: number
  readonly blockHash: Hex
  readonly from: Address
  readonly to: Address | null
  readonly succeeded: boolean
  readonly gasUsed: bigint
  /** Wei per gas that was paid. */
  readonly gasPriceWei: bigint
  /** Wei for gas and, if the receipt reports it, for data on the layer 1. */
  readonly costWei: bigint
  readonly logs: readonly FlowLog[]
}

export type MinedBlock = {
  readonly parent: BlockHeader
  readonly miner: Address
  /** Number, timestamp, and other values of the block that its transactions can read. */
  readonly environment: BlockOverrides & { readonly prevRandao?: Hex }
  readonly transactions: readonly RawTransaction[]
}

/** Number of neighbors on each side whose receipts are read one by one if the node has no eth_getBlockReceipts. */
const MAX_NEIGHBORS = 4

/**
 * Reads the receipt of a transaction.
 *
 * @returns undefined if the node does not know the transaction; `pending` if it is not mined
 * @throws RpcError
 */
export async function readReceipt(
  rpc: Rpc,
  hash: Hex,
  options: RequestOptions,
): Promise<MinedReceipt | 'pending' | undefined> {
  const [receipt, transaction] = await Promise.all([
    rpc.request<RawReceipt | null>('eth_getTransactionReceipt', [hash], options),
    rpc.request<RawTransaction | null>('eth_getTransactionByHash', [hash], options),
  ])
  if (receipt) return decodeOrThrow('eth_getTransactionReceipt', () => receiptOf(receipt, hash))
  return transaction ? 'pending' : undefined
}

/** Decodes a response of a node by `read`. @throws RpcError `BAD_ANSWER` if `read` throws */
function decodeOrThrow<T>(method: string, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    throw new RpcError('BAD_ANSWER', `${method}: ${(cause as Error).message}`, '0x', { cause })
  }
}

/** Reads the block of a transaction. @throws RpcError if the node fails, or if a reorg replaced the block */
export async function readBlock(
  rpc: Rpc,
  { hash, index, block, blockHash }: MinedReceipt,
  options: RequestOptions,
): Promise<MinedBlock> {
  const [rawBlock, parent] = await Promise.all([
    rpc.request<RawBlock | null>('eth_getBlockByNumber', [toQuantity(block), true], options),
    rpc.getBlock(block - 1, options),
  ])
  const isReplaced =
    !rawBlock ||
    !parent ||
    !isSameText(rawBlock.hash, blockHash) ||
    // During a reorg, endpoints may answer from different forks.
    (rawBlock.parentHash !== undefined && !isSameText(rawBlock.parentHash, parent.hash))
  if (isReplaced) throw new RpcError('BLOCK_GONE', `block ${block} was replaced by another one`)
  return decodeOrThrow('eth_getBlockByNumber', () => {
    const miner = minerOf(rawBlock)
    const environment = {
      number: block,
      timestamp: wholeNumber(rawBlock.timestamp),
      coinbase: miner,
      ...(rawBlock.baseFeePerGas && { baseFeePerGas: BigInt(rawBlock.baseFeePerGas) }),
      ...(rawBlock.mixHash && { prevRandao: rawBlock.mixHash }),
    }
    // Check that each transaction can be run again: `callOf` throws otherwise.
    for (const transaction of rawBlock.transactions) callOf(transaction)
    if (!isSameText(rawBlock.transactions[index]?.hash, hash)) throw new Error(`${hash} is not at position ${index}`)
    return { parent, miner, environment, transactions: rawBlock.transactions }
  })
}

const isSameText = (value: unknown, expectedText: Hex) =>
  typeof value === 'string' && value.toLowerCase() === expectedText

/** Receipts of the whole block, or of the nearest neighbors only; `isComplete` is true for the whole block. */
export type NeighborReceipts = { readonly receipts: readonly MinedReceipt[]; readonly isComplete: boolean }

/**
 * Reads the receipts of the whole block, or of the nearest neighbors if the node cannot return all.
 *
 * @throws RpcError, for instance `BLOCK_GONE` if the node returns the receipts of another block
 */
export async function readNeighbors(
  rpc: Rpc,
  { block, index, blockHash }: MinedReceipt,
  { transactions }: MinedBlock,
  options: RequestOptions,
): Promise<NeighborReceipts> {
  try {
    const rawReceipts = await rpc.request<readonly RawReceipt[]>('eth_getBlockReceipts', [toQuantity(block)], options)
    if (Array.isArray(rawReceipts)) {
      const receipts = decodeOrThrow('eth_getBlockReceipts', () => rawReceipts.map((raw) => receiptOf(raw)))
      if (receipts.some((receipt) => receipt.blockHash !== blockHash))
        throw new RpcError('BLOCK_GONE', `block ${block} was replaced by another one`)
      return { receipts, isComplete: true }
    }
  } catch (error) {
    if (!(error instanceof RpcError && error.isRefusal)) throw error
  }
  const neighborTransactions = transactions.slice(Math.max(0, index - MAX_NEIGHBORS), index + MAX_NEIGHBORS + 1)
  const receiptReads = neighborTransactions.map(({ hash }) =>
    rpc.request<RawReceipt | null>('eth_getTransactionReceipt', [hash], options),
  )
  const rawReceipts = await Promise.all(receiptReads)
  const receipts = decodeOrThrow('eth_getTransactionReceipt', () =>
    rawReceipts.flatMap((raw) => (raw ? [receiptOf(raw)] : [])),
  ).filter((receipt) => receipt.blockHash === blockHash)
  return { receipts, isComplete: receipts.length === transactions.length }
}

/** Reads native transfers from a call trace; undefined if no node of the chain can trace. @throws RpcError */
export async function traceNative(
  rpc: Rpc,
  hash: Hex,
  options: RequestOptions,
): Promise<readonly TokenTransfer[] | undefined> {
  try {
    const frame = await rpc.request<CallFrame | null>(
      'debug_traceTransaction',
      [hash, { tracer: 'callTracer' }],
      options,
    )
    if (!frame || typeof frame !== 'object' || !('type' in frame)) return undefined
    return decodeOrThrow('debug_traceTransaction', () => nativeFlows(frame))
  } catch (error) {
    if (error instanceof RpcError && isUnavailable(error)) return undefined
    throw error
  }
}

/** True if the error means that no node of the chain has the method or the state. */
const isUnavailable = (error: RpcError) => error.mayDependOnBlock || error.isRefusal

export type ResimulationResult = {
  readonly succeeded: boolean
  readonly gasUsed: bigint
  /** Flows of tokens, and of the native token if the node reports its moves. */
  readonly flows: readonly TokenTransfer[]
  /** Balance changes of the accounts in `flows`; undefined if the node cannot read balances in a simulation. */
  readonly balances: readonly BalanceChange[] | undefined
  /** True if status and logs equal the receipt's. */
  readonly isAsMined: boolean
}

type ResimulationOptions = {
  /** Transactions of the block that run before the judged transaction. */
  readonly earlierTransactions: readonly RawTransaction[]
  readonly wrappedNative: Address | null
  readonly options: RequestOptions
}

/**
 * Runs the transaction on the parent block, in the environment of its own block.
 *
 * @returns undefined if no node of the chain supports the simulation
 * @throws RpcError
 */
export async function resimulate(
  rpc: Rpc,
  minedReceipt: MinedReceipt,
  { parent, environment, transactions }: MinedBlock,
  { earlierTransactions, wrappedNative, options }: ResimulationOptions,
): Promise<ResimulationResult | undefined> {
  const earlierCalls = earlierTransactions.map(toSimulatedCall)
  const ownCall = toSimulatedCall(transactions[minedReceipt.index]!)
  const { coinbase, baseFeePerGas, number, timestamp, prevRandao } = environment
  const blockOverrides = {
    ...{ number: toQuantity(number!), time: toQuantity(timestamp!), feeRecipient: coinbase },
    ...(baseFeePerGas !== undefined && { baseFeePerGas: toQuantity(baseFeePerGas) }),
    ...(prevRandao && { prevRandao }),
  }
  const blockRef = { blockHash: parent.hash }
  const simulate = async (calls: readonly object[], traceTransfers: boolean, overrides = {}) => {
    const blockStateCalls = [{ blockOverrides: { ...blockOverrides, ...overrides }, calls }]
    const simulation = { blockStateCalls, traceTransfers, validation: false }
    const answer = await rpc
      .request<RawSimulation>('eth_simulateV1', [simulation, blockRef], options)
      .catch(undefinedIfUnavailable)
    return answer && decodeOrThrow('eth_simulateV1', () => resultsOf(answer, calls.length))
  }
  const traceOutcome = (await simulate([...earlierCalls, ownCall], true))?.at(-1)
  if (!traceOutcome) return undefined
  const tokenLogs = traceOutcome.logs.filter(({ address }) => address !== SIMULATED_NATIVE_LOG_ADDRESS)
  // Some nodes leave out the logs of contracts if they trace transfers.
  const lacksLogs = traceOutcome.succeeded && tokenLogs.length === 0 && minedReceipt.logs.length > 0
  const plainLogs = lacksLogs ? ((await simulate([...earlierCalls, ownCall], false))?.at(-1)?.logs ?? []) : tokenLogs
  const nativeLogs = traceOutcome.logs.filter(({ address }) => address === SIMULATED_NATIVE_LOG_ADDRESS)
  const flows = tokenFlows([...nativeLogs, ...plainLogs], wrappedNative)

  const isAsMined = traceOutcome.succeeded === minedReceipt.succeeded && isSameLogs(plainLogs, minedReceipt.logs)
  const { succeeded, gasUsed } = traceOutcome
  const holdings = succeeded ? holdingsOf(flows, minedReceipt.from, wrappedNative) : []
  const balanceReads = balanceCalls(holdings)
  const readBalances = async (): Promise<readonly BalanceChange[] | undefined> => {
    const results = await simulate([...earlierCalls, ...balanceReads, ownCall, ...balanceReads], false, {
      gasLimit: READ_BLOCK_GAS,
    })
    const [start, end] = [earlierCalls.length, earlierCalls.length + balanceReads.length]
    // Use the balances only if the reads do not change the outcome of the transaction.
    if (!results || !isSameLogs(results[end]!.logs, plainLogs)) return undefined
    const data = results.map(({ returnData }) => returnData)
    return balanceChanges(holdings, data.slice(start, end), data.slice(end + 1))
  }
  const balances = holdings.length === 0 ? [] : await readBalances().catch(undefinedUnlessAborted)
  return { succeeded, gasUsed, flows, isAsMined, balances }
}

/** Returns undefined for a failure of the node, because a verdict is possible without the balances. */
function undefinedUnlessAborted(error: unknown): undefined {
  if (!(error instanceof RpcError) || error.code === 'ABORTED') throw error
}

/** Gas limit of a simulated block that also reads balances: 1,000 million, so that the reads fit after a full block. */
const READ_BLOCK_GAS: Hex = '0x3b9aca00'

type RawSimulation = readonly {
  readonly calls: readonly {
    readonly status: Hex
    readonly gasUsed: Hex
    readonly returnData?: Hex
    readonly logs?: readonly RawLog[]
  }[]
}[]

/** Returns undefined if no node of the chain has the method or the state; throws any other failure. */
function undefinedIfUnavailable(error: unknown): undefined {
  if (error instanceof RpcError && isUnavailable(error)) return undefined
  throw error
}

/** Returns the results of `count` simulated calls. */
function resultsOf(answer: RawSimulation, count: number) {
  const { calls } = answer[0]!
  if (calls.length !== count) throw new Error(`${calls.length} results for ${count} calls`)
  return calls.map(({ status, gasUsed, returnData, logs = [] }) => ({
    ...{ succeeded: BigInt(status) === 1n, gasUsed: BigInt(gasUsed) },
    returnData: returnData === undefined ? undefined : bytesOf(returnData),
    logs: logs.map(logOf),
  }))
}

/** Address that emits the logs of native transfers in eth_simulateV1 (ERC-7528). */
const SIMULATED_NATIVE_LOG_ADDRESS = toAddress('0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee')

function isSameLogs(a: readonly FlowLog[], b: readonly FlowLog[]): boolean {
  const textOf = (logs: readonly FlowLog[]) =>
    JSON.stringify(logs.map(({ address, topics, data }) => [address, topics, data]))
  return textOf(a) === textOf(b)
}

/** Converts a transaction to a call for `Rpc`. Omits the nonce. */
export function callOf(transaction: RawTransaction): CallRequest {
  const { from, to, input, value, gas, gasPrice, maxFeePerGas } = transaction
  const price = gasPrice ?? maxFeePerGas
  return {
    ...{ from: toAddress(from), to: to === null ? null : toAddress(to), data: input },
    ...{ value: BigInt(value), gas: BigInt(gas) },
    ...(price !== undefined && { gasPrice: BigInt(price) }),
    ...listsOf(transaction),
  }
}

/** Returns the access list and the EIP-7702 authorizations. Omits empty lists, which some nodes refuse. */
const listsOf = ({ accessList, authorizationList }: RawTransaction) => ({
  ...(accessList && accessList.length > 0 && { accessList }),
  ...(authorizationList && authorizationList.length > 0 && { authorizationList }),
})

function toSimulatedCall(transaction: RawTransaction): object {
  const { from, to, input, value, gas, nonce, maxFeePerGas, maxPriorityFeePerGas } = transaction
  const isDynamic = maxFeePerGas !== undefined && maxPriorityFeePerGas !== undefined
  return {
    ...{ from, input, value, gas, nonce },
    ...(to !== null && { to }),
    ...(isDynamic ? { maxFeePerGas, maxPriorityFeePerGas } : { gasPrice: transaction.gasPrice }),
    ...listsOf(transaction),
  }
}

/** @param expectedHash - hash of the transaction, if it is known */
function receiptOf(raw: RawReceipt, expectedHash?: Hex): MinedReceipt {
  const gasUsed = BigInt(raw.gasUsed)
  const gasPriceWei = BigInt(raw.effectiveGasPrice ?? '0x0')
  const hash = wordOf(raw.transactionHash)
  if (expectedHash !== undefined && hash !== expectedHash) throw new Error(`${hash} is another transaction`)
  return {
    hash,
    index: wholeNumber(raw.transactionIndex),
    block: wholeNumber(raw.blockNumber),
    blockHash: wordOf(raw.blockHash),
    from: toAddress(raw.from),
    to: raw.to === null ? null : toAddress(raw.to),
    succeeded: raw.status === undefined || BigInt(raw.status) === 1n,
    gasUsed,
    gasPriceWei,
    costWei: gasUsed * gasPriceWei + (l1FeeOfReceipt(feesOf(raw)) ?? 0n),
    logs: raw.logs.map(logOf),
  }
}

function feesOf(raw: RawReceipt): Parameters<typeof l1FeeOfReceipt>[0] {
  const optional = (field: Hex | null | undefined) => (field == null ? undefined : BigInt(field))
  return {
    gasUsed: BigInt(raw.gasUsed),
    l1Fee: optional(raw.l1Fee),
    operatorFeeScalar: optional(raw.operatorFeeScalar),
    operatorFeeConstant: optional(raw.operatorFeeConstant),
    daFootprintGasScalar: raw.daFootprintGasScalar,
    tokenRatio: raw.tokenRatio,
  }
}

const logOf = ({ address, topics, data }: RawLog): FlowLog => ({
  address: toAddress(address),
  topics: topics.map(wordOf),
  data: bytesOf(data),
})

/** @throws Error if the text is not 32 bytes */
function wordOf(text: string): Hex {
  if (!/^0x[0-9a-fA-F]{64}$/.test(text)) throw new Error('a hash or topic is not 32 bytes')
  return text.toLowerCase() as Hex
}

/** @throws Error if the text is not bytes */
function bytesOf(text: string): Hex {
  if (!/^0x(?:[0-9a-fA-F]{2})*$/.test(text)) throw new Error('the data of a log or result is not bytes')
  return text as Hex
}

/** @throws Error if the text is not a whole number that a float holds exactly */
function wholeNumber(text: string): number {
  const number = Number(BigInt(text))
  if (!Number.isSafeInteger(number) || number < 0) throw new Error(`${text} is not a plausible number`)
  return number
}

const toQuantity = (value: number | bigint): Hex => `0x${value.toString(16)}`
