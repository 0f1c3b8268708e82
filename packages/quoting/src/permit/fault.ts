/** The reason why a permission does not let the Guard draw what a swap takes. */
import type { Address, Hex } from '@sluice/chains'
import type { BlockHeader, Rpc } from '@sluice/rpc'
import { dataSlice } from 'ethers'
import { asOwned, PERMIT2, type Permit, permit2Abi, type Reader, readerAt, tokenAbi } from './permit.ts'

export type Draw = {
  readonly token: Address
  readonly owner: Address
  /** `0x` for an account that signs by its key. */
  readonly ownerCode: Hex
  readonly spender: Address
  /** Base units. */
  readonly amount: bigint
  readonly block: BlockHeader
  readonly signal: AbortSignal
}

export type PermitFault = {
  /** The part of the permission that is wrong. */
  readonly field: `permit.${keyof Permit}`
  readonly message: string
}

/**
 * The part of a permission that is wrong at the block; undefined where it holds, or is not needed: the allowance may be there
 * already, as it is when somebody else has used the signature.
 *
 * @throws RpcError
 */
export async function permitFault(rpc: Rpc, permit: Permit, draw: Draw): Promise<PermitFault | undefined> {
  const { block, signal, ownerCode } = draw
  const owned = asOwned(permit, ownerCode)
  if (!owned) return { field: 'permit.signature', message: 'permit.signature must be r, s of the lower half, and v' }
  const reader = readerAt(rpc, { blockHash: block.hash }, { signal })
  return owned.kind === 'permit2' ? permit2Fault(reader, owned, draw) : tokenFault(reader, owned, draw)
}

async function tokenFault(reader: Reader, permit: Permit, draw: Draw): Promise<PermitFault | undefined> {
  const { token, owner, spender, amount } = draw
  const [allowance, nonces, works] = await Promise.all([
    reader.read(tokenAbi, token, 'allowance', owner, spender),
    reader.read(tokenAbi, token, 'nonces', owner),
    reader.works(spender, token, tokenCall(permit, draw)),
  ])
  if (allowance && (allowance[0] as bigint) >= amount) return undefined
  if (!nonces) return { field: 'permit.kind', message: 'permit.kind: src has no permit of its own; permit2 may serve' }
  const fault = common(permit, draw, nonces[0] as bigint, permit.kind !== 'dai')
  if (fault || works) return fault
  return { field: 'permit.signature', message: 'permit.signature: src refuses it' }
}

async function permit2Fault(reader: Reader, permit: Permit, draw: Draw): Promise<PermitFault | undefined> {
  const { token, owner, spender, amount, block } = draw
  const { nonce, deadline, signature } = permit
  const details = { token, amount: permit.amount, expiration: deadline, nonce }
  const single = { details, spender, sigDeadline: deadline }
  const [allowance, granted, works] = await Promise.all([
    reader.read(tokenAbi, token, 'allowance', owner, PERMIT2),
    reader.read(permit2Abi, PERMIT2, 'allowance', owner, token, spender),
    reader.works(spender, PERMIT2, permit2Abi.encodeFunctionData('permit', [owner, single, signature])),
  ])
  if (!granted) return { field: 'permit.kind', message: 'permit.kind: there is no Permit2 on this chain' }
  if (!allowance || (allowance[0] as bigint) < amount)
    return { field: 'permit.kind', message: 'permit.kind: the owner has not approved Permit2 for so much of src' }
  const [already, until, next] = granted as [bigint, bigint, bigint]
  if (already >= amount && until >= BigInt(block.timestamp)) return undefined
  const fault = common(permit, draw, next, true)
  if (fault || works) return fault
  return { field: 'permit.signature', message: 'permit.signature: Permit2 refuses it' }
}

function common(
  { deadline, nonce, amount }: Permit,
  draw: Draw,
  next: bigint,
  isLimited: boolean,
): PermitFault | undefined {
  const { timestamp } = draw.block
  if (deadline < BigInt(timestamp))
    return { field: 'permit.deadline', message: `permit.deadline has passed: the block is of ${timestamp}` }
  if (nonce !== next)
    return { field: 'permit.nonce', message: `permit.nonce is ${nonce}, and the owner's next one is ${next}` }
  if (isLimited && amount < draw.amount)
    return { field: 'permit.amount', message: `permit.amount is less than the ${draw.amount} that the swap takes` }
  return undefined
}

function tokenCall({ kind, amount, nonce, deadline, signature }: Permit, { owner, spender }: Draw): string {
  const [r, s, v] = [dataSlice(signature, 0, 32), dataSlice(signature, 32, 64), dataSlice(signature, 64, 65)]
  return kind === 'dai'
    ? tokenAbi.encodeFunctionData(DAI_PERMIT, [owner, spender, nonce, deadline, true, v, r, s])
    : tokenAbi.encodeFunctionData(EIP2612_PERMIT, [owner, spender, amount, deadline, v, r, s])
}

const EIP2612_PERMIT = 'permit(address,address,uint256,uint256,uint8,bytes32,bytes32)'
const DAI_PERMIT = 'permit(address,address,uint256,uint256,bool,uint8,bytes32,bytes32)'
