/**
 * The few calls that a client makes and reads, packed and unpacked by hand so that it carries no ABI library. The tests
 * hold each against the compiler's own bindings.
 */
import { ClientError } from './errors.ts'
import type { Hex } from './types.ts'

/** First four bytes of the hash of each signature. */
export const selectors = {
  /** allowance(address owner, address spender) */
  allowance: '0xdd62ed3e',
  /** approve(address spender, uint256 amount) */
  approve: '0x095ea7b3',
  /** swap(Order, bytes) of the Guard */
  swap: '0xc36fe120',
} as const satisfies Record<string, Hex>

/** Hex digits of a 32-byte word. */
const WORD = 64
const ORDER_WORDS = 10

export function encodeCall(selector: Hex, ...values: readonly (bigint | string)[]): Hex {
  const words = values.map((value) => (typeof value === 'bigint' ? value.toString(16) : value.slice(2).toLowerCase()))
  return `${selector}${words.map((digits) => digits.padStart(WORD, '0')).join('')}`
}

/** The Guard's `swap` as its caller wrote it. Amounts in base units; the zero address is the native token. */
export type GuardOrder = {
  readonly tokenIn: Hex
  readonly amountIn: bigint
  readonly tokenOut: Hex
  readonly minOutput: bigint
  /** Unix seconds. */
  readonly deadline: bigint
  readonly executor: Hex
  readonly wrapper: Hex
  readonly feePpm: bigint
  readonly feeRecipient: Hex
  readonly direct: boolean
  /** What the Executor runs. */
  readonly program: Hex
}

/** @throws ClientError `UNSAFE` for anything but the plain encoding of a `swap` */
export function decodeSwap(data: string): GuardOrder {
  if (!/^0x([0-9a-fA-F]{2})+$/.test(data) || data.slice(0, 10).toLowerCase() !== selectors.swap)
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
  const direct = word(9)
  const offset = word(ORDER_WORDS)
  const length = Number(word(ORDER_WORDS + 1))
  const start = (ORDER_WORDS + 2) * WORD
  const program = body.slice(start, start + 2 * length)
  if (direct > 1n || offset !== BigInt((ORDER_WORDS + 1) * 32) || program.length !== 2 * length)
    throw new ClientError('UNSAFE', 'the calldata is not encoded as the compiler does')
  return {
    tokenIn: address(0),
    amountIn: word(1),
    tokenOut: address(2),
    minOutput: word(3),
    deadline: word(4),
    executor: address(5),
    wrapper: address(6),
    feePpm: word(7),
    feeRecipient: address(8),
    direct: direct === 1n,
    program: `0x${program}`,
  }
}
