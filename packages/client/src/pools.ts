/** What the steps of a program trade, hop by hop. */
import type { Step } from '../../program/src/index.ts'
import { keccak256 } from './keccak.ts'
import type { Hex } from './types.ts'

/** One trade in one pool. */
export type Hop = {
  /** Address, or id for a pool inside a singleton; a wrapper for native token that is wrapped or unwrapped. */
  readonly pool: string
  /** The zero address is the native token. */
  readonly tokenIn: string
  /** Undefined where the bytes name the pool and a direction alone. */
  readonly tokenOut: string | undefined
}

const NATIVE_ADDRESS = `0x${'0'.repeat(40)}`

export function hopsOf(step: Step): readonly Hop[] {
  const { tokenIn } = step
  switch (step.op) {
    case 'wrap':
      return [{ pool: step.wrapped, tokenIn, tokenOut: step.wrapped }]
    case 'unwrap':
      return [{ pool: tokenIn, tokenIn, tokenOut: NATIVE_ADDRESS }]
    case 'uniswap-v4':
      return inSeries(tokenIn, step.hops, ({ fee, tickSpacing, hooks }, from, to) => {
        const [currency0, currency1] = [from, to].map(BigInt).sort((a, b) => (a < b ? -1 : 1))
        return idOf(currency0!, currency1!, BigInt(fee), BigInt(tickSpacing), BigInt(hooks))
      })
    case 'balancer-v2':
      return inSeries(tokenIn, step.hops, ({ poolId }) => poolId)
    case 'balancer-v3':
      return inSeries(tokenIn, step.hops, ({ pool }) => pool)
    case 'erc4626':
      return [{ pool: step.deposit ? step.tokenOut : tokenIn, tokenIn, tokenOut: step.tokenOut }]
    case 'rate-wrapper':
      return [{ pool: step.wrap ? step.tokenOut : tokenIn, tokenIn, tokenOut: step.tokenOut }]
    case 'curve':
      return [{ pool: step.pool, tokenIn, tokenOut: step.tokenOut }]
    default:
      return [{ pool: step.pool, tokenIn, tokenOut: undefined }]
  }
}

/** Addresses, and ids for pools inside a singleton; one entry a hop. */
export function poolsOf(step: Step): readonly string[] {
  return hopsOf(step).map(({ pool }) => pool)
}

function inSeries<Link extends { readonly tokenOut: string }>(
  tokenIn: string,
  links: readonly Link[],
  poolOf: (link: Link, tokenIn: string, tokenOut: string) => string,
): readonly Hop[] {
  return links.map((link, k) => {
    const from = k === 0 ? tokenIn : links[k - 1]!.tokenOut
    return { pool: poolOf(link, from, link.tokenOut), tokenIn: from, tokenOut: link.tokenOut }
  })
}

/** Hash of the words of a Uniswap V4 pool key. */
function idOf(...key: readonly bigint[]): Hex {
  return keccak256(`0x${key.map((word) => word.toString(16).padStart(64, '0')).join('')}`)
}
