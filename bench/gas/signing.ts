/** Signs permits instead of approvals, and prepares the chain for them. */
import { type Abi, type Hex, maxUint256, parseAbi } from 'viem'
import type { Node } from './node.ts'
import { AMOUNT, DEADLINE, type Router } from './scenarios.ts'
import { PERMIT2, type World } from './world.ts'

export const permit2Abi = parseAbi([
  'function approve(address token, address spender, uint160 amount, uint48 expiration)',
  'function allowance(address owner, address token, address spender) view returns (uint160, uint48, uint48)',
]) as Abi
const permitAbi = parseAbi(['function permit(address,address,uint256,uint256,uint8,bytes32,bytes32)']) as Abi
const noncesAbi = parseAbi(['function nonces(address) view returns (uint256)']) as Abi
const chainId = 31_337

/**
 * Prepares a swap with a signed approval. Token `a` gets code with EIP-2612 permits. The router's approval is revoked,
 * and Permit2 keeps its approval. As after earlier signatures, nonces are not zero and Permit2's allowance has expired.
 */
export async function revokeApprovals(
  node: Node,
  { a, tokenAbi, permitTokenCode }: World,
  { spender, permit2Spender = spender }: Router,
) {
  await node.rpc('anvil_setCode', [a, permitTokenCode])
  await node.write(tokenAbi, a, 'approve', [spender, 0n], node.user)
  await node.write(tokenAbi, a, 'approve', [PERMIT2, maxUint256], node.user)
  await node.write(permit2Abi, PERMIT2, 'approve', [a, permit2Spender, 0n, 1], node.user)
  // The first permit of an owner pays for the new storage slot of the nonce. So it is sent here, for another spender.
  const args = [node.user, node.user, 0n, DEADLINE, ...splitSignature(await signPermit(node, a, node.user, 0n))]
  await node.write(permitAbi, a, 'permit', args, node.user)
}

/** Signs an EIP-2612 permit. */
export async function signPermit(node: Node, token: Hex, spender: Hex, value = AMOUNT): Promise<Hex> {
  return node.sign({
    account: node.user,
    domain: { chainId, verifyingContract: token },
    primaryType: 'Permit',
    types: {
      Permit: [
        { name: 'owner', type: 'address' },
        { name: 'spender', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'nonce', type: 'uint256' },
        { name: 'deadline', type: 'uint256' },
      ],
    },
    message: {
      owner: node.user,
      spender,
      value,
      nonce: await node.read<bigint>(noncesAbi, token, 'nonces', [node.user]),
      deadline: DEADLINE,
    },
  })
}

/** Signs a `PermitSingle` of Permit2. Returns it with its nonce and signature. */
export async function signPermit2(node: Node, token: Hex, spender: Hex) {
  const [, , nonce] = await node.read<[bigint, number, number]>(permit2Abi, PERMIT2, 'allowance', [
    node.user,
    token,
    spender,
  ])
  const details = { token, amount: AMOUNT, expiration: Number(DEADLINE), nonce }
  const single = { details, spender, sigDeadline: DEADLINE }
  const signature = await node.sign({
    account: node.user,
    domain: { name: 'Permit2', chainId, verifyingContract: PERMIT2 },
    primaryType: 'PermitSingle',
    types: {
      PermitDetails: [
        { name: 'token', type: 'address' },
        { name: 'amount', type: 'uint160' },
        { name: 'expiration', type: 'uint48' },
        { name: 'nonce', type: 'uint48' },
      ],
      PermitSingle: [
        { name: 'details', type: 'PermitDetails' },
        { name: 'spender', type: 'address' },
        { name: 'sigDeadline', type: 'uint256' },
      ],
    },
    message: single,
  })
  return { single, nonce: BigInt(nonce), signature }
}

/** Splits a signature into v, r, and s. */
export function splitSignature(signature: Hex): [v: number, r: Hex, s: Hex] {
  return [Number(`0x${signature.slice(130)}`), signature.slice(0, 66) as Hex, `0x${signature.slice(66, 130)}`]
}
