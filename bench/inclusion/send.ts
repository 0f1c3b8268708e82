/** Sends one quote at several later times, each from the state of the quote. */
import type { Node } from '@sluice/system-test/wallet'
import { fund, wallet } from '../lib/wallet.ts'

/** Seconds from the timestamp of the quoted block to that of the block with the transaction. */
export const DELAYS = [1, 60, 1_860, 86_400] as const
export type Delay = (typeof DELAYS)[number]
/**
 * Minimum delay in seconds for which `gasChargedAtDeadline` predicts the gas. For shorter delays, `gasCharged` predicts
 * it. After half an hour, a swap may write additional data, such as an oracle observation or a new epoch.
 */
const LATE_SECONDS = 1_800
/** Seconds until the deadline of the quote. Longer than the longest delay. */
const DEADLINE_SECONDS = 90_000

/** A chain, and the service that quotes trades on it. */
export type QuotedChain = {
  readonly name: string
  readonly api: string
  readonly chainId: number
  readonly node: Node
  readonly guard: string
}
export type SwapRequest = {
  readonly src: string
  readonly dst: string
  /** Input, in base units of `src`. */
  readonly amount: bigint
  /** Additional parameters of the request. */
  readonly query: Readonly<Record<string, string>>
  /**
   * True if the pool was created in the newest block. Funding the wallet mines a block, so the wallet is then funded
   * only after the quote.
   */
  readonly isFresh?: boolean
}
export type SentSwap = {
  readonly place: string
  readonly delay: Delay
  readonly families: readonly string[]
  readonly gasEstimate: number
  /** Prediction of the quote for the charged gas at this delay. */
  readonly predictedGas: number
  /** Prediction of the quote for the charged gas in the next block. */
  readonly predictedGasNextBlock: number
  /** Charged gas of the transaction. */
  readonly gasUsed: number
  readonly outcome: 'landed' | 'out of gas' | 'reverted'
}
type Route = {
  readonly gasEstimate: string
  readonly gasCharged: string
  readonly gasChargedAtDeadline: string
  readonly swaps: readonly { readonly protocol: string }[]
  readonly tx: { readonly from: string; readonly to: string; readonly data: string; readonly value: string }
}

/**
 * Quotes a trade and sends it.
 *
 * @param delays - delays at which it is sent
 * @returns the results, or the rejection's code; `unfunded` if the node cannot set the wallet's balance
 */
export async function quoteAndSend(
  quotedChain: QuotedChain,
  request: SwapRequest,
  delays: readonly Delay[] = DELAYS,
): Promise<{ readonly code: string } | { readonly sent: readonly SentSwap[] }> {
  const { node, guard } = quotedChain
  const snapshotId = await node.request<string>('evm_snapshot')
  try {
    const fundSender = () => fund(node, request.src, request.amount, guard)
    if (!request.isFresh && !(await fundSender())) return { code: 'unfunded' }
    const { timestamp } = await node.request<{ timestamp: string }>('eth_getBlockByNumber', ['latest', false])
    const route = await quote(quotedChain, request, Number(timestamp) + DEADLINE_SECONDS)
    if ('code' in route) return route
    if (request.isFresh && !(await fundSender())) return { code: 'unfunded' }
    const sentSwaps: SentSwap[] = []
    for (const delay of delays) sentSwaps.push(await sendAfter(quotedChain, route, delay, Number(timestamp)))
    return { sent: sentSwaps }
  } finally {
    await node.undo(snapshotId)
    await node.request('evm_mine', [])
  }
}

async function quote({ api, chainId }: QuotedChain, { src, dst, amount, query }: SwapRequest, deadline: number) {
  const parameters = { src, dst, amount: `${amount}`, from: wallet, deadline: `${deadline}`, slippage: '90', ...query }
  const answer = await fetch(`${api}/aggregator/${chainId}?${new URLSearchParams(parameters)}`)
  const body = (await answer.json()) as Route & { readonly code?: string }
  return answer.ok ? (body as Route) : { code: body.code ?? String(answer.status) }
}

async function sendAfter(
  { node, name }: QuotedChain,
  route: Route,
  delay: SentSwap['delay'],
  quotedTimestamp: number,
): Promise<SentSwap> {
  const snapshotId = await node.request<string>('evm_snapshot')
  try {
    const { timestamp } = await node.request<{ timestamp: string }>('eth_getBlockByNumber', ['latest', false])
    await node.request('evm_setNextBlockTimestamp', [Math.max(quotedTimestamp + delay, Number(timestamp) + 1)])
    const gasEstimate = BigInt(route.gasEstimate)
    const gas = (gasEstimate * 12n + 9n) / 10n
    const { status, gasUsed } = await node.send({ ...route.tx, gas })
    // If an inner call runs out of gas, its caller has at most 1/64 of the gas left. Nearly all gas is then used.
    const isStarved = gasUsed * 100n >= gas * 95n
    const predictedGas = delay < LATE_SECONDS ? route.gasCharged : route.gasChargedAtDeadline
    return {
      ...{ place: name, delay, families: route.swaps.map(({ protocol }) => protocol) },
      ...{ gasEstimate: Number(gasEstimate), gasUsed: Number(gasUsed) },
      ...{ predictedGas: Number(predictedGas), predictedGasNextBlock: Number(route.gasCharged) },
      outcome: status ? 'landed' : isStarved ? 'out of gas' : 'reverted',
    }
  } finally {
    await node.undo(snapshotId)
    await node.request('evm_mine', [])
  }
}
