/** Quotes a trade over HTTP, sends it, and compares the output with the quote. */
import { NATIVE } from '@sluice/chains'
import type { Node } from '@sluice/system-test/wallet'
import type { Trade } from '../lib/trades.ts'
import { fund, minGas, wallet } from '../lib/wallet.ts'

/** The service that is measured, and the chain on which its quotes are sent. */
export type ServiceUnderTest = { readonly api: string; readonly node: Node; readonly guard: string }

/** Values of the parameter `slippage`: common percentages, and `auto`, for which the service chooses the percentage. */
export const TOLERANCES = ['0.1', '0.5', '1', 'auto'] as const
/**
 * Slippage in percent that hardly limits the output. With it, a transaction reverts only if its route is impossible.
 */
const UNLIMITED_SLIPPAGE = '99'

type Transaction = { readonly from: string; readonly to: string; readonly data: string; readonly value: string }
type Route = {
  readonly toAmount: string
  readonly gasEstimate: string
  /**
   * Percent by which the output is below that at the pools' mid prices, due to fees and price impact; null if unknown.
   */
  readonly priceImpact: number | null
  readonly tx: Transaction
  readonly slippage?: { readonly percent: number }
}

export type QuotedTrade = {
  /** Quoted output in base units. */
  readonly promised: bigint
  readonly gasEstimate: bigint
  /** Lowest gas limit with which the transaction succeeds. `gasUsed` can be lower, because it excludes refunds. */
  readonly gasNeeded: bigint
  /** Basis points by which the output is below that at the pools' mid prices; null if unknown. */
  readonly impactBps: number | null
  /** Milliseconds of the first quote. */
  readonly ms: number
}

/** Transactions with the quoted route, which are sent after later blocks. */
export type LaterTransactions = {
  /** Transaction with `UNLIMITED_SLIPPAGE`. */
  readonly unlimitedTx: Transaction
  /** Transactions by each of `TOLERANCES`. */
  readonly txByTolerance: Readonly<Record<string, Transaction>>
  /** Slippage in percent that the service chose for `auto`. */
  readonly autoPercent: number
}

type RefusalAnswer = { readonly code: string; readonly message: string }

/**
 * Outcome of a trade. `refused` has the error code of the service; `unfunded` means that the node cannot set the
 * token's balances.
 */
export type Outcome =
  | { readonly kind: 'unfunded' }
  | ({ readonly kind: 'refused' } & RefusalAnswer)
  | (QuotedTrade & { readonly kind: 'reverted'; readonly gasUsed: bigint })
  | (QuotedTrade & {
      readonly kind: 'landed'
      readonly paid: bigint
      readonly gasUsed: bigint
      readonly laterTransactions: LaterTransactions
    })

/** Outcome of a trade that is quoted but not sent. */
export type FundedQuoteOutcome =
  | Extract<Outcome, { readonly kind: 'unfunded' | 'refused' }>
  | { readonly kind: 'answered' }

const FEE_RECIPIENT = '0x00000000000000000000000000000000000fee00'

/** Runs `work` and reverts the chain to its previous state. */
export async function withRevert<T>(node: Node, work: () => Promise<T>): Promise<T> {
  const snapshotId = await node.request<string>('evm_snapshot')
  try {
    return await work()
  } finally {
    await node.undo(snapshotId)
  }
}

/** Quotes a trade, sends it, and reverts the chain. */
export const quoteAndSend = (service: ServiceUnderTest, trade: Trade): Promise<Outcome> =>
  withRevert(service.node, () => quoteAndSendOnce(service, trade))

