/** Requests, sends, and measures swaps. */
import { NATIVE } from '@sluice/chains'
import { expect } from 'vitest'
import type { Node, Receipt } from './wallet.ts'

export type RouteBody = {
  readonly src: string
  readonly dst: string
  readonly fromAmount: string
  readonly toAmount: string
  readonly minToAmount: string
  readonly netToAmount: string | null
  readonly gasEstimate: string
  readonly simulationBlock: number
  readonly optimalityGap: number | null
  readonly optimalityGapNet: number | null
  readonly swaps: readonly {
    readonly pool: string
    readonly protocol: string
    readonly tokenIn: string
    readonly tokenOut: string
    readonly amountIn: string
    readonly amountOut: string
    readonly gas: string
  }[]
  readonly tx: { readonly from: string; readonly to: string; readonly data: string; readonly value: string }
}

export type SwapQuery = {
  readonly src: string
  readonly dst: string
  readonly amount: bigint | string
  readonly from: string
} & Readonly<Record<string, string | number | bigint>>

export type Answer<T> = { readonly status: number; readonly body: T; readonly headers: Headers }

export async function get<T>(url: string): Promise<Answer<T>> {
  const response = await fetch(url)
  const text = await response.text()
  const json = response.headers.get('content-type')?.includes('json')
  return { status: response.status, body: (json ? JSON.parse(text) : text) as T, headers: response.headers }
}

export function swapUrl(api: string, chainId: number, query: SwapQuery): string {
  const parameters = new URLSearchParams(
    Object.entries(query).map(([key, value]): [string, string] => [key, String(value)]),
  )
  return `${api}/aggregator/${chainId}?${parameters}`
}

/** Requests a route and expects success. */
export async function quote(api: string, chainId: number, query: SwapQuery): Promise<RouteBody> {
  const { status, body } = await get<RouteBody>(swapUrl(api, chainId, query))
  expect(status, JSON.stringify(body)).toBe(200)
  expect(body.tx).toBeDefined()
  expect(BigInt(body.toAmount)).toBeGreaterThan(0n)
  expect(body.swaps.length).toBeGreaterThan(0)
  return body
}

export type ExecutedSwap = {
  readonly route: RouteBody
  readonly receipt: Receipt
  readonly received: bigint
  readonly spent: bigint
}

/**
 * Swaps like a usual client: approves the input, requests a quote, and sends it with a fifth more gas than estimated.
 */
export async function approveQuoteSend(
  node: Node,
  api: string,
  chainId: number,
  query: SwapQuery,
): Promise<ExecutedSwap> {
  const guard = (await quote(api, chainId, query)).tx.to
  if (query.src.toLowerCase() !== NATIVE) await node.approve(query.src, query.from, guard, BigInt(query.amount))
  const route = await quote(api, chainId, query)
  return { route, ...(await send(node, route)) }
}

/** Sends a quoted transaction unmodified. Measures the amounts that the sender pays and the recipient receives. */
export async function send(
  node: Node,
  route: RouteBody,
  recipient = route.tx.from,
): Promise<Omit<ExecutedSwap, 'route'>> {
  const { from, to, data, value } = route.tx
  const inBefore = await node.balance(route.src, from)
  const outBefore = await node.balance(route.dst, recipient)
  const gas = (BigInt(route.gasEstimate) * 12n + 9n) / 10n
  const receipt = await node.send({ from, to, data, value, gas })
  const fee = (token: string, payer = from) => (token.toLowerCase() === NATIVE && payer === from ? receipt.feeWei : 0n)
  return {
    receipt,
    received: (await node.balance(route.dst, recipient)) - outBefore + fee(route.dst, recipient),
    spent: inBefore - (await node.balance(route.src, from)) - fee(route.src),
  }
}
