/** One quote, sent at several later times, each from the state that it was quoted in. */
import type { Node } from '@sluice/system-test/wallet'
import { fund, wallet } from '../honesty/wallet.ts'

/** Seconds from the quoted block to the block of the transaction. */
export const DELAYS = [1, 60, 1_860, 86_400] as const
export type Delay = (typeof DELAYS)[number]
/**
 * Delays from which on the answer's `gasChargedAtDeadline` is the prediction: half an hour and more is long enough for observations,
 * epochs and caches to fall due. Before, it is `gasCharged`.
 */
const LATE_SECONDS = 1_800
/** The deadline is behind the last of them. */
const DEADLINE_SECONDS = 90_000

export type Place = {
  readonly name: string
  readonly api: string
  readonly chainId: number
  readonly node: Node
  readonly guard: string
}
export type Wish = {
  readonly src: string
  readonly dst: string
  /** Base units. */
  readonly amount: bigint
  readonly query: Readonly<Record<string, string>>
  /** Its pool is of the newest block, which must stay the newest until the quote: the wallet is funded after it. */
  readonly isFresh?: boolean
}
export type Sent = {
  readonly place: string
  readonly delay: Delay
  readonly families: readonly string[]
  readonly estimate: number
  /** Gas charged, as the answer predicts it for the delay. */
  readonly predicted: number
  /** As it predicts it for the next block. */
  readonly predictedNext: number
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
 * `unfunded` where the node cannot give the wallet the token; else the code of the refusal, or what became of the transaction.
 *
 * @param delays - at which it is sent
 */
export async function tried(
  place: Place,
  wish: Wish,
  delays: readonly Delay[] = DELAYS,
): Promise<{ readonly code: string } | { readonly sent: readonly Sent[] }> {
  const { node, guard } = place
  const start = await node.request<string>('evm_snapshot')
  try {
    const funded = () => fund(node, wish.src, wish.amount, guard)
    if (!wish.isFresh && !(await funded())) return { code: 'unfunded' }
    const { timestamp } = await node.request<{ timestamp: string }>('eth_getBlockByNumber', ['latest', false])
    const route = await quote(place, wish, Number(timestamp) + DEADLINE_SECONDS)
    if ('code' in route) return route
    if (wish.isFresh && !(await funded())) return { code: 'unfunded' }
    const sent: Sent[] = []
    for (const delay of delays) sent.push(await sentAfter(place, route, delay, Number(timestamp)))
    return { sent }
  } finally {
    await node.undo(start)
    await node.request('evm_mine', [])
  }
}

async function quote({ api, chainId }: Place, { src, dst, amount, query }: Wish, deadline: number) {
  const all = { src, dst, amount: `${amount}`, from: wallet, deadline: `${deadline}`, slippage: '90', ...query }
  const answer = await fetch(`${api}/aggregator/${chainId}?${new URLSearchParams(all)}`)
  const body = (await answer.json()) as Route & { readonly code?: string }
  return answer.ok ? (body as Route) : { code: body.code ?? String(answer.status) }
}

async function sentAfter({ node, name }: Place, route: Route, delay: Sent['delay'], quotedAt: number): Promise<Sent> {
  const before = await node.request<string>('evm_snapshot')
  try {
    const { timestamp } = await node.request<{ timestamp: string }>('eth_getBlockByNumber', ['latest', false])
    await node.request('evm_setNextBlockTimestamp', [Math.max(quotedAt + delay, Number(timestamp) + 1)])
    const estimate = BigInt(route.gasEstimate)
    const gas = (estimate * 12n + 9n) / 10n
    const { status, gasUsed } = await node.send({ ...route.tx, gas })
    // A transaction that runs out of gas in a call it makes has little left of the 64th part that stays with the caller.
    const starved = gasUsed * 100n >= gas * 95n
    const predicted = delay < LATE_SECONDS ? route.gasCharged : route.gasChargedAtDeadline
    return {
      ...{ place: name, delay, families: route.swaps.map(({ protocol }) => protocol) },
      ...{ estimate: Number(estimate), gasUsed: Number(gasUsed) },
      ...{ predicted: Number(predicted), predictedNext: Number(route.gasCharged) },
      outcome: status ? 'landed' : starved ? 'out of gas' : 'reverted',
    }
  } finally {
    await node.undo(before)
    await node.request('evm_mine', [])
  }
}
