/** Places where tokens are known to keep their mappings, the usual ones first. */
import type { Address } from '@sluice/chains'
import type { Mapping, MappingOrder } from './mapping.ts'

/** ERC-7201 namespace of OpenZeppelin 5's upgradeable ERC-20: balances, then allowances. */
const OPENZEPPELIN_5 = 0x52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace00n
const SOLADY_BALANCES = 0x87a211a2n
const SOLADY_ALLOWANCES = 0x7f5e9f20n
/** LDO, SNT and their like. */
const MINIME = 8n

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => BigInt(from + index))

const at = (order: MappingOrder, bases: readonly bigint[], contract: Address): Mapping[] =>
  bases.map((base) => ({ order, base, contract }))

/** Found in one round trip: plain layouts, and those behind OpenZeppelin's gaps of 50 slots. */
export function usualMappings(token: Address): readonly Mapping[] {
  return [
    ...at('solidity', [...range(0, 17), 21n, 51n, 52n, 53n, 101n, 102n, 151n, 152n, ...range(200, 204)], token),
    ...at('vyper', range(0, 14), token),
    ...at('solidity', [OPENZEPPELIN_5, OPENZEPPELIN_5 + 1n], token),
    ...at('solady', [SOLADY_BALANCES, SOLADY_ALLOWANCES], token),
    ...at('minime', [MINIME], token),
  ]
}

/** Rarer places in the token itself, and namespaces that its code names. */
export function rareMappings(token: Address, namespaces: readonly bigint[]): readonly Mapping[] {
  return [
    ...at('solidity', [...range(17, 130), ...range(150, 160), ...range(204, 208), ...range(251, 257)], token),
    ...at('solidity', [...range(301, 307), ...range(351, 357)], token),
    ...at('vyper', range(14, 40), token),
    ...at('minime', [...range(0, 8), ...range(9, 14)], token),
    ...at(
      'solidity',
      namespaces.flatMap((base) => range(0, 6).map((member) => base + member)),
      token,
    ),
  ]
}

/** Mappings of a contract that keeps balances for a token. */
export function storeMappings(store: Address): readonly Mapping[] {
  return [...at('solidity', range(0, 16), store), ...at('vyper', range(0, 8), store)]
}

/** A slot that the caller names: Solidity's order, else Vyper's. */
export function givenMappings(token: Address, slot: bigint): readonly Mapping[] {
  return [...at('solidity', [slot], token), ...at('vyper', [slot], token)]
}
