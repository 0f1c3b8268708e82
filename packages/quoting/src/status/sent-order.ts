/** Orders of the Guard that were sent: read from calldata, and compared with what the logs of the receipt say was paid. */
import { IGuard__factory } from '@sluice/bindings'
import { type Address, type Hex, PPM, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import type { Interface } from 'ethers'
import { accountIn, TRANSFER, WITHDRAWAL } from '../topics.ts'

/** Log of a receipt. */
type Log = { readonly address: Address; readonly topics: readonly Hex[]; readonly data: Hex }

/** An order of the Guard as its calldata has it; zero addresses are the native token. */
export type SentOrder = {
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly amountIn: bigint
  readonly minOutput: bigint
  readonly deadline: number
  readonly feePpm: bigint
  /** Account that receives the output; undefined if the calldata pays the sender. */
  readonly recipient: Address | undefined
  /** Wrapper that the Guard unwraps the output of. */
  readonly wrapper: Address
  /** The input came as value, which the Guard wraps if `tokenIn` is no zero address. */
  readonly isNativeIn: boolean
}

const guardAbi: Interface = IGuard__factory.createInterface()

/** @returns undefined for calldata that is no swap of the Guard */
export function orderOf({ input, value }: { readonly input: Hex; readonly value: bigint }): SentOrder | undefined {
  let call: ReturnType<Interface['parseTransaction']>
  try {
    call = guardAbi.parseTransaction({ data: input, value })
  } catch {
    return undefined
  }
  const order = call?.args.order
  if (!order) return undefined
  const { amountIn = value, payout, recipient = payout?.recipient } = call!.args.toObject()
  return {
    ...{ tokenIn: toAddress(order.tokenIn), tokenOut: toAddress(order.tokenOut) },
    ...{ amountIn, minOutput: order.minOutput, deadline: Number(order.deadline) },
    recipient: recipient && toAddress(recipient),
    ...{ feePpm: payout?.feePpm ?? 0n, wrapper: toAddress(payout?.wrapper ?? ZERO_ADDRESS), isNativeIn: value > 0n },
  }
}

type Parties = { readonly sender: Address; readonly guard: Address }

/** Output that reached the recipient; null if no log tells it. */
export function receivedOf(order: SentOrder, logs: readonly Log[], { sender, guard }: Parties): bigint | null {
  const { recipient = sender } = order
  if (order.tokenOut !== ZERO_ADDRESS) return moved(logs, order.tokenOut, { to: recipient, from: recipient })
  if (order.wrapper === ZERO_ADDRESS) return null
  const unwrapped = unwrappedBy(guard, order.wrapper, logs)
  return unwrapped === null ? null : unwrapped - (unwrapped * order.feePpm) / PPM
}

/** Input that left the sender. */
export function spentOf(order: SentOrder, logs: readonly Log[], { sender, guard }: Parties): bigint | null {
  if (!order.isNativeIn) {
    const grown = moved(logs, order.tokenIn, { to: sender, from: sender })
    return grown === null ? null : -grown
  }
  // Native input that the Executor does not take comes back without a log, unless it was wrapped.
  if (order.tokenIn === ZERO_ADDRESS) return null
  return order.amountIn - (unwrappedBy(guard, order.tokenIn, logs) ?? 0n)
}

/** Base units of a token that came `to` an account less those that went `from` it; null without a transfer of either. */
function moved(logs: readonly Log[], token: Address, { to, from }: { to: Address; from: Address }): bigint | null {
  let sum: bigint | null = null
  for (const log of logs) {
    if (log.address !== token || log.topics.length !== 3 || log.topics[0] !== TRANSFER) continue
    const amount = wordOf(log.data)
    if (amount === null) continue
    if (accountIn(log.topics[2]!) === to) sum = (sum ?? 0n) + amount
    if (accountIn(log.topics[1]!) === from) sum = (sum ?? 0n) - amount
  }
  return sum
}

function unwrappedBy(guard: Address, wrapper: Address, logs: readonly Log[]): bigint | null {
  const amounts = logs.flatMap((log) => {
    const isOwn = log.address === wrapper && log.topics[0] === WITHDRAWAL && log.topics.length === 2
    return isOwn && accountIn(log.topics[1]!) === guard ? (wordOf(log.data) ?? []) : []
  })
  return amounts.length === 0 ? null : amounts.reduce((sum, amount) => sum + amount)
}

function wordOf(data: string): bigint | null {
  return data.length === 66 ? BigInt(data) : null
}
