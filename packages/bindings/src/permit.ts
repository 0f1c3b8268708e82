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

/** EIP-2612, DAI's form of it, and Permit2, by the Guard's own numbers of them. */
export const permitKinds = ['eip2612', 'dai', 'permit2'] as const
/** Permit2 keeps its numbers in so many bits. */
export const PERMIT2_BITS = { amount: 160n, nonce: 48n, deadline: 48n } as const

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
    const kept = { amount, nonce, deadline }
    for (const name of ['amount', 'nonce', 'deadline'] as const)
      if (kept[name] >> PERMIT2_BITS[name] !== 0n) throw refused(`permit.${name}`, kept[name])
  }
  const isKept = kind === 'permit2' ? permit.asIs || !isPlain(signature) : permit.asIs && signature.length === WHOLE
  const plain = isKept ? signature : Signature.from(signature).serialized
  return { kind: BigInt(permitKinds.indexOf(kind)), amount, nonce, deadline, signature: plain }
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
  const name = permitKinds[Number(kind)]
  if (name === 'dai') return { kind: name, nonce: BigInt(nonce), ...common }
  if (name === 'eip2612') return { kind: name, amount: BigInt(amount), ...common }
  if (name === 'permit2') return { kind: name, amount: BigInt(amount), nonce: BigInt(nonce), ...common }
  throw new TypeError('the permit is of no known kind')
}

function refused(argument: string, value: unknown): Error {
  return makeError(`no value of ${argument}`, 'INVALID_ARGUMENT', { argument, value })
}
