/** Storage keys of balances and allowances, as contracts derive them from owner and spender. */
import type { Address, Hex } from '@sluice/chains'
import { keccak256 } from 'ethers'
import { Bounded } from '../bounded.ts'

/**
 * `solidity`: keccak(key ‖ base). `vyper`: keccak(base ‖ key). `solady`: packed with a seed of four bytes.
 * `minime`: an array of checkpoints at the Solidity key, the balance in the upper half of its last element.
 */
export type MappingOrder = 'solidity' | 'vyper' | 'solady' | 'minime'

export type Mapping = {
  readonly order: MappingOrder
  /** Slot or namespace of the mapping; the seed where the order is solady. */
  readonly base: bigint
  /** Whose storage holds it. */
  readonly contract: Address
  /** Place of the number in the struct that the mapping leads to; 0 when absent. */
  readonly offset?: bigint
}

export type Write = { readonly key: Hex; readonly value: Hex }

export const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`

export function balanceKey({ order, base, offset = 0n }: Mapping, owner: Address): Hex {
  const key = structKey({ order, base }, owner)
  return offset === 0n ? key : word(BigInt(key) + offset)
}

function structKey({ order, base }: Pick<Mapping, 'order' | 'base'>, owner: Address): Hex {
  switch (order) {
    case 'solidity':
    case 'minime':
      return hash(pad(owner), digits(base))
    case 'vyper':
      return hash(digits(base), pad(owner))
    case 'solady':
      return hash(owner.slice(2), '0000000000000000', seed(base))
  }
}

export function allowanceKey({ order, base, offset = 0n }: Mapping, owner: Address, spender: Address): Hex {
  const key = nestedKey({ order, base }, owner, spender)
  return offset === 0n ? key : word(BigInt(key) + offset)
}

function nestedKey({ order, base }: Pick<Mapping, 'order' | 'base'>, owner: Address, spender: Address): Hex {
  switch (order) {
    case 'solidity':
    case 'minime':
      return hash(pad(spender), hash(pad(owner), digits(base)).slice(2))
    case 'vyper':
      return hash(hash(digits(base), pad(owner)).slice(2), pad(spender))
    case 'solady':
      return hash(owner.slice(2), '0000000000000000', seed(base), spender.slice(2))
  }
}

/** Writes that make the word behind `owner`'s balance equal to `value`. */
export function balanceWrites(mapping: Mapping, owner: Address, value: bigint): readonly Write[] {
  const key = balanceKey(mapping, owner)
  if (mapping.order !== 'minime') return [{ key, value: word(value) }]
  // One checkpoint, of block 0.
  return [
    { key, value: word(1n) },
    { key: keccak256(key) as Hex, value: word((value & MINIME_MAX) << 128n) },
  ]
}

export const MINIME_MAX = 2n ** 128n - 1n

const digits = (value: bigint) => value.toString(16).padStart(64, '0')
const pad = (address: Address) => address.slice(2).padStart(64, '0')
const seed = (base: bigint) => base.toString(16).padStart(8, '0')

const MAX_HASHES = 10_000
/** Whoever asks for one quote asks for more, with the same tokens: hashes by what they are of. */
const hashes = new Bounded<string, Hex>(MAX_HASHES)

function hash(...parts: readonly string[]): Hex {
  const digits = parts.join('')
  const known = hashes.get(digits)
  if (known !== undefined) return known
  const made = keccak256(Buffer.from(digits, 'hex')) as Hex
  hashes.set(digits, made)
  return made
}