async function quoteAndSendOnce(service: ServiceUnderTest, trade: Trade): Promise<Outcome> {
  const { node, guard } = service
  if (!(await fund(node, trade.src, trade.amount, guard))) return { kind: 'unfunded' }
  const start = performance.now()
  let answer = await requestQuote(service, trade)
  const ms = performance.now() - start
  if ('code' in answer) return { kind: 'refused', ...answer }
  let laterTransactions = await quoteForLater(service, trade, BigInt(answer.toAmount))
  // The service learns the gas of pools from its first quotes, so that later quotes may have another route.
  for (let attempt = 1; !laterTransactions && attempt < MAX_ATTEMPTS; attempt++) {
    answer = await requestQuote(service, trade)
    if ('code' in answer) return { kind: 'refused', ...answer }
    laterTransactions = await quoteForLater(service, trade, BigInt(answer.toAmount))
  }
  if (!laterTransactions)
    throw new Error(
      `the quotes of all tolerances never promised the same amount: ${JSON.stringify(answer).slice(0, 300)}`,
    )
  const promised = BigInt(answer.toAmount)
  const gasEstimate = BigInt(answer.gasEstimate)
  const impactBps = answer.priceImpact === null ? null : answer.priceImpact * 100
  const quotedTrade = { promised, gasEstimate, gasNeeded: await minGas(node, answer.tx), impactBps, ms }
  const { paid, gasUsed } = await send(service, trade, answer.tx, gasEstimate)
  return paid === null
    ? { kind: 'reverted', ...quotedTrade, gasUsed }
    : { kind: 'landed', ...quotedTrade, gasUsed, paid, laterTransactions }
}

/** Error codes that a busy machine can cause. The request is repeated after them. */
const BUSY_CODES = ['TIMEOUT', 'ROUTE_TIMEOUT', 'RPC_FAILED']
const MAX_ATTEMPTS = 5

/**
 * Requests a quote.
 *
 * @returns the quote or the rejection
 */
export async function requestQuote(
  { api }: ServiceUnderTest,
  { src, dst, amount, hasFee }: Trade,
  extraParameters: Readonly<Record<string, string>> = {},
): Promise<Route | RefusalAnswer> {
  const query = new URLSearchParams({ src, dst, amount: String(amount), from: wallet, ...extraParameters })
  if (hasFee) query.set('convenienceFee', '0.3')
  if (hasFee) query.set('convenienceFeeRecipient', FEE_RECIPIENT)
  for (let attempt = 1; ; attempt++) {
    const answer = await fetch(`${api}/aggregator/1?${query}`)
    if (answer.ok) return (await answer.json()) as Route
    const { code = String(answer.status), error } = (await answer.json()) as { code?: string; error: string }
    if (!BUSY_CODES.includes(code) || attempt >= MAX_ATTEMPTS) return { code, message: error }
  }
}

/** Requests a quote while the wallet holds the input, but does not send the trade. */
export function requestQuoteWhenFunded(service: ServiceUnderTest, trade: Trade): Promise<FundedQuoteOutcome> {
  return withRevert(service.node, async () => {
    if (!(await fund(service.node, trade.src, trade.amount, service.guard))) return { kind: 'unfunded' }
    const answer = await requestQuote(service, trade)
    return 'code' in answer ? { kind: 'refused', ...answer } : { kind: 'answered' }
  })
}

/** Quotes the trade with each slippage tolerance. Returns null if a quote promises another amount than `promised`. */
async function quoteForLater(
  service: ServiceUnderTest,
  trade: Trade,
  promised: bigint,
): Promise<LaterTransactions | null> {
  const quotedTxByTolerance: Record<string, Transaction> = {}
  let autoPercent = Number.NaN
  for (const slippage of [...TOLERANCES, UNLIMITED_SLIPPAGE]) {
    const answer = await requestQuote(service, trade, { slippage })
    if ('code' in answer || BigInt(answer.toAmount) !== promised) return null
    quotedTxByTolerance[slippage] = answer.tx
    if (slippage === 'auto') autoPercent = answer.slippage!.percent
  }
  const { [UNLIMITED_SLIPPAGE]: unlimitedTx, ...limitedTxs } = quotedTxByTolerance
  return { unlimitedTx: unlimitedTx!, txByTolerance: limitedTxs, autoPercent }
}

/**
 * Sends a transaction.
 *
 * @returns the output as `paid`, which is null if the transaction reverts
 */
export async function send({ node }: ServiceUnderTest, { dst }: Trade, tx: Transaction, gasEstimate: bigint) {
  const balanceBefore = await node.balance(dst, wallet)
  // The API documentation recommends the estimate plus 20 % as the gas limit.
  const { status, gasUsed, feeWei } = await node.send({ ...tx, gas: (gasEstimate * 12n + 9n) / 10n })
  const paid = status ? (await node.balance(dst, wallet)) - balanceBefore + (dst === NATIVE ? feeWei : 0n) : null
  return { paid, gasUsed }
}
