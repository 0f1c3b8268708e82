import { hash as digestOf } from 'node:crypto'
import type { Route } from '@sluice/routing'
import type { BlockHeader } from '@sluice/rpc'
import type { WorkingTrial } from './try-route.ts'

/** Hex digits: so few quotes of one block have the same by chance in 10^12 that nobody will meet them. */
const DIGITS = 20

/**
 * The name of a quote: chain, block, and a digest of what was found there. Who asked is no part of it, so that it tells nobody
 * anything, and a price and its transaction have the same one.
 */
export function quoteId(
  chainId: number,
  { number, hash }: Pick<BlockHeader, 'number' | 'hash'>,
  { tokenIn, tokenOut, amountIn, legs }: Route,
  { amountOut, minOutput }: Pick<WorkingTrial, 'amountOut' | 'minOutput'>,
): string {
  let found = `${hash},${tokenIn},${tokenOut},${amountIn},${amountOut},${minOutput}`
  for (const leg of legs) found += `;${leg.pool.id},${leg.tokenIn},${leg.tokenOut},${leg.amountIn},${leg.amountOut}`
  return `${chainId}-${number}-${digestOf('sha256', found).slice(0, DIGITS)}`
}

/** Facts that an id tells by itself; null for what is none. */
export function readQuoteId(id: string): { readonly chainId: number; readonly block: number } | null {
  const [, chainId, block] = /^([1-9]\d{0,15})-(\d{1,15})-[0-9a-f]{20}$/.exec(id) ?? []
  return chainId === undefined ? null : { chainId: Number(chainId), block: Number(block) }
}
