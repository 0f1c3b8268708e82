/** Computes the storage keys of balances and allowances as contracts do. */
import { keccak256 } from '@sluice/bindings/keccak'
import type { Address, Hex } from '@sluice/chains'

/**
 * Rule by which a mapping derives the storage key of an entry.
 * - `solidity`: keccak(key ‖ base).
 * - `vyper`: keccak(base ‖ key).
 * - `solady`: keccak of the owner and a seed of four bytes, packed.
 * - `minime`: an array of checkpoints at the Solidity key, with the balance in the upper half of the last element.
 */
export type MappingOrder = 'solidity' | 'vyper' | 'solady' | 'minime'

/** Location of a mapping. */
export type Mapping = {
  readonly order: MappingOrder
  /** Slot or namespace of the mapping; for `solady` the seed. */
  readonly base: bigint
  /** Contract whose storage holds the mapping. */
  readonly contract: Address
  /** Offset in slots of the number, if the mapping's values are structs; default 0. */
  readonly offset?: bigint
}

/** Override of a storage slot. */
export type Write = { readonly key: Hex; readonly value: Hex }

export const toWord = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`

/** Returns the storage key of an owner's balance. */
export function balanceKey({ order, base, offset = 0n }: Mapping, owner: Address): Hex {
  const key = structKey({ order, base }, owner)
  return offset === 0n ? key : toWord(BigInt(key) + offset)
}

function structKey({ order, base }: Pick<Mapping, 'order' | 'base'>, owner: Address): Hex {
  switch (order) {
    case 'solidity':
    case 'minime':
      return hash(paddedAddress(owner), wordDigits(base))
    case 'vyper':
      return hash(wordDigits(base), paddedAddress(owner))
    case 'solady':
      return hash(owner.slice(2), '0000000000000000', seedDigits(base))
  }
}

/** Returns the storage key of the allowance that an owner gave to a spender. */
export function allowanceKey({ order, base, offset = 0n }: Mapping, owner: Address, spender: Address): Hex {
  const key = nestedKey({ order, base }, owner, spender)
  return offset === 0n ? key : toWord(BigInt(key) + offset)
}

function nestedKey({ order, base }: Pick<Mapping, 'order' | 'base'>, owner: Address, spender: Address): Hex {
  switch (order) {
    case 'solidity':
    case 'minime':
      return hash(paddedAddress(spender), hash(paddedAddress(owner), wordDigits(base)).slice(2))
    case 'vyper':
      return hash(hash(wordDigits(base), paddedAddress(owner)).slice(2), paddedAddress(spender))
    case 'solady':
      return hash(owner.slice(2), '0000000000000000', seedDigits(base), spender.slice(2))
  }
}

/** Returns the writes that store `value` in the word from which the token computes an owner's balance. */
export function balanceWrites(mapping: Mapping, owner: Address, value: bigint): readonly Write[] {
  const key = balanceKey(mapping, owner)
  if (mapping.order !== 'minime') return [{ key, value: toWord(value) }]
  // Writes an array of length 1: one checkpoint at block 0.
  return [
    { key, value: toWord(1n) },
    { key: keccak256(key), value: toWord((value & MINIME_MAX) << 128n) },
  ]
}

/** Maximum balance in a checkpoint of a `minime` token, and mask of its bits. */
export const MINIME_MAX = 2n ** 128n - 1n

/** Encodes a slot. Slot numbers wrap around at 2^256, as on chain. */
const wordDigits = (slot: bigint) => BigInt.asUintN(256, slot).toString(16).padStart(64, '0')
const paddedAddress = (address: Address) => address.slice(2).padStart(64, '0')
const seedDigits = (base: bigint) => base.toString(16).padStart(8, '0')

const hash = (...digits: readonly string[]): Hex => keccak256(`0x${digits.join('')}`)
