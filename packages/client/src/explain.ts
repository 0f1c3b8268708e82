/** What a transaction of the service does, read from its bytes alone and held against what was asked for. */
import { decodeProgram, ProgramError, type Step } from '../../program/src/index.ts'
import { decodeSwap, type GuardOrder } from './abi.ts'
import { ClientError } from './errors.ts'
import { poolsOf, tradesIn } from './pools.ts'
import { NATIVE, type Route, type SwapParameters, type Transaction } from './types.ts'

export type Explanation = {
  /** The contract that is called and, for ERC-20 input, approved. */
  readonly guard: string
  /** The Guard pays the sender of the transaction and no one else. */
  readonly recipient: string
  readonly tokenIn: string
  /** Most that may leave the sender, base units. */
  readonly amountIn: bigint
  readonly tokenOut: string
  /** Least that the sender receives, base units; less reverts the transaction. */
  readonly minOutput: bigint
  /** Unix seconds. */
  readonly deadline: bigint
  readonly fee: { readonly ppm: bigint; readonly recipient: string } | null
  readonly executor: string
  /** Instructions of the Executor in order. */
  readonly steps: readonly Step[]
  /** Every pool that the route trades in, once: addresses, ids for pools of Uniswap V4 and Balancer V2, wrappers. */
  readonly pools: readonly string[]
}

const ZERO = `0x${'0'.repeat(40)}`
const PPM_PER_PERCENT = 10_000n

/** @throws ClientError `UNSAFE` when the calldata is not a swap of the Guard that can be read whole */
export function explain(tx: Transaction): Explanation {
  const value = BigInt(tx.value)
  const order = decodeSwap(tx.data, value)
  const steps = readProgram(order)
  const pools = steps.flatMap(poolsOf)
  return {
    guard: tx.to,
    recipient: tx.from,
    // What comes as value is native, in whatever wrapper the Guard lends it.
    tokenIn: value > 0n ? NATIVE : tokenText(order.tokenIn),
    amountIn: order.amountIn,
    tokenOut: tokenText(order.tokenOut),
    minOutput: order.minOutput,
    deadline: order.deadline,
    fee: order.feePpm === 0n ? null : { ppm: order.feePpm, recipient: order.feeRecipient },
    executor: order.executor,
    steps,
    pools: [...new Set(pools)],
  }
}

function readProgram(order: GuardOrder): readonly Step[] {
  try {
    return decodeProgram(order.program, order.tokenIn)
  } catch (cause) {
    if (!(cause instanceof ProgramError)) throw cause
    throw new ClientError('UNSAFE', `the program cannot be read: ${cause.message}`, {}, { cause })
  }
}

function tokenText(token: string): string {
  return token === ZERO ? NATIVE : token
}

/**
 * Proves that a route's transaction does what was asked for: tokens, amount, sender, slippage, fee, value, pools and, where it
 * is known, the Guard. Nothing in the route but the bytes of `tx` is trusted.
 *
 * @throws ClientError `UNSAFE` naming what differs
 */
export function verify(route: Route, asked: SwapParameters, guard?: string): Explanation {
  const found = explain(route.tx)
  const require = (holds: boolean, what: string) => {
    if (!holds) throw new ClientError('UNSAFE', `the transaction differs from what was asked for: ${what}`)
  }
  const amount = BigInt(asked.amount)
  const feePpm = toPpm(asked.convenienceFee ?? 0)
  require(guard === undefined || same(found.guard, guard), `it calls ${found.guard}, not the Guard`)
  require(same(route.tx.from, asked.from), 'the sender')
  require(same(found.tokenIn, asked.src), 'the input token')
  require(same(found.tokenOut, asked.dst), 'the output token')
  require(found.amountIn === amount, 'the input amount')
  require(BigInt(route.tx.value) === (same(asked.src, NATIVE) ? amount : 0n), 'the value')
  const least = (BigInt(route.toAmount) * (1_000_000n - toPpm(asked.slippage ?? 0.5))) / 1_000_000n
  require(found.minOutput > 0n && found.minOutput >= least, 'the least output')
  require((found.fee?.ppm ?? 0n) === feePpm, 'the fee')
  require(tradesIn(found.steps, route.swaps), 'the pools')
  const vaults = found.steps.flatMap((step) =>
    'vault' in step ? [step.vault] : 'manager' in step ? [step.manager] : [],
  )
  const known = new Set([...found.pools, ...vaults, asked.from].map((address) => address.toLowerCase()))
  for (const { output } of found.steps)
    require(output.kind !== 'address' || known.has(output.address.toLowerCase()), 'a step pays a stranger')
  require(feePpm === 0n || same(found.fee!.recipient, asked.convenienceFeeRecipient ?? ''), 'the fee recipient')
  return found
}

function same(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}

/** Percent with at most 4 decimals to parts per million, by its text. */
function toPpm(percent: number | string): bigint {
  const match = /^(\d+)(?:\.(\d{1,4}))?$/.exec(String(percent))
  if (!match) throw new ClientError('UNSAFE', `${percent} is no percentage with at most 4 decimals`)
  return BigInt(match[1]!) * PPM_PER_PERCENT + BigInt((match[2] ?? '').padEnd(4, '0'))
}
