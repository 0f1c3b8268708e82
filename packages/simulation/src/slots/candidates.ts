/** Storage locations where tokens usually keep their mappings, the most common first. */
import type { Address } from '@sluice/chains'
import type { Mapping, MappingOrder } from './mapping.ts'

/** ERC-7201 namespace of OpenZeppelin 5's upgradeable ERC-20: balances, then allowances. */
const OPENZEPPELIN_5 = 0x52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace00n
/** Seeds of Solady's ERC-20 for balances and allowances. */
const SOLADY_BALANCES = 0x87a211a2n
const SOLADY_ALLOWANCES = 0x7f5e9f20n
/** Slot of the balances in MiniMe tokens such as LDO and SNT. */
const MINIME = 8n

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => BigInt(from + index))

const mappingsAt = (order: MappingOrder, bases: readonly bigint[], contract: Address): Mapping[] =>
  bases.map((base) => ({ order, base, contract }))

/**
 * Returns the common mappings, which are tested in one round trip. They are at the first slots, and after gaps of 50
 * slots, which OpenZeppelin's upgradeable contracts reserve.
 */
export function commonMappings(token: Address): readonly Mapping[] {
  return [
    ...mappingsAt('solidity', [...range(0, 17), 21n, 51n, 52n, 53n, 101n, 102n, 151n, 152n, ...range(200, 204)], token),
    ...mappingsAt('vyper', range(0, 14), token),
    ...mappingsAt('solidity', [OPENZEPPELIN_5, OPENZEPPELIN_5 + 1n], token),
    ...mappingsAt('solady', [SOLADY_BALANCES, SOLADY_ALLOWANCES], token),
    ...mappingsAt('minime', [MINIME], token),
  ]
}

/** Returns rarer mappings in the token itself, and in namespaces found in its code. */
export function rareMappings(token: Address, namespaces: readonly bigint[]): readonly Mapping[] {
  return [
    ...mappingsAt('solidity', [...range(17, 130), ...range(150, 160), ...range(204, 208), ...range(251, 257)], token),
    ...mappingsAt('solidity', [...range(301, 307), ...range(351, 357)], token),
    ...mappingsAt('vyper', range(14, 40), token),
    ...mappingsAt('minime', [...range(0, 8), ...range(9, 14)], token),
    ...mappingsAt(
      'solidity',
      namespaces.flatMap((base) => range(0, 6).map((member) => base + member)),
      token,
    ),
  ]
}

/** Returns mappings of a separate contract that stores balances. */
export function storeMappings(store: Address): readonly Mapping[] {
  return [...mappingsAt('solidity', range(0, 16), store), ...mappingsAt('vyper', range(0, 8), store)]
}

/** Returns the mappings at a base slot that a request names: in Solidity's order, then in Vyper's. */
export function mappingsAtSlot(token: Address, slot: bigint): readonly Mapping[] {
  return [...mappingsAt('solidity', [slot], token), ...mappingsAt('vyper', [slot], token)]
}
