/** Builds and parses quote ids. */
import { hash as digestOf } from 'node:crypto'
import type { RoutePlan } from '@sluice/routing'
import type { BlockHeader } from '@sluice/rpc'
import type { WorkingTrial } from './try-route.ts'

/** Hex digits of the digest: 80 bits, so that two quotes of one block do not collide in practice. */
const DIGITS = 20

/**
 * Builds the id of a quote: chain, block, and a digest of the route and its amounts. The sender is not part of the
 * digest, so the id reveals nothing about the caller. A quote without a sender has the same id as the transaction with
 * the same route.
 */
export function quoteId(
  chainId: number,
  { number, hash }: Pick<BlockHeader, 'number' | 'hash'>,
  { tokenIn, tokenOut, amountIn, legs }: RoutePlan,
  { amountOut, minOutput }: Pick<WorkingTrial, 'amountOut' | 'minOutput'>,
): string {
  let digestInput = `${hash},${tokenIn},${tokenOut},${amountIn},${amountOut},${minOutput}`
  for (const leg of legs)
    digestInput += `;${leg.pool.id},${leg.tokenIn},${leg.tokenOut},${leg.amountIn},${leg.amountOut}`
  return `${chainId}-${number}-${digestOf('sha256', digestInput).slice(0, DIGITS)}`
}

/** Parses chain and block from an id; null if the text is not an id. */
export function readQuoteId(id: string): { readonly chainId: number; readonly block: number } | null {
  const [, chainId, block] = /^([1-9]\d{0,15})-(\d{1,15})-[0-9a-f]{20}$/.exec(id) ?? []
  return chainId === undefined ? null : { chainId: Number(chainId), block: Number(block) }
}
