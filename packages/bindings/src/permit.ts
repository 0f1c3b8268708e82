/** A signature that lets the Guard draw a swap's input, as its contract takes it. */
import { makeError, Signature } from 'ethers'
import type { IGuard } from '../dist/index.js'

type PermitForm =
  /** EIP-2612's `Permit`. */
  | { readonly kind: 'eip2612'; readonly amount: bigint; readonly deadline: bigint; readonly signature: string }
  /** DAI's `Permit`, with `allowed` true; `deadline` is its `expiry`. */
  | { readonly kind: 'dai'; readonly nonce: bigint; readonly deadline: bigint; readonly signature: string }
  /** Permit2's `PermitSingle`, with `deadline` as both `expiration` and `sigDeadline`. */
  | {
      readonly kind: 'permit2'
      readonly amount: bigint
      readonly nonce: bigint
      readonly deadline: bigint
      /** Empty, `0x`, where the allowance at Permit2 is there already. */
      readonly signature: string
    }

/** Permit that the sender signed so that the Guard draws the input: owner the sender, spender the Guard, token the input. */
export type GuardPermit = PermitForm & {
  /** True where the owner is a contract, whose signature is for it alone to read: passed on byte for byte. */
  readonly asIs?: boolean
}

/** By the Guard's own numbers of them. */
const PERMIT_KINDS = ['eip2612', 'dai', 'permit2'] as const
/** Permit2 counts time and nonces in so many bits, and amounts in the others. */
const PERMIT2_TIME_BITS = 48n
const PERMIT2_AMOUNT_BITS = 160n

/**
 * Permission as the Guard takes it. Tokens want 65 bytes with a last one of 27 or 28; some wallets sign with 0 or 1 there,
 * or in the 64 bytes of EIP-2098. What contracts sign stays as it is: 65 bytes of a Safe end with 0, 1, 31 or 32 too. Permit2
 * takes any length of it.
 */
export function permitStruct(permit: GuardPermit): IGuard.PermitStruct {
  const { kind, deadline, signature } = permit
  const amount = kind === 'dai' ? 0n : permit.amount
  const nonce = kind === 'eip2612' ? 0n : permit.nonce
  if (kind === 'permit2') {
    if (amount >> PERMIT2_AMOUNT_BITS !== 0n) throw refused('permit.amount', amount)
    if (nonce >> PERMIT2_TIME_BITS !== 0n) throw refused('permit.nonce', nonce)
    if (deadline >> PERMIT2_TIME_BITS !== 0n) throw refused('permit.deadline', deadline)
  }
  const isKept = kind === 'permit2' ? permit.asIs || !isPlain(signature) : permit.asIs && signature.length === WHOLE
  const plain = isKept ? signature : Signature.from(signature).serialized
  return { kind: BigInt(PERMIT_KINDS.indexOf(kind)), amount, nonce, deadline, signature: plain }
}

/** Digits of r, s and v. */
const WHOLE = 2 + 2 * 65

/** True for a signature of one key: 64 or 65 bytes. */
function isPlain(signature: string): boolean {
  return signature.length === 2 + 2 * 64 || signature.length === WHOLE
}

/** @throws TypeError for a kind that there is not */
export function readPermit({ kind, amount, nonce, deadline, signature }: IGuard.PermitStruct): GuardPermit {
  const common = { deadline: BigInt(deadline), signature: String(signature) }
  const name = PERMIT_KINDS[Number(kind)]
  if (name === 'dai') return { kind: name, nonce: BigInt(nonce), ...common }
  if (name === 'eip2612') return { kind: name, amount: BigInt(amount), ...common }
  if (name === 'permit2') return { kind: name, amount: BigInt(amount), nonce: BigInt(nonce), ...common }
  throw new TypeError('the permit is of no known kind')
}

function refused(argument: string, value: unknown): Error {
  return makeError(`no value of ${argument}`, 'INVALID_ARGUMENT', { argument, value })
}
