/** Explanation of a transaction of the service, read from its bytes alone. */
import { decodeProgram, keeperOf, ProgramError, type Step, singletonOf, tradesOf } from '@sluice/program'
import { decodeSwap } from './abi.ts'
import { ClientError, toClientError } from './errors.ts'
import { contractsIn } from './fields.ts'
import { keccak256 } from './keccak.ts'
import type { GuardOrder, GuardPermit } from './order.ts'
import { NATIVE, type Transaction } from './types.ts'

export type Explanation = {
  /** The contract that is called and, for ERC-20 input, approved. */
  readonly guard: string
  /** Account that receives the output: the sender, unless the calldata names another. */
  readonly recipient: string
  /**
   * In custody the Guard receives the output, checks it and passes it on; in direct mode it comes from the Executor, and the
   * Guard checks only what the recipient's balance has grown by.
   */
  readonly mode: 'custody' | 'direct'
  readonly tokenIn: string
  /** Most that may leave the sender, base units. */
  readonly amountIn: bigint
  readonly tokenOut: string
  /** Least that the recipient receives, base units; less reverts the transaction. */
  readonly minOutput: bigint
  /** Unix seconds. */
  readonly deadline: bigint
  readonly fee: { readonly ppm: bigint; readonly recipient: string } | null
  /** A signature that comes with the swap and lets the Guard, or Permit2 for it, draw the input. */
  readonly permit: {
    readonly kind: GuardPermit['kind']
    /** Base units; null by DAI's form, which allows any amount until the owner takes that back. */
    readonly amount: bigint | null
    /** Last second at which it is taken. */
    readonly deadline: bigint
  } | null
  /** Contract that runs the steps. */
  readonly executor: string
  /** Wrapper of the native token that the Guard itself wraps the input in, or unwraps the output from. */
  readonly wrapper: string | null
  /** Contracts that hold pools or keep their tokens: managers of Uniswap V4, vaults of Balancer and SyncSwap. */
  readonly singletons: readonly string[]
  /** Instructions of the Executor in order. */
  readonly steps: readonly Step[]
  /** Every pool that the route trades in, once: addresses, ids for pools of Uniswap V4 and Balancer V2, wrappers. */
  readonly pools: readonly string[]
  /**
   * Every contract that a step calls or pays, once: pools, what holds or keeps them, managers, hooks, wrappers, and
   * intermediate tokens. The tokens of the swap itself are not among them.
   */
  readonly contracts: readonly string[]
}

const ZERO = `0x${'0'.repeat(40)}`

/**
 * Reads a transaction from its bytes alone.
 *
 * @throws ClientError `UNSAFE` when the calldata is not a swap of the Guard that can be read whole, as its encoders write it
 * @example
 * ```ts
 * const { recipient, minOutput, contracts } = explain(route.tx)
 * ```
 */
export function explain(tx: Transaction): Explanation {
  try {
    return read(tx)
  } catch (error) {
    throw toClientError(error, 'UNSAFE', 'the transaction is malformed: ')
  }
}

function read(tx: Transaction): Explanation {
  const value = weiOf(tx)
  const order = decodeSwap(tx.data, value)
  const steps = readProgram(order)
  const pools = unique(steps.flatMap(poolsOf))
  const isEnd = (address: string) =>
    (address === order.tokenIn || address === order.tokenOut) && !pools.includes(address)
  const wrapped = value > 0n ? order.tokenIn : order.wrapper
  return {
    guard: tx.to,
    recipient: order.recipient ?? tx.from,
    mode: order.direct ? 'direct' : 'custody',
    // What comes as value is native, in whatever wrapper the Guard lends it.
    tokenIn: value > 0n ? NATIVE : tokenText(order.tokenIn),
    amountIn: order.amountIn,
    tokenOut: tokenText(order.tokenOut),
    minOutput: order.minOutput,
    deadline: order.deadline,
    fee: order.feePpm === 0n ? null : { ppm: order.feePpm, recipient: order.feeRecipient },
    permit: order.permit ? permitOf(order.permit) : null,
    executor: order.executor,
    wrapper: wrapped === ZERO ? null : wrapped,
    singletons: unique(steps.flatMap((step) => [singletonOf(step) ?? [], keeperOf(step) ?? []].flat())),
    steps,
    pools,
    contracts: unique(steps.flatMap(contractsIn)).filter((address) => !isEnd(address)),
  }
}

/** Wei that come with a transaction. @throws ClientError `UNSAFE` for anything but a decimal number */
export function weiOf({ value }: Transaction): bigint {
  if (!/^\d{1,78}$/.test(String(value))) throw new ClientError('UNSAFE', 'the value is no number of wei')
  return BigInt(value)
}

/** Addresses, and ids for pools inside a singleton; one entry a hop. */
export function poolsOf(step: Step): readonly string[] {
  return tradesOf(step, keccak256).map(({ pool }) => pool)
}

function permitOf({ kind, amount, deadline }: GuardPermit): Explanation['permit'] {
  return { kind, amount: kind === 'dai' ? null : amount, deadline }
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

function unique(list: readonly string[]): readonly string[] {
  return [...new Set(list)]
}
