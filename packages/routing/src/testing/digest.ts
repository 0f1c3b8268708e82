/** Digests of routes and of their transactions, for tests that hold a change of the code to the same behaviour. */
import { createHash } from 'node:crypto'
import { toAddress } from '@sluice/chains'
import { families } from '@sluice/liquidity'
import { encodeSwap } from '../encode/index.ts'
import type { RouteRequest, RouteResult } from '../types.ts'

const byFamily = new Map(families.map((family) => [family.id, family]))
const account = (digit: string) => toAddress(`0x${digit.repeat(40)}`)
const [guard, executor, from] = [account('a'), account('b'), account('c')]

/** Characters of a digest: one chance in 16 million that a change goes unseen. */
const LENGTH = 6
/** Digests on a line. */
const PER_LINE = 12

/** Everything that a result says, and the bytes of its transaction. */
export function digestOf(result: RouteResult, { wrappedNative }: RouteRequest): string {
  const hash = createHash('sha256')
  const say = (value: unknown) => hash.update(`${value}\n`)
  if (!result.ok) {
    for (const said of [result.code, result.maxRoutableAmount, result.reasons.length]) say(said)
    return hash.digest('hex').slice(0, LENGTH)
  }
  const { legs, amountOut, gas, gasCostOut, midAmountOut, optimalityGapBps } = result.route
  for (const said of [amountOut, gas, gasCostOut, midAmountOut, optimalityGapBps?.toFixed(6)]) say(said)
  for (const { pool, tokenIn, tokenOut, num, den, amountIn, amountOut, gas } of legs)
    for (const said of [pool.id, tokenIn, tokenOut, num, den, amountIn, amountOut, gas]) say(said)
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
  say(value)
  say(data)
  return hash.digest('hex').slice(0, LENGTH)
}

/** A group of digests as lines of a golden file. */
export function goldenLines(name: string, digests: readonly string[]): string {
  const lines = Array.from({ length: Math.ceil(digests.length / PER_LINE) }, (_, line) =>
    digests.slice(line * PER_LINE, (line + 1) * PER_LINE).join(' '),
  )
  return `${[name, ...lines].join('\n')}\n`
}
