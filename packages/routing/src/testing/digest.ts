/** Digests of routes and their transactions, for tests that detect changes of behavior. */
import { createHash } from 'node:crypto'
import { toAddress } from '@sluice/chains'
import { families } from '@sluice/liquidity'
import { encodeSwap } from '../encode/index.ts'
import type { RouteRequest, RouteResult } from '../types.ts'

const byFamily = new Map(families.map((family) => [family.id, family]))
const account = (digit: string) => toAddress(`0x${digit.repeat(40)}`)
const [guard, executor, from] = [account('a'), account('b'), account('c')]

/** Characters of a digest. A change of a result goes undetected with a probability of 1 in 16 million. */
const LENGTH = 6
/** Digests per line. */
const PER_LINE = 12

/** Hashes everything in a result, and the bytes of its transaction. */
export function digestOf(result: RouteResult, { wrappedNative }: RouteRequest): string {
  const hash = createHash('sha256')
  const add = (value: unknown) => hash.update(`${value}\n`)
  if (!result.ok) {
    for (const field of [result.code, result.maxRoutableAmount, result.reasons.length]) add(field)
    return hash.digest('hex').slice(0, LENGTH)
  }
  const { legs, amountOut, gas, gasCostOut, midAmountOut, optimalityGapBps } = result.route
  for (const field of [amountOut, gas, gasCostOut, midAmountOut, optimalityGapBps?.toFixed(6)]) add(field)
  for (const { pool, tokenIn, tokenOut, num, den, amountIn, amountOut, gas } of legs)
    for (const field of [pool.id, tokenIn, tokenOut, num, den, amountIn, amountOut, gas]) add(field)
  const { data, value } = encodeSwap({
    route: result.route,
    from,
    guard,
    executor,
    wrappedNative,
    families: byFamily,
    minOutput: amountOut,
    deadline: 1n,
  })
  add(value)
  add(data)
  return hash.digest('hex').slice(0, LENGTH)
}

/** Formats a group of digests as lines of a golden file. */
export function goldenLines(name: string, digests: readonly string[]): string {
  const lines = Array.from({ length: Math.ceil(digests.length / PER_LINE) }, (_, line) =>
    digests.slice(line * PER_LINE, (line + 1) * PER_LINE).join(' '),
  )
  return `${[name, ...lines].join('\n')}\n`
}
