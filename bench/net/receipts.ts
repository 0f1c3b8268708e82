/**
 * Compares a quote with the quotes of restricted variants of its request: sends all their transactions from the same
 * state, and compares the receipts.
 */
import type { SwapResponse } from '@sluice/api'
import { withRevert } from '../honesty/trade.ts'
import type { ColdWorld } from './cold-worlds.ts'
import { MAX_HOPS_VALUES, MAX_SPLITS_VALUES } from './restricted-requests.ts'

export type SwapRequest = {
  readonly src: string
  readonly dst: string
  readonly amount: bigint
  /** Wei. */
  readonly gasPrice: bigint
}
export type ReceiptFigures = {
  readonly received: bigint
  readonly gasUsed: bigint
  readonly legs: readonly string[]
}
export type RestrictedReceipt = ReceiptFigures & {
  /** Parameter that restricts the request. */
  readonly restriction: string
  /**
   * Difference to the unrestricted quote after gas, in basis points of the unrestricted quote's output; negative if the
   * variant pays less.
   */
  readonly bps: number
  /** True if it pays more than the unrestricted quote and uses less gas. */
  readonly dominates: boolean
}
export type MeasuredQuote = {
  readonly request: SwapRequest
  readonly usd: number
  readonly unrestricted: ReceiptFigures
  readonly restricted: readonly RestrictedReceipt[]
}

/** Measures a request and its restricted variants; null if the request has no quote, or its transaction fails. */
export async function measureRestricted(
  world: ColdWorld,
  api: string,
  request: SwapRequest,
): Promise<Omit<MeasuredQuote, 'usd'> | null> {
  const quote = (restriction: string) => quoteOf(world, api, request, restriction)
  const ownQuote = await quote('')
  if (!ownQuote) return null
  const families = new Set(ownQuote.swaps.map(({ protocol }) => protocol))
  const restrictions = [
    ...[...families].map((family) => `excludeSources=${family}`),
    ...MAX_HOPS_VALUES.map((hops) => `maxHops=${hops}`),
    ...MAX_SPLITS_VALUES.filter((pools) => pools < ownQuote.swaps.length).map((pools) => `maxSplits=${pools}`),
  ]
  const results = new Map([[keyOf(ownQuote), { restriction: '', answer: ownQuote }]])
  for (const restriction of restrictions) {
    const answer = await quote(restriction)
    if (answer && !results.has(keyOf(answer))) results.set(keyOf(answer), { restriction, answer })
  }
  const [ownResult, ...otherResults] = results.values()
  const ownReceipt = await receiptOf(world, request, ownResult!.answer)
  if (!ownReceipt) return null
  const outputPerGas = outputPerGasOf(world, request)
  // The net output is relative to the output of the own quote, so that floats lose no digits.
  const netOf = ({ received, gasUsed }: ReceiptFigures) =>
    Number(received - ownReceipt.received) - Number(gasUsed) * outputPerGas
  const restrictedReceipts: RestrictedReceipt[] = []
  for (const { restriction, answer } of otherResults) {
    const otherReceipt = await receiptOf(world, request, answer)
    if (!otherReceipt) continue
    const bps = ((netOf(otherReceipt) - netOf(ownReceipt)) / Number(ownReceipt.received)) * 10_000
    const dominates = otherReceipt.received > ownReceipt.received && otherReceipt.gasUsed < ownReceipt.gasUsed
    restrictedReceipts.push({ ...otherReceipt, restriction, bps, dominates })
  }
  return { request, unrestricted: ownReceipt, restricted: restrictedReceipts }
}

async function quoteOf(
  { chainId, wallet }: ColdWorld,
  api: string,
  { src, dst, amount, gasPrice }: SwapRequest,
  restriction: string,
): Promise<SwapResponse | null> {
  const query = new URLSearchParams({ src, dst, amount: `${amount}`, from: wallet, gasPrice: `${gasPrice}` })
  const answer = await fetch(`${api}/aggregator/${chainId}?${query}&${restriction}`)
  const body = (await answer.json()) as SwapResponse
  return answer.ok ? body : null
}

/** Returns a key of the route. Equal routes have equal keys. */
const keyOf = ({ swaps }: SwapResponse): string =>
  swaps.map(({ pool, tokenIn, tokenOut, amountIn }) => [pool, tokenIn, tokenOut, amountIn].join()).join(' ')

/** Sends a transaction, and returns the received output and the gas; null if it reverts. */
function receiptOf({ node, wallet }: ColdWorld, { dst }: SwapRequest, { tx, gasEstimate, swaps }: SwapResponse) {
  return withRevert(node, async (): Promise<ReceiptFigures | null> => {
    const balanceBefore = await node.balance(dst, wallet)
    const { status, gasUsed } = await node.send({ ...tx, gas: 2n * BigInt(gasEstimate) })
    const receivedAmount = (await node.balance(dst, wallet)) - balanceBefore
    const legs = swaps.map(({ protocol, pool, gas, tokenIn, tokenOut }) =>
      [protocol, pool, tokenIn, tokenOut, gas].join(' '),
    )
    return status ? { received: receivedAmount, gasUsed, legs } : null
  })
}

/** Returns the price of a unit of gas in base units of the output token. */
function outputPerGasOf({ tokens, nativeUsd }: ColdWorld, { dst, gasPrice }: SwapRequest): number {
  const { usd, decimals } = tokens.find(({ token }) => token === dst)!
  return (Number(gasPrice) * 1e-18 * nativeUsd * 10 ** decimals) / usd
}
