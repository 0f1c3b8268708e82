/** Quotes a trade over HTTP, sends it, and compares the output with the quote. */
import { NATIVE } from '@sluice/chains'
import type { Node } from '@sluice/system-test/wallet'
import type { Trade } from '../lib/trades.ts'
import { fund, minGas, wallet } from '../lib/wallet.ts'

export type Place = { readonly api: string; readonly node: Node; readonly guard: string }

/** Slippage in percent that callers usually set, and the service's `auto`. */
export const TOLERANCES = ['0.1', '0.5', '1', 'auto'] as const
/** Slippage in percent with which only an impossible route reverts, so that the output shows the drift. */
const MAX_SLIPPAGE = '99'

type Sendable = { readonly from: string; readonly to: string; readonly data: string; readonly value: string }
type Route = {
  readonly toAmount: string
  readonly gasEstimate: string
  /** Percent below the pools' mid prices, from fees and the trade's own impact; null if unknown. */
  readonly priceImpact: number | null
  readonly tx: Sendable
  readonly slippage?: { readonly percent: number }
}

export type QuotedTrade = {
  readonly promised: bigint
  readonly gasEstimate: bigint
  /** Lowest gas limit with which the transaction succeeds. `gasUsed` is lower, since refunds come at the end. */
  readonly gasNeeded: bigint
  /** Basis points below the mid prices of the route's pools, from fees and impact; null if unknown. */
  readonly impactBps: number | null
  readonly ms: number
}

/** Transactions of the same route with each tolerance, to send later. */
export type Later = {
  readonly boundless: Sendable
  readonly within: Readonly<Record<string, Sendable>>
  /** Percent that the service chose for `auto`. */
  readonly auto: number
}

type RefusalAnswer = { readonly code: string; readonly message: string }

/** Outcome of a trade. `refused` has the service's own code; `unfunded` means that the node cannot set the token's balances. */
export type Outcome =
  | { readonly kind: 'unfunded' }
  | ({ readonly kind: 'refused' } & RefusalAnswer)
  | (QuotedTrade & { readonly kind: 'reverted'; readonly gasUsed: bigint })
  | (QuotedTrade & { readonly kind: 'landed'; readonly paid: bigint; readonly gasUsed: bigint; readonly later: Later })

/** Outcome of a trade that is only quoted. */
export type AskedOutcome = Extract<Outcome, { readonly kind: 'unfunded' | 'refused' }> | { readonly kind: 'answered' }

const FEE_RECIPIENT = '0x00000000000000000000000000000000000fee00'

/** Runs `work` and reverts the chain to its previous state. */
export async function withRevert<T>(node: Node, work: () => Promise<T>): Promise<T> {
  const before = await node.request<string>('evm_snapshot')
  try {
    return await work()
  } finally {
    await node.undo(before)
  }
}

export const run = (place: Place, trade: Trade): Promise<Outcome> =>
  withRevert(place.node, () => tradeOnce(place, trade))

async function tradeOnce(place: Place, trade: Trade): Promise<Outcome> {
  const { node, guard } = place
  if (!(await fund(node, trade.src, trade.amount, guard))) return { kind: 'unfunded' }
  const start = performance.now()
  let answer = await ask(place, trade)
  const ms = performance.now() - start
  if ('code' in answer) return { kind: 'refused', ...answer }
  let later = await laterOf(place, trade, BigInt(answer.toAmount))
  // The first quotes of a pair come before the gas of its pools is measured, which may decide between routes.
  for (let attempt = 1; !later && attempt < MAX_ATTEMPTS; attempt++) {
    answer = await ask(place, trade)
    if ('code' in answer) return { kind: 'refused', ...answer }
    later = await laterOf(place, trade, BigInt(answer.toAmount))
  }
  if (!later) throw new Error(`the quote does not settle: ${JSON.stringify(answer).slice(0, 300)}`)
  const promised = BigInt(answer.toAmount)
  const gasEstimate = BigInt(answer.gasEstimate)
  const impactBps = answer.priceImpact === null ? null : answer.priceImpact * 100
  const quotedTrade = { promised, gasEstimate, gasNeeded: await minGas(node, answer.tx), impactBps, ms }
  const { paid, gasUsed } = await send(place, trade, answer.tx, gasEstimate)
  return paid === null
    ? { kind: 'reverted', ...quotedTrade, gasUsed }
    : { kind: 'landed', ...quotedTrade, gasUsed, paid, later }
}

/** Error codes of a busy machine, after which the request is repeated. */
const BUSY_CODES = ['TIMEOUT', 'ROUTE_TIMEOUT', 'RPC_FAILED']
const MAX_ATTEMPTS = 5

/**
 * Requests a quote.
 *
 * @returns the quote or the rejection
 */
export async function ask(
  { api }: Place,
  { src, dst, amount, fee }: Trade,
  extraParameters: Readonly<Record<string, string>> = {},
): Promise<Route | RefusalAnswer> {
  const query = new URLSearchParams({ src, dst, amount: String(amount), from: wallet, ...extraParameters })
  if (fee) query.set('convenienceFee', '0.3')
  if (fee) query.set('convenienceFeeRecipient', FEE_RECIPIENT)
  for (let attempt = 1; ; attempt++) {
    const answer = await fetch(`${api}/aggregator/1?${query}`)
    if (answer.ok) return (await answer.json()) as Route
    const { code = String(answer.status), error } = (await answer.json()) as { code?: string; error: string }
    if (!BUSY_CODES.includes(code) || attempt >= MAX_ATTEMPTS) return { code, message: error }
  }
}

/** Requests a quote without sending it, in the state in which the trade would be sent. */
export function askFunded(place: Place, trade: Trade): Promise<AskedOutcome> {
  return withRevert(place.node, async () => {
    if (!(await fund(place.node, trade.src, trade.amount, place.guard))) return { kind: 'unfunded' }
    const answer = await ask(place, trade)
    return 'code' in answer ? { kind: 'refused', ...answer } : { kind: 'answered' }
  })
}

/** Quotes the trade with each slippage. Null if one of the quotes promises another amount. */
async function laterOf(place: Place, trade: Trade, promised: bigint): Promise<Later | null> {
  const sendableByTolerance: Record<string, Sendable> = {}
  let auto = Number.NaN
  for (const slippage of [...TOLERANCES, MAX_SLIPPAGE]) {
    const answer = await ask(place, trade, { slippage })
    if ('code' in answer || BigInt(answer.toAmount) !== promised) return null
    sendableByTolerance[slippage] = answer.tx
    if (slippage === 'auto') auto = answer.slippage!.percent
  }
  const { [MAX_SLIPPAGE]: boundless, ...rest } = sendableByTolerance
  return { boundless: boundless!, within: rest, auto }
}

/** Sends a transaction. `paid` is null if it reverts. */
export async function send({ node }: Place, { dst }: Trade, tx: Sendable, gasEstimate: bigint) {
  const balance = await node.balance(dst, wallet)
  // The interface asks callers to set the gas limit to the estimate plus 20 %.
  const { status, gasUsed, feeWei } = await node.send({ ...tx, gas: (gasEstimate * 12n + 9n) / 10n })
  const paid = status ? (await node.balance(dst, wallet)) - balance + (dst === NATIVE ? feeWei : 0n) : null
  return { paid, gasUsed }
}
