/**
 * Explains what a transaction from the service does. Reads only the transaction, never other fields of the service's
 * response.
 */
import { decodeProgram, keeperOf, ProgramError, type Step, singletonOf, tradesOf } from '@sluice/program'
import { decodeSwap } from './abi.ts'
import { ClientError, toClientError } from './errors.ts'
import { contractsIn } from './fields.ts'
import { keccak256 } from './keccak.ts'
import type { GuardOrder, GuardPermit } from './order.ts'
import { NATIVE, type Transaction } from './types.ts'

/** Contents of a swap transaction. */
export type Explanation = {
  /** Contract that the transaction calls. ERC-20 input must be approved for it. */
  readonly guard: string
  /** Account that receives the output: the sender, unless the calldata names another. */
  readonly recipient: string
  /**
   * `custody`: the Guard receives the output, checks it and forwards it. `direct`: the Executor pays the recipient, and
   * the Guard checks the growth of the recipient's balance.
   */
  readonly mode: 'custody' | 'direct'
  readonly tokenIn: string
  /** Maximum input in base units. */
  readonly amountIn: bigint
  readonly tokenOut: string
  /** Minimum output in base units; the transaction reverts below it. */
  readonly minOutput: bigint
  /** Unix seconds. */
  readonly deadline: bigint
  readonly fee: { readonly ppm: bigint; readonly recipient: string } | null
  /** Permit in the calldata, which lets the Guard draw the input, directly or through Permit2. */
  readonly permit: {
    readonly kind: GuardPermit['kind']
    /** Base units; null for a DAI permit, which is unlimited until the owner revokes it. */
    readonly amount: bigint | null
    /** Unix seconds; the permit is invalid afterwards. */
    readonly deadline: bigint
  } | null
  /** Contract that executes the steps. */
  readonly executor: string
  /**
   * Contract with which the Guard wraps native input, or from which it unwraps native output; null if it does neither.
   */
  readonly wrapper: string | null
  /**
   * Contracts that hold many pools, or the tokens of many pools: managers of Uniswap V4, vaults of Balancer and
   * SyncSwap.
   */
  readonly singletons: readonly string[]
  /** Instructions of the Executor in order. */
  readonly steps: readonly Step[]
  /** Pools of the route without duplicates: addresses, pool ids inside singletons, and wrappers. */
  readonly pools: readonly string[]
  /**
   * Contracts that a step calls or pays, without duplicates: pools, vaults, managers, hooks, wrappers, intermediate
   * tokens. The input and output tokens are excluded unless they are pools.
   */
  readonly contracts: readonly string[]
}

const ZERO = `0x${'0'.repeat(40)}`

/**
 * Explains what a transaction does, based on its own fields alone.
 *
 * @throws ClientError `UNSAFE` if the calldata is not the canonical encoding of a swap of the Guard
 * @example
 * ```ts
 * const { recipient, minOutput, contracts } = explain(route.tx)
 * ```
 */
export function explain(tx: Transaction): Explanation {
  try {
    return explainOrThrow(tx)
  } catch (error) {
    throw toClientError(error, 'UNSAFE', 'the transaction is malformed: ')
  }
}

function explainOrThrow(tx: Transaction): Explanation {
  const value = weiOf(tx)
  const order = decodeSwap(tx.data, value)
  const steps = readProgram(order)
  const pools = withoutDuplicates(steps.flatMap(poolsOf))
  const isSwapToken = (address: string) =>
    (address === order.tokenIn || address === order.tokenOut) && !pools.includes(address)
  const wrappedToken = value > 0n ? order.tokenIn : order.wrapper
  return {
    guard: tx.to,
    recipient: order.recipient ?? tx.from,
    mode: order.direct ? 'direct' : 'custody',
    // If the transaction carries value, the input is native even if `tokenIn` is a wrapper.
    tokenIn: value > 0n ? NATIVE : tokenText(order.tokenIn),
    amountIn: order.amountIn,
    tokenOut: tokenText(order.tokenOut),
    minOutput: order.minOutput,
    deadline: order.deadline,
    fee: order.feePpm === 0n ? null : { ppm: order.feePpm, recipient: order.feeRecipient },
    permit: order.permit ? permitOf(order.permit) : null,
    executor: order.executor,
    wrapper: wrappedToken === ZERO ? null : wrappedToken,
    singletons: withoutDuplicates(steps.flatMap((step) => [singletonOf(step) ?? [], keeperOf(step) ?? []].flat())),
    steps,
    pools,
    contracts: withoutDuplicates(steps.flatMap(contractsIn)).filter((address) => !isSwapToken(address)),
  }
}

/** Returns the value of a transaction in wei. @throws ClientError `UNSAFE` for anything but a decimal number */
export function weiOf({ value }: Transaction): bigint {
  if (!/^\d{1,78}$/.test(String(value))) throw new ClientError('UNSAFE', 'the value is no number of wei')
  return BigInt(value)
}

/**
 * Returns one pool per hop of a step: its address, or its id if a singleton (one contract with many pools) holds it.
 */
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

function withoutDuplicates(list: readonly string[]): readonly string[] {
  return [...new Set(list)]
}
