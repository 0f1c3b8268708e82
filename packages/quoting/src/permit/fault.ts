/** Explains why a permit does not let the Guard (our entry contract) transfer the input of a swap. */
import type { Address, Hex } from '@sluice/chains'
import type { BlockHeader, Rpc } from '@sluice/rpc'
import { PERMIT2 } from '@sluice/simulation'
import { normalizePermit, type Permit, permit2Abi, type Reader, readerAt, tokenAbi, tokenPermitCall } from './permit.ts'

/** The transfer that a permit must allow, with the block at which the permit is checked. */
export type PermitUse = {
  readonly token: Address
  readonly owner: Address
  /** `0x` for an account without code, which signs with its key. */
  readonly ownerCode: Hex
  readonly spender: Address
  /** Base units. */
  readonly amount: bigint
  readonly block: BlockHeader
  readonly signal: AbortSignal
}

export type PermitFault = {
  /** The field of the permit that is wrong. */
  readonly field: `permit.${keyof Permit}`
  readonly message: string
}

/**
 * Finds the field of a permit that is wrong at the block. Returns undefined if the permit is valid, or not needed. It
 * is not needed if the allowance exists already, for example because somebody else submitted the permit.
 *
 * @throws RpcError if the node fails
 */
export async function findPermitFault(rpc: Rpc, permit: Permit, use: PermitUse): Promise<PermitFault | undefined> {
  const { block, signal, ownerCode } = use
  const normalizedPermit = normalizePermit(permit, ownerCode)
  if (!normalizedPermit)
    return { field: 'permit.signature', message: 'permit.signature must be r, s of the lower half, and v' }
  const reader = readerAt(rpc, { blockHash: block.hash }, { signal })
  return normalizedPermit.kind === 'permit2'
    ? findPermit2Fault(reader, normalizedPermit, use)
    : findTokenFault(reader, normalizedPermit, use)
}

async function findTokenFault(reader: Reader, permit: Permit, use: PermitUse): Promise<PermitFault | undefined> {
  const { token, owner, spender, amount } = use
  const [allowance, nonces, succeeds] = await Promise.all([
    reader.read(tokenAbi, token, 'allowance', owner, spender),
    reader.read(tokenAbi, token, 'nonces', owner),
    reader.succeeds(spender, token, tokenPermitCall(permit, use)),
  ])
  if (allowance && (allowance[0] as bigint) >= amount) return undefined
  if (!nonces) return { field: 'permit.kind', message: 'permit.kind: src has no permit of its own; permit2 may serve' }
  const fault = findCommonFault(permit, use, nonces[0] as bigint, permit.kind !== 'dai')
  if (fault || succeeds) return fault
  return { field: 'permit.signature', message: 'permit.signature: src refuses it' }
}

async function findPermit2Fault(reader: Reader, permit: Permit, use: PermitUse): Promise<PermitFault | undefined> {
  const { token, owner, spender, amount, block } = use
  const { nonce, deadline, signature } = permit
  const details = { token, amount: permit.amount, expiration: deadline, nonce }
  const single = { details, spender, sigDeadline: deadline }
  const [allowance, permit2Allowance, succeeds] = await Promise.all([
    reader.read(tokenAbi, token, 'allowance', owner, PERMIT2),
    reader.read(permit2Abi, PERMIT2, 'allowance', owner, token, spender),
    reader.succeeds(spender, PERMIT2, permit2Abi.encodeFunctionData('permit', [owner, single, signature])),
  ])
  if (!permit2Allowance) return { field: 'permit.kind', message: 'permit.kind: there is no Permit2 on this chain' }
  if (!allowance || (allowance[0] as bigint) < amount)
    return { field: 'permit.kind', message: 'permit.kind: the owner has not approved Permit2 for so much of src' }
  const [allowedAmount, expiration, nextNonce] = permit2Allowance as [bigint, bigint, bigint]
  if (allowedAmount >= amount && expiration >= BigInt(block.timestamp)) return undefined
  const fault = findCommonFault(permit, use, nextNonce, true)
  if (fault || succeeds) return fault
  return { field: 'permit.signature', message: 'permit.signature: Permit2 refuses it' }
}

/** Checks the fields that all kinds of permits have; the amount only if `hasAmount`. */
function findCommonFault(
  { deadline, nonce, amount }: Permit,
  use: PermitUse,
  nextNonce: bigint,
  hasAmount: boolean,
): PermitFault | undefined {
  const { timestamp } = use.block
  if (deadline < BigInt(timestamp))
    return { field: 'permit.deadline', message: `permit.deadline has passed: the block is of ${timestamp}` }
  if (nonce !== nextNonce)
    return { field: 'permit.nonce', message: `permit.nonce is ${nonce}, and the owner's next one is ${nextNonce}` }
  if (hasAmount && amount < use.amount)
    return { field: 'permit.amount', message: `permit.amount is less than the ${use.amount} that the swap takes` }
  return undefined
}
