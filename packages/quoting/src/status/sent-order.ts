/**
 * Decodes swaps that were sent to the Guard (our entry contract), and computes their inputs and outputs from the logs
 * of their receipts.
 */
import { IGuard__factory } from '@sluice/bindings'
import { type Address, type Hex, PPM, toAddress, wordOf, ZERO_ADDRESS } from '@sluice/chains'
import type { Interface } from 'ethers'
import { accountIn, TRANSFER, WITHDRAWAL } from '../topics.ts'

/** A log of a receipt. */
type Log = { readonly address: Address; readonly topics: readonly Hex[]; readonly data: Hex }

/** A swap as the Guard's calldata encodes it; the zero address stands for the native token. */
export type SentOrder = {
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly amountIn: bigint
  readonly minOutput: bigint
  readonly deadline: number
  readonly feePpm: bigint
  /** Account that receives the output; undefined if it is the sender. */
  readonly recipient: Address | undefined
  /** Wrapped native token that the Guard unwraps for a native output; the zero address if it unwraps nothing. */
  readonly wrappedNative: Address
  /** True if the input was sent as native value. The Guard wraps this value unless `tokenIn` is the zero address. */
  readonly isNativeIn: boolean
}

const guardAbi: Interface = IGuard__factory.createInterface()

/** Decodes the calldata of a swap. @returns undefined if it is not a swap of the Guard */
export function decodeSentOrder({
  input,
  value,
}: {
  readonly input: Hex
  readonly value: bigint
}): SentOrder | undefined {
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
    ...{
      feePpm: payout?.feePpm ?? 0n,
      wrappedNative: toAddress(payout?.wrapper ?? ZERO_ADDRESS),
      isNativeIn: value > 0n,
    },
  }
}

type Parties = { readonly sender: Address; readonly guard: Address }

/** Returns the output that reached the recipient in base units; null if no log shows it. */
export function receivedOf(order: SentOrder, logs: readonly Log[], { sender, guard }: Parties): bigint | null {
  const { recipient = sender } = order
  if (order.tokenOut !== ZERO_ADDRESS) return netTransfers(logs, order.tokenOut, recipient)
  if (order.wrappedNative === ZERO_ADDRESS) return null
  const unwrappedAmount = unwrappedBy(guard, order.wrappedNative, logs)
  return unwrappedAmount === null ? null : unwrappedAmount - (unwrappedAmount * order.feePpm) / PPM
}

/** Returns the input that left the sender in base units; null if no log shows it. */
export function spentOf(order: SentOrder, logs: readonly Log[], { sender, guard }: Parties): bigint | null {
  if (!order.isNativeIn) {
    const change = netTransfers(logs, order.tokenIn, sender)
    return change === null ? null : -change
  }
  // The Guard returns unused native input without a log, unless it was wrapped.
  if (order.tokenIn === ZERO_ADDRESS) return null
  return order.amountIn - (unwrappedBy(guard, order.tokenIn, logs) ?? 0n)
}

/** Returns the transfers of a token to an account, less those from it, in base units; null if there are none. */
function netTransfers(logs: readonly Log[], token: Address, account: Address): bigint | null {
  let sum: bigint | null = null
  for (const log of logs) {
    if (log.address !== token || log.topics.length !== 3 || log.topics[0] !== TRANSFER) continue
    const amount = wordOf(log.data)
    if (amount === null) continue
    if (accountIn(log.topics[2]!) === account) sum = (sum ?? 0n) + amount
    if (accountIn(log.topics[1]!) === account) sum = (sum ?? 0n) - amount
  }
  return sum
}

/** Returns the amount that the Guard unwrapped, in base units; null if no log shows an unwrap. */
function unwrappedBy(guard: Address, wrappedNative: Address, logs: readonly Log[]): bigint | null {
  const amounts = logs.flatMap((log) => {
    const isOwn = log.address === wrappedNative && log.topics[0] === WITHDRAWAL && log.topics.length === 2
    return isOwn && accountIn(log.topics[1]!) === guard ? (wordOf(log.data) ?? []) : []
  })
  return amounts.length === 0 ? null : amounts.reduce((sum, amount) => sum + amount)
}
