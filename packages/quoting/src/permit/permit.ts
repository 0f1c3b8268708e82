/** Signatures that let the Guard draw the input of a swap: owner the sender, spender the Guard. */
import { IPermit2__factory } from '@sluice/bindings'
import type { GuardPermit } from '@sluice/bindings/guard'
import { type Address, type Hex, toAddress } from '@sluice/chains'
import { type BlockRef, type RequestOptions, type Rpc, RpcError } from '@sluice/rpc'
import { Interface, Signature } from 'ethers'

export type PermitKind = GuardPermit['kind']

export type Permit = {
  readonly kind: PermitKind
  /** Base units that were signed for; of no meaning for DAI's form, which knows no limit. */
  readonly amount: bigint
  /** The owner's next one at the token, or at Permit2 for token and spender. */
  readonly nonce: bigint
  /** Unix seconds. */
  readonly deadline: bigint
  readonly signature: Hex
  /** True where a contract signed: its bytes are for it alone to read. */
  readonly asIs?: boolean
}

/** Digits of r, s and v. */
const WHOLE = 2 + 2 * 65
/** Code of an account that has set it by EIP-7702 and keeps its key. */
const DELEGATED = /^0xef0100[0-9a-f]{40}$/i

/**
 * The permission as its owner makes it: a key's signature is written as tokens read it, a contract's (ERC-1271) is left alone. An
 * account with a key and code may sign by either.
 *
 * @returns undefined for a signature that neither its key nor its code can have made
 */
export function asOwned(permit: Permit, ownerCode: Hex): Permit | undefined {
  const { kind, signature } = permit
  // Tokens take no other length.
  const asIs =
    ownerCode !== '0x' && (kind === 'permit2' || signature.length === WHOLE) ? { ...permit, asIs: true } : undefined
  if (asIs && !DELEGATED.test(ownerCode)) return asIs
  try {
    return { ...permit, signature: Signature.from(signature).serialized as Hex }
  } catch {
    return asIs
  }
}

/** The same on every chain that has it. */
export const PERMIT2 = toAddress('0x000000000022D473030F116dDEE9F6B43aC78BA3')

export const tokenAbi = new Interface([
  'function allowance(address owner, address spender) view returns (uint256)',
  'function approve(address spender, uint256 amount) returns (bool)',
  'function nonces(address owner) view returns (uint256)',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function PERMIT_TYPEHASH() view returns (bytes32)',
  'function name() view returns (string)',
  'function version() view returns (string)',
  'function eip712Domain() view returns (bytes1 fields, string name, string version, uint256 chainId, address verifyingContract, bytes32 salt, uint256[] extensions)',
  'function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
  'function permit(address holder, address spender, uint256 nonce, uint256 expiry, bool allowed, uint8 v, bytes32 r, bytes32 s)',
])
export const permit2Abi = IPermit2__factory.createInterface()

/** A token that needs more for an answer is up to something. */
const READ_GAS = 1_000_000n
/** The checks of contract wallets are long. */
const PERMIT_GAS = 3_000_000n

export type Reader = {
  /** Answer of a function without the ABI's names; undefined where it reverts or answers otherwise. */
  readonly read: (
    abi: Interface,
    to: Address,
    name: string,
    ...values: readonly unknown[]
  ) => Promise<unknown[] | undefined>
  /** True where a call by this account goes through. */
  readonly works: (from: Address, to: Address, data: string) => Promise<boolean>
}

/** Reads contracts that nobody vouches for, at one block. */
export function readerAt(rpc: Rpc, block: BlockRef, options: RequestOptions): Reader {
  return {
    async read(abi, to, name, ...values) {
      const data = abi.encodeFunctionData(name, values) as Hex
      const answer = await rpc.call({ to, data, gas: READ_GAS }, block, options).catch(undefinedIfReverted)
      if (answer === undefined) return undefined
      try {
        return abi.decodeFunctionResult(name, answer).toArray()
      } catch {
        return undefined
      }
    },
    async works(from, to, data) {
      return (
        (await rpc
          .call({ from, to, data: data as Hex, gas: PERMIT_GAS }, block, options)
          .catch(undefinedIfReverted)) !== undefined
      )
    },
  }
}

/** Answer of a call that reverts; every other failure is the caller's. */
export function undefinedIfReverted(error: unknown): undefined {
  if (error instanceof RpcError && error.code === 'REVERTED') return undefined
  throw error
}
