/**
 * Simulates a permit of an invented account. This shows whether permits of a token work, before an owner signs a
 * permit. Getters do not show it: tokens whose holders only delegate votes by signature also have nonces and a domain.
 */
import { randomBytes } from 'node:crypto'
import { keccak256 } from '@sluice/bindings/keccak'
import { type Address, type Hex, toAddress } from '@sluice/chains'
import { RpcError } from '@sluice/rpc'
import { PERMIT2 } from '@sluice/simulation'
import { computeAddress, hexlify, SigningKey, TypedDataEncoder, type TypedDataField } from 'ethers'
import {
  DELEGATION_CODE,
  type Permit,
  type PermitTypedData,
  permit2Abi,
  type Reader,
  tokenPermitCall,
} from './permit.ts'

/** Key of the invented account. Random, because a token could treat a constant account specially. */
const trialKey = new SigningKey(hexlify(randomBytes(32)))
/** The invented account. */
export const TRIAL_OWNER: Address = toAddress(computeAddress(trialKey))
/** Code of a wallet that accepts every signature: it returns the selector of `isValidSignature` (ERC-1271). */
const ACCEPTS_ALL: Hex = '0x631626ba7e60e01b60005260206000f3'

/** A permit to try. */
export type PermitTrial = {
  readonly token: Address
  readonly spender: Address
  /** Code of the account that will sign. */
  readonly ownerCode: Hex
  /** The permit as the invented account would sign it. */
  readonly permit: Omit<Permit, 'signature'>
  readonly typedData: PermitTypedData
}

/**
 * Returns true if the token or Permit2 accepts the permit from an account with code like the owner's, and refuses it
 * with another signature. An EIP-7702 account signs with its key, but contracts may ask its delegate, which may refuse
 * the signature of the key. The trial does not copy the owner's storage.
 *
 * @throws RpcError if the node fails
 */
export async function acceptsPermit(reader: Reader, trial: PermitTrial): Promise<boolean> {
  const { ownerCode, typedData } = trial
  const { EIP712Domain: _, ...types } = typedData.types
  const hash = TypedDataEncoder.hash(typedData.domain, types as Record<string, TypedDataField[]>, typedData.message)
  const signature = trialKey.sign(hash).serialized as Hex
  const otherSignature = trialKey.sign(keccak256(hash as Hex)).serialized as Hex
  const isContract = ownerCode !== '0x' && !DELEGATION_CODE.test(ownerCode)
  const accepts = (triedSignature: Hex, code: Hex) => {
    const [to, data] = callOf(trial, triedSignature)
    return reader.succeeds(trial.spender, to, data, code === '0x' ? {} : { [TRIAL_OWNER]: { code } })
  }
  try {
    const [acceptsValid, acceptsInvalid] = await Promise.all([
      // The signature of a contract wallet cannot be invented, so the wallet's check is replaced.
      isContract ? accepts(otherSignature, ACCEPTS_ALL) : accepts(signature, ownerCode),
      accepts(otherSignature, '0x'),
    ])
    // A contract whose fallback function accepts every call accepts both.
    return acceptsValid && !acceptsInvalid
  } catch (error) {
    // A node without state overrides cannot run the trial. Return true, because the permit may work.
    if (ownerCode !== '0x' && error instanceof RpcError && error.isRefusal) return true
    throw error
  }
}

function callOf({ token, spender, permit }: PermitTrial, signature: Hex): readonly [to: Address, data: string] {
  const { kind, amount, nonce, deadline } = permit
  if (kind !== 'permit2') return [token, tokenPermitCall({ ...permit, signature }, { owner: TRIAL_OWNER, spender })]
  const single = { details: { token, amount, expiration: deadline, nonce }, spender, sigDeadline: deadline }
  return [PERMIT2, permit2Abi.encodeFunctionData('permit', [TRIAL_OWNER, single, signature])]
}
