/**
 * The few calls that a client makes and reads, packed and unpacked by hand so that it carries no ABI library. The tests
 * hold each against the compiler's own bindings.
 */
import { ClientError } from './errors.ts'
import { decodePermitSwap, type GuardPermit, isPermitSwap } from './permit-abi.ts'
import type { Hex } from './types.ts'

/** First four bytes of the hash of each signature. */
export const selectors = {
  /** allowance(address owner, address spender) */
  allowance: '0xdd62ed3e',
  /** approve(address spender, uint256 amount) */
  approve: '0x095ea7b3',
  /** decimals() */
  decimals: '0x313ce567',
  /** swap(uint256 amountIn, Order, bytes program) of the Guard */
  swap: '0x2dfcad76',
  /** swapNative(Order, bytes program) of the Guard */
  swapNative: '0x3293da90',
  /** swapWithPayout(uint256 amountIn, Order, Payout, bytes program) of the Guard */
  swapWithPayout: '0xe4c31100',
  /** swapDirect(uint256 amountIn, Order, bytes program) of the Guard */
  swapDirect: '0xf8eb9211',
  /** swapWithPermit(uint256 amountIn, Order, Permit, Payout, bytes program) of the Guard */
  swapWithPermit: '0x6c816f3c',
  /** swapDirectWithPermit(uint256 amountIn, Order, Permit, bytes program) of the Guard */
  swapDirectWithPermit: '0x431c1655',
  /** Of EIP-2612 tokens. */
  nonces: '0x7ecebe00',
  domainSeparator: '0x3644e515',
  permitTypehash: '0x30adf81f',
  name: '0x06fdde03',
  version: '0x54fd4d50',
} as const satisfies Record<string, Hex>

/** Hex digits of a 32-byte word. */
const WORD = 64
const ORDER_WORDS = 5
const PAYOUT_WORDS = 3
const ZERO: Hex = `0x${'0'.repeat(40)}`

export function encodeCall(selector: Hex, ...values: readonly (bigint | string)[]): Hex {
  const words = values.map((value) => (typeof value === 'bigint' ? value.toString(16) : value.slice(2).toLowerCase()))
  return `${selector}${words.map((digits) => digits.padStart(WORD, '0')).join('')}`
}

/** A swap of the Guard as its caller wrote it. Amounts in base units; the zero address is the native token. */
export type GuardOrder = {
  /** Token given. Where value comes with the call: the wrapper in which the Guard lends it, or zero. */
  readonly tokenIn: Hex
  /** The value that comes with the call where the calldata does not say it. */
  readonly amountIn: bigint
  readonly tokenOut: Hex
  readonly minOutput: bigint
  /** Unix seconds. */
  readonly deadline: bigint
  readonly executor: Hex
  /** What the Guard unwraps of native output. */
  readonly wrapper: Hex
  readonly feePpm: bigint
  readonly feeRecipient: Hex
  readonly direct: boolean
  /** What the Executor runs. */
  readonly program: Hex
  /** A signature that comes with it. */
  readonly permit?: GuardPermit
}

/**
 * Reads a swap of the Guard.
 *
 * @param value - wei that come with the call
 * @throws ClientError `UNSAFE` for anything but the plain encoding of one of the Guard's swaps
 */
export function decodeSwap(data: string, value: bigint): GuardOrder {
  if (typeof data !== 'string') throw new ClientError('UNSAFE', 'the calldata is no text')
  const selector = data.slice(0, 10).toLowerCase()
  if (value === 0n && isPermitSwap(selector)) return decodePermitSwap(data)
  const { swap, swapNative, swapWithPayout, swapDirect } = selectors
  const known: readonly string[] = [swap, swapNative, swapWithPayout, swapDirect]
  if (!/^0x([0-9a-fA-F]{2})+$/.test(data) || !known.includes(selector))
    throw new ClientError('UNSAFE', 'the calldata is no swap of the Guard')
  const body = data.slice(10).toLowerCase()
  const word = (index: number): bigint => {
    const digits = body.slice(index * WORD, (index + 1) * WORD)
    if (digits.length !== WORD) throw new ClientError('UNSAFE', 'the calldata is cut off')
    return BigInt(`0x${digits}`)
  }
  const address = (index: number): Hex => {
    const value = word(index)
    if (value >> 160n !== 0n) throw new ClientError('UNSAFE', `word ${index} of the calldata is no address`)
    return `0x${value.toString(16).padStart(40, '0')}`
  }
  const hasPayout = selector === swapWithPayout
  const order = selector === swapNative ? 0 : 1
  const payout = order + ORDER_WORDS
  const end = payout + (hasPayout ? PAYOUT_WORDS : 0)
  const length = word(end + 1)
  const start = (end + 2) * WORD
  // The program ends the calldata, filled up to a whole word with zeros.
  const digits = 2 * Number(length)
  const program = body.slice(start, start + digits)
  const canonical =
    word(end) === BigInt((end + 1) * 32) &&
    body.length === start + Math.ceil(digits / WORD) * WORD &&
    /^0*$/.test(body.slice(start + digits))
  if (!canonical) throw new ClientError('UNSAFE', 'the calldata is not encoded as the compiler does')
  const amountIn = selector === swapNative ? value : word(0)
  // What swapWithPayout pays for: without a wrapper and a fee the service calls a plainer function.
  if (hasPayout && word(payout) === 0n && word(payout + 1) === 0n)
    throw new ClientError('UNSAFE', 'the calldata names a payout that pays nothing')
  if (hasPayout && (word(payout + 1) === 0n) !== (word(payout + 2) === 0n))
    throw new ClientError('UNSAFE', 'the calldata names a fee without its recipient, or a recipient without a fee')
  if (hasPayout && word(payout) !== 0n && (word(order + 1) !== 0n || value > 0n))
    throw new ClientError('UNSAFE', 'the calldata names a wrapper of native output without such output')
  const fits = selector === swap ? value === 0n : value === amountIn || (value === 0n && selector !== swapNative)
  if (!fits) throw new ClientError('UNSAFE', `${value} wei come with a swap that takes another value`)
  return {
    tokenIn: address(order),
    amountIn,
    tokenOut: address(order + 1),
    minOutput: word(order + 2),
    deadline: word(order + 3),
    executor: address(order + 4),
    wrapper: hasPayout ? address(payout) : ZERO,
    feePpm: hasPayout ? word(payout + 1) : 0n,
    feeRecipient: hasPayout ? address(payout + 2) : ZERO,
    direct: selector === swapDirect,
    program: `0x${program}`,
  }
}
