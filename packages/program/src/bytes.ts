/** Writer and reader of bytes as hex text. */
import { ProgramError } from './errors.ts'

type Hex = `0x${string}`

/** Appends numbers (big-endian), addresses, and words. */
export class ByteWriter {
  #hex = ''

  /** Appends a number. @throws ProgramError `INVALID_STEP` if the value does not fit */
  uint(value: bigint | number, bytes: number, name: string): this {
    const number = BigInt(value)
    if (number < 0n || number >> BigInt(bytes * 8) !== 0n)
      throw new ProgramError('INVALID_STEP', `${name} must fit ${bytes} bytes, not ${number}`)
    this.#hex += number.toString(16).padStart(bytes * 2, '0')
    return this
  }

  address(value: string, name: string): this {
    if (!/^0x[0-9a-f]{40}$/.test(value))
      throw new ProgramError('INVALID_STEP', `${name} must be 20 bytes of lower-case hex, not ${value.slice(0, 60)}`)
    this.#hex += value.slice(2)
    return this
  }

  bytes32(value: string, name: string): this {
    if (!/^0x[0-9a-f]{64}$/.test(value))
      throw new ProgramError('INVALID_STEP', `${name} must be 32 bytes of lower-case hex, not ${value.slice(0, 80)}`)
    this.#hex += value.slice(2)
    return this
  }

  toHex(): Hex {
    return `0x${this.#hex}`
  }
}

/**
 * Reads bytes that ByteWriter wrote, from the start. Its methods throw ProgramError `INVALID_PROGRAM` if fewer bytes
 * remain than they read.
 */
export class ByteReader {
  readonly #hex: string
  #position = 0

  /** @throws ProgramError `INVALID_PROGRAM` if `hex` is not `0x` and an even number of hex digits */
  constructor(hex: string) {
    if (!/^0x([0-9a-fA-F]{2})*$/.test(hex)) throw new ProgramError('INVALID_PROGRAM', 'a program is whole bytes of hex')
    this.#hex = hex.slice(2).toLowerCase()
  }

  /** True if all bytes have been read. */
  get isDone(): boolean {
    return this.#position === this.#hex.length
  }

  /** Number of bytes read so far. */
  get offset(): number {
    return this.#position / 2
  }

  /** Returns the next bytes as hex digits without 0x. */
  takeHex(bytes: number): string {
    const end = this.#position + bytes * 2
    if (end > this.#hex.length)
      throw new ProgramError(
        'INVALID_PROGRAM',
        `a step ends at byte ${end / 2} of a program of ${this.#hex.length / 2}`,
      )
    const hexDigits = this.#hex.slice(this.#position, end)
    this.#position = end
    return hexDigits
  }

  /** Reads a big-endian number of `bytes` bytes. */
  uint(bytes: number): bigint {
    return BigInt(`0x${this.takeHex(bytes)}`)
  }

  /** Like `uint`, for numbers of at most 6 bytes. */
  number(bytes: number): number {
    return Number(this.uint(bytes))
  }

  bytes32(): Hex {
    return `0x${this.takeHex(32)}`
  }

  address(): Hex {
    return `0x${this.takeHex(20)}`
  }
}
