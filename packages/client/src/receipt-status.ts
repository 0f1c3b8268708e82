/**
 * Derives the state of a transaction from three responses of a node: the transaction, its receipt, and the newest
 * block.
 */
import { decodeSwap } from './abi.ts'
import { PPM } from './amounts.ts'
import { ClientError } from './errors.ts'
import type { GuardOrder } from './order.ts'
import { NATIVE, type SwapStatus, type TransactionStatus } from './types.ts'

/** Results of eth_getTransactionByHash, eth_getTransactionReceipt, and eth_blockNumber. */
export type NodeAnswers = { readonly transaction: unknown; readonly receipt: unknown; readonly head: unknown }

/** Status of a transaction, as a node reports it. */
export type NodeStatus = Omit<TransactionStatus, 'reason'> & {
  /**
   * True if `to` is a known Guard and the calldata is a swap. If false, `swap` is null, but the transaction may still
   * be a swap.
   */
  readonly isSwapRead: boolean
}

type ReadOptions = {
  /** Known Guards, in lower case. */
  readonly guards: readonly string[]
  /** Quoted output in base units, if the caller knows it. */
  readonly quoted?: bigint | undefined
}

type Log = { readonly address: string; readonly topics: readonly string[]; readonly data: string }
type ParsedTransaction = {
  readonly from: string
  readonly to: string | null
  readonly input: string
  readonly value: bigint
  /** True on Celo if the fee is paid in a token. The gas price is then in units of this token. */
  readonly paysFeeInToken: boolean
}
type ParsedReceipt = {
  readonly succeeded: boolean
  readonly block: number
  readonly blockHash: string
  readonly gasUsed: bigint
  readonly gasPrice: bigint | undefined
  readonly l1Fee: bigint | undefined
  readonly logs: readonly Log[]
}

const ZERO = `0x${'0'.repeat(40)}`
/** Native token in lower case, like all addresses of a status. */
const NATIVE_LOWER = NATIVE.toLowerCase()
/** Transfer(address indexed from, address indexed to, uint256 value) */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
/** Withdrawal(address indexed src, uint256 wad) of WETH9 and its forks */
const WITHDRAWAL = '0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65'
/** Parts per million in one percent. */
const PPM_PER_PERCENT = 10_000
/** Maximum logs of a receipt. */
const MAX_LOGS = 100_000

/** Derives the status. @throws ClientError `WALLET` if a response is malformed or is about another transaction */
export function nodeStatus(
  hash: string,
  { transaction, receipt, head }: NodeAnswers,
  { guards, quoted }: ReadOptions,
): NodeStatus {
  const sentTransaction = transaction === null ? undefined : readTransaction(transaction, hash)
  const minedReceipt = receipt === null ? undefined : readReceipt(receipt, hash)
  const order = sentTransaction && guards.includes(String(sentTransaction.to)) ? orderOf(sentTransaction) : undefined
  const landedReceipt = minedReceipt?.succeeded ? minedReceipt : undefined
  return {
    hash,
    status: minedReceipt ? (minedReceipt.succeeded ? 'landed' : 'reverted') : sentTransaction ? 'pending' : 'unknown',
    block: minedReceipt?.block ?? null,
    blockHash: minedReceipt?.blockHash ?? null,
    // Behind a load balancer, the head may come from another node that does not have the receipt's block yet.
    confirmations: minedReceipt
      ? Math.max(1, (asInteger(head) ?? throwUnreadable('head')) - minedReceipt.block + 1)
      : null,
    from: sentTransaction?.from ?? null,
    to: sentTransaction?.to ?? null,
    gasUsed: minedReceipt?.gasUsed.toString() ?? null,
    gasCost: minedReceipt && !sentTransaction?.paysFeeInToken ? gasCostOf(minedReceipt) : null,
    swap: sentTransaction && order ? swapOf(sentTransaction, order, landedReceipt, quoted) : null,
    isSwapRead: order !== undefined,
  }
}

function gasCostOf({ gasUsed, gasPrice, l1Fee }: ParsedReceipt): TransactionStatus['gasCost'] {
  if (gasPrice === undefined) return null
  return { native: (gasUsed * gasPrice + (l1Fee ?? 0n)).toString(), l1Fee: l1Fee?.toString() ?? null }
}

