/**
 * Permits: signatures that let the Guard, our entry contract, transfer the input of a swap from the sender. The sender
 * is the owner, and the Guard is the spender.
 */
import { IPermit2__factory } from '@sluice/bindings'
import type { SignedPermit } from '@sluice/bindings/guard'
import type { Address, Hex } from '@sluice/chains'
import { type BlockRef, type RequestOptions, type Rpc, RpcError, type StateOverrides } from '@sluice/rpc'
import { dataSlice, Interface, Signature } from 'ethers'

export type PermitKind = SignedPermit['kind']

/** A signed permit. */
export type Permit = {
  readonly kind: PermitKind
  /** Signed amount in base units; ignored for DAI's form, which has no limit. */
  readonly amount: bigint
  /** The owner's next nonce: at the token, or at Permit2 for the token and spender. */
  readonly nonce: bigint
  /** Unix time in seconds. */
  readonly deadline: bigint
  readonly signature: Hex
  /** True if a contract verifies the signature (ERC-1271), so that its bytes must not be changed. */
  readonly asIs?: boolean
}

/** A field of an EIP-712 type. */
export type TypedDataField = { readonly name: string; readonly type: string }
/** Input of `eth_signTypedData_v4`. Numbers are decimal strings. */
export type PermitTypedData = {
  readonly domain: Readonly<Record<string, string | number>>
  readonly types: Readonly<Record<string, readonly TypedDataField[]>>
  readonly primaryType: string
  readonly message: Readonly<Record<string, unknown>>
}

/** Length of a signature in hex: `0x`, then r, s, and v. */
const SIGNATURE_LENGTH = 2 + 2 * 65
/** Code of an EIP-7702 account, which can also sign with its key. */
export const DELEGATION_CODE = /^0xef0100[0-9a-f]{40}$/i

/**
 * Normalizes a permit for its owner. Converts the signature of a key to the form that tokens expect. Leaves the
 * signature of a contract (ERC-1271) unchanged. An EIP-7702 account may sign either way.
 *
 * @returns undefined if the form of the signature fits neither a key nor, for an owner with code, ERC-1271. Does not
 *   verify the signature
 */
export function normalizePermit(permit: Permit, ownerCode: Hex): Permit | undefined {
  const { kind, signature } = permit
  // The permits of tokens accept only signatures of this length. Permit2 accepts any length.
  const asIsPermit =
    ownerCode !== '0x' && (kind === 'permit2' || signature.length === SIGNATURE_LENGTH)
      ? { ...permit, asIs: true }
      : undefined
  if (asIsPermit && !DELEGATION_CODE.test(ownerCode)) return asIsPermit
  try {
    return { ...permit, signature: Signature.from(signature).serialized as Hex }
  } catch {
    return asIsPermit
  }
}

/** ERC-20 allowances, both forms of `permit` (EIP-2612 and DAI), and the getters that permits need. */
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

const EIP2612_PERMIT = 'permit(address,address,uint256,uint256,uint8,bytes32,bytes32)'
const DAI_PERMIT = 'permit(address,address,uint256,uint256,bool,uint8,bytes32,bytes32)'

/** Encodes the call of a token's own `permit`. */
export function tokenPermitCall(
  { kind, amount, nonce, deadline, signature }: Permit,
  { owner, spender }: { readonly owner: Address; readonly spender: Address },
): string {
  const [r, s, v] = [dataSlice(signature, 0, 32), dataSlice(signature, 32, 64), dataSlice(signature, 64, 65)]
  return kind === 'dai'
    ? tokenAbi.encodeFunctionData(DAI_PERMIT, [owner, spender, nonce, deadline, true, v, r, s])
    : tokenAbi.encodeFunctionData(EIP2612_PERMIT, [owner, spender, amount, deadline, v, r, s])
}

/** Gas limit of reads; a token that needs more is treated as malicious. */
const READ_GAS = 1_000_000n
/** Gas limit of permit calls, which covers the signature checks of contract wallets. */
const PERMIT_GAS = 3_000_000n

/** Calls to untrusted contracts at one block. */
export type Reader = {
  /**
   * Calls a function and returns its return values in order; undefined if the call reverts or its result does not
   * decode.
   */
  readonly read: (
    abi: Interface,
    to: Address,
    name: string,
    ...args: readonly unknown[]
  ) => Promise<unknown[] | undefined>
  /** Returns true if a call from this account succeeds, on the state with the overrides. */
  readonly succeeds: (from: Address, to: Address, data: string, overrides?: StateOverrides) => Promise<boolean>
}

export function readerAt(rpc: Rpc, block: BlockRef, options: RequestOptions): Reader {
  return {
    async read(abi, to, name, ...args) {
      const data = abi.encodeFunctionData(name, args) as Hex
      const answer = await rpc.call({ to, data, gas: READ_GAS }, block, options).catch(undefinedIfReverted)
      if (answer === undefined) return undefined
      try {
        return abi.decodeFunctionResult(name, answer).toArray()
      } catch {
        return undefined
      }
    },
    async succeeds(from, to, data, overrides) {
      const call = { from, to, data: data as Hex, gas: PERMIT_GAS }
      const answer = rpc.call(call, block, { ...options, ...(overrides && { overrides }) })
      return (await answer.catch(undefinedIfReverted)) !== undefined
    },
  }
}

/** Returns undefined for a revert, and throws every other error again. For `catch` of a promise. */
export function undefinedIfReverted(error: unknown): undefined {
  if (error instanceof RpcError && error.code === 'REVERTED') return undefined
  throw error
}
