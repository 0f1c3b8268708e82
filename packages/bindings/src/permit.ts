/** Permits: signatures that allow the Guard to draw a swap's input, in the form of its contract. */
import { makeError, Signature } from 'ethers'
import type { IGuard } from '../dist/index.js'

type PermitForm =
  /** `Permit` of EIP-2612. */
  | { readonly kind: 'eip2612'; readonly amount: bigint; readonly deadline: bigint; readonly signature: string }
  /** DAI's `Permit` with `allowed` true; `deadline` is its `expiry`. */
  | { readonly kind: 'dai'; readonly nonce: bigint; readonly deadline: bigint; readonly signature: string }
  /** Permit2's `PermitSingle`, with `deadline` as both `expiration` and `sigDeadline`. */
  | {
      readonly kind: 'permit2'
      readonly amount: bigint
      readonly nonce: bigint
      readonly deadline: bigint
      /** Empty (`0x`) if the allowance at Permit2 already exists. */
      readonly signature: string
    }

/** A permit for the input token, from the sender as owner to the Guard as spender. */
export type SignedPermit = PermitForm & {
  /** True if the owner is a contract, whose signature must not be normalized. */
  readonly asIs?: boolean
}

/** Kinds of permits; the index is the Guard's number of the kind. */
export const permitKinds = ['eip2612', 'dai', 'permit2'] as const
/** Number of bits of Permit2's integers. */
export const PERMIT2_BITS = { amount: 160n, nonce: 48n, deadline: 48n } as const

/**
 * Converts a permit to the Guard's struct. Tokens require 65 bytes that end with 27 or 28, but some wallets end with 0
 * or 1, or use the 64 bytes of EIP-2098. Contract signatures stay unchanged, since 65 bytes of a Safe can also end with
 * 0, 1, 31, or 32. Permit2 accepts contract signatures of any length.
 *
 * @throws ethers' INVALID_ARGUMENT if a number does not fit Permit2's bits, or the signature is invalid
 */
export function toPermitStruct(permit: SignedPermit): IGuard.PermitStruct {
  const { kind, deadline, signature } = permit
  const amount = kind === 'dai' ? 0n : permit.amount
  const nonce = kind === 'eip2612' ? 0n : permit.nonce
  if (kind === 'permit2') {
    const packed = { amount, nonce, deadline }
    for (const name of ['amount', 'nonce', 'deadline'] as const)
      if (packed[name] >> PERMIT2_BITS[name] !== 0n) throw invalidValueError(`permit.${name}`, packed[name])
  }
  const isUnchanged =
    kind === 'permit2'
      ? permit.asIs || !hasKeySignatureLength(signature)
      : permit.asIs && signature.length === KEY_SIGNATURE_CHARS
  const sentSignature = isUnchanged ? signature : Signature.from(signature).serialized
  return { kind: BigInt(permitKinds.indexOf(kind)), amount, nonce, deadline, signature: sentSignature }
}

/** Hex length of r, s, and v, with prefix. */
const KEY_SIGNATURE_CHARS = 2 + 2 * 65

/** Returns true for the length of a single key's signature: 64 or 65 bytes. */
function hasKeySignatureLength(signature: string): boolean {
  return signature.length === 2 + 2 * 64 || signature.length === KEY_SIGNATURE_CHARS
}

/**
 * Converts the Guard's struct to a permit.
 *
 * @throws TypeError if the kind is unknown
 */
export function readPermit({ kind, amount, nonce, deadline, signature }: IGuard.PermitStruct): SignedPermit {
  const common = { deadline: BigInt(deadline), signature: String(signature) }
  const name = permitKinds[Number(kind)]
  if (name === 'dai') return { kind: name, nonce: BigInt(nonce), ...common }
  if (name === 'eip2612') return { kind: name, amount: BigInt(amount), ...common }
  if (name === 'permit2') return { kind: name, amount: BigInt(amount), nonce: BigInt(nonce), ...common }
  throw new TypeError('the permit is of no known kind')
}

function invalidValueError(argument: string, value: unknown): Error {
  return makeError(`no value of ${argument}`, 'INVALID_ARGUMENT', { argument, value })
}