function orderOf({ input, value }: ParsedTransaction): GuardOrder | undefined {
  try {
    return decodeSwap(input, value)
  } catch {
    return undefined
  }
}

function swapOf(
  sentTransaction: ParsedTransaction,
  order: GuardOrder,
  landedReceipt: ParsedReceipt | undefined,
  quotedAmount: bigint | undefined,
): SwapStatus {
  const recipient = order.recipient ?? sentTransaction.from
  const receivedAmount = landedReceipt ? receivedOf(sentTransaction, recipient, order, landedReceipt.logs) : null
  const spentAmount = landedReceipt ? spentOf(sentTransaction, order, landedReceipt.logs) : null
  return {
    // If the transaction carries value, the input is native even if `tokenIn` is a wrapper.
    src: sentTransaction.value > 0n ? NATIVE_LOWER : order.tokenIn,
    dst: order.tokenOut === ZERO ? NATIVE_LOWER : order.tokenOut,
    fromAmount: order.amountIn.toString(),
    minToAmount: order.minOutput.toString(),
    deadline: Number(order.deadline),
    spent: amountText(spentAmount),
    received: amountText(receivedAmount),
    ...(quotedAmount !== undefined && {
      quoted: quotedAmount.toString(),
      difference: differenceOf(receivedAmount, quotedAmount),
    }),
  }
}

/**
 * Formats an amount. Returns null if it is negative, because the logs of rebasing tokens may add up to less than zero.
 */
function amountText(amount: bigint | null): string | null {
  return amount === null || amount < 0n ? null : amount.toString()
}

function differenceOf(receivedAmount: bigint | null, quotedAmount: bigint): number | null {
  return receivedAmount === null || quotedAmount === 0n
    ? null
    : Number(((receivedAmount - quotedAmount) * PPM) / quotedAmount) / PPM_PER_PERCENT
}

/** Returns the output that reached the recipient; null if no log shows it. */
function receivedOf(
  { to: guard }: ParsedTransaction,
  recipient: string,
  order: GuardOrder,
  logs: readonly Log[],
): bigint | null {
  if (order.tokenOut !== ZERO) return netTransfer(logs, order.tokenOut, recipient)
  if (order.wrapper === ZERO) return null
  const unwrappedAmount = unwrappedBy(guard!, order.wrapper, logs)
  return unwrappedAmount === null ? null : unwrappedAmount - (unwrappedAmount * order.feePpm) / PPM
}

/** Returns the input that left the sender; null if no log shows it. */
function spentOf(
  { from, to: guard, value }: ParsedTransaction,
  order: GuardOrder,
  logs: readonly Log[],
): bigint | null {
  if (value === 0n) {
    const movedAmount = netTransfer(logs, order.tokenIn, from)
    return movedAmount === null ? null : -movedAmount
  }
  // Unspent native input is returned without a log. If it was wrapped, the unwrapping is logged.
  return order.tokenIn === ZERO ? null : order.amountIn - (unwrappedBy(guard!, order.tokenIn, logs) ?? 0n)
}

/**
 * Returns the base units transferred to an account minus those transferred from it; null if there are no such
 * transfers.
 */
function netTransfer(logs: readonly Log[], token: string, account: string): bigint | null {
  let sum: bigint | null = null
  for (const { address, topics, data } of logs) {
    const amount = address === token && topics.length === 3 && topics[0] === TRANSFER ? wordOf(data) : null
    if (amount === null) continue
    if (addressOf(topics[2]!) === account) sum = (sum ?? 0n) + amount
    if (addressOf(topics[1]!) === account) sum = (sum ?? 0n) - amount
  }
  return sum
}

/** Returns the wei that the Guard unwrapped; null if no log shows an unwrapping. */
function unwrappedBy(guard: string, wrapper: string, logs: readonly Log[]): bigint | null {
  let sum: bigint | null = null
  for (const { address, topics, data } of logs) {
    const isGuardWithdrawal =
      address === wrapper && topics.length === 2 && topics[0] === WITHDRAWAL && addressOf(topics[1]!) === guard
    const amount = isGuardWithdrawal ? wordOf(data) : null
    if (amount !== null) sum = (sum ?? 0n) + amount
  }
  return sum
}

const addressOf = (topic: string) => `0x${topic.slice(-40)}`
const wordOf = (data: string) => (data.length === 66 ? BigInt(data) : null)

