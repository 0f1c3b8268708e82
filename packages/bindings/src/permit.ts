/** A signature that lets the Guard draw a swap's input, as its contract takes it. */
import { makeError, Signature } from 'ethers'
import type { IGuard } from '../dist/index.js'

/** Permit that the sender signed so that the Guard draws the input: owner the sender, spender the Guard, token the input. */
export type GuardPermit =
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

/** By the Guard's own numbers of them. */
const PERMIT_KINDS = ['eip2612', 'dai', 'permit2'] as const
/** Permit2 counts time and nonces in so many bits, and amounts in the others. */
const PERMIT2_TIME_BITS = 48n
const PERMIT2_AMOUNT_BITS = 160n

/**
 * Permission as the Guard takes it. Tokens want 65 bytes with a last one of 27 or 28; some wallets sign with 0 or 1 there,
 * or in the 64 bytes of EIP-2098. Permit2 takes what contract wallets sign besides, as it is.
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
  const plain = kind === 'permit2' && !isPlain(signature) ? signature : Signature.from(signature).serialized
  return { kind: BigInt(PERMIT_KINDS.indexOf(kind)), amount, nonce, deadline, signature: plain }
}

/** True for a signature of one key: 64 or 65 bytes. */
function isPlain(signature: string): boolean {
  return signature.length === 2 + 2 * 64 || signature.length === 2 + 2 * 65
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