function readTransaction(answer: unknown, hash: string): ParsedTransaction {
  const transaction = Object(answer) as Record<string, unknown>
  const { hash: transactionHash, from, to, input, data, value, feeCurrency } = transaction
  if (asHex(transactionHash) !== hash) throwUnreadable('transaction')
  return {
    from: asAddress(from) ?? throwUnreadable('transaction'),
    to: to === null || to === undefined ? null : (asAddress(to) ?? throwUnreadable('transaction')),
    input: asHex(input ?? data) ?? throwUnreadable('transaction'),
    value: asBigint(value) ?? throwUnreadable('transaction'),
    paysFeeInToken: feeCurrency != null,
  }
}

/**
 * Returns the wei that a rollup charged in addition to gas: for publishing data, and for its operator (OP Stack since
 * Isthmus). Undefined if the receipt names no such fee.
 */
function l1FeeOf(receipt: Record<string, unknown>, gasUsed: bigint): bigint | undefined {
  const dataFee = asBigint(receipt.l1Fee)
  const [scalar, constant] = [asBigint(receipt.operatorFeeScalar), asBigint(receipt.operatorFeeConstant)]
  if (dataFee === undefined && scalar === undefined && constant === undefined) return undefined
  const scaledGas = gasUsed * (scalar ?? 0n)
  // The Jovian upgrade of the OP Stack changed the unit of the scalar. Mantle uses the same formula as Jovian. Receipts
  // of Mantle have `tokenRatio`.
  const usesJovianUnit = receipt.daFootprintGasScalar != null || receipt.tokenRatio != null
  return (dataFee ?? 0n) + (usesJovianUnit ? scaledGas * 100n : scaledGas / 1_000_000n) + (constant ?? 0n)
}

function readReceipt(answer: unknown, hash: string): ParsedReceipt {
  const receipt = Object(answer) as Record<string, unknown>
  if (asHex(receipt.transactionHash) !== hash) throwUnreadable('receipt')
  // Some wallets return numbers. Receipts from before Byzantium have no status, so the outcome is unknown.
  const status = typeof receipt.status === 'number' ? receipt.status : asInteger(receipt.status)
  if (status !== 0 && status !== 1) throwUnreadable('receipt')
  if (!Array.isArray(receipt.logs) || receipt.logs.length > MAX_LOGS) throwUnreadable('receipt')
  const gasUsed = asBigint(receipt.gasUsed) ?? throwUnreadable('receipt')
  return {
    succeeded: status === 1,
    block: asInteger(receipt.blockNumber) ?? throwUnreadable('receipt'),
    blockHash: asHex(receipt.blockHash) ?? throwUnreadable('receipt'),
    gasUsed,
    gasPrice: asBigint(receipt.effectiveGasPrice),
    l1Fee: l1FeeOf(receipt, gasUsed),
    logs: (receipt.logs as readonly unknown[]).map(readLog),
  }
}

function readLog(answer: unknown): Log {
  const { address: logAddress, topics, data } = Object(answer) as Record<string, unknown>
  return {
    address: asAddress(logAddress) ?? throwUnreadable('receipt'),
    topics: Array.isArray(topics)
      ? topics.map((topic) => asHex(topic) ?? throwUnreadable('receipt'))
      : throwUnreadable('receipt'),
    data: asHex(data) ?? throwUnreadable('receipt'),
  }
}

function throwUnreadable(subject: 'transaction' | 'receipt' | 'head'): never {
  throw new ClientError('WALLET', `the node's answer about the ${subject} cannot be read`)
}

const asHex = (value: unknown): string | undefined =>
  typeof value === 'string' && /^0x([0-9a-fA-F]{2})*$/.test(value) ? value.toLowerCase() : undefined
const asAddress = (value: unknown): string | undefined => {
  const text = asHex(value)
  return text?.length === 42 ? text : undefined
}
const asBigint = (value: unknown): bigint | undefined =>
  typeof value === 'string' && /^0x[0-9a-fA-F]{1,64}$/.test(value) ? BigInt(value) : undefined
const asInteger = (value: unknown): number | undefined => {
  const number = Number(asBigint(value) ?? Number.NaN)
  return Number.isSafeInteger(number) ? number : undefined
}
