/**
 * Derives mappings from the storage slots that a token reads. Finds mappings in struct members and namespaces that the
 * lists of common and rare mappings do not contain. Unlike a single slot, a mapping works for all accounts.
 */
import type { Hex } from '@sluice/chains'
import { allowanceCalldata, balanceOfCalldata, findReadSlots, type StorageSlot } from './access-list.ts'
import { findMappings, type TokenMappings } from './find.ts'
import { allowanceKey, balanceKey, type Mapping } from './mapping.ts'
import { fictitiousOwner, SLOT_PROBE, type TokenReader } from './reader.ts'

/** Number of first storage slots that are tested as base slots of a mapping. */
const BASE_COUNT = 512
/** Number of first members of the struct at a namespace (ERC-7201) that are tested as mappings. */
const MEMBER_COUNT = 48
/** Number of first slots of a struct that may hold the number, if the mapping's values are structs. */
const OFFSET_COUNT = 16n
/** Maximum storage keys to compute per search, about ten microseconds each. */
const MAX_KEYS = 8_000

const OWNER = fictitiousOwner(0)

/**
 * Finds the mappings that other searches did not find.
 *
 * @param namespaces - constants in the code of the token and of the contracts it calls
 */
export async function findMissingMappings(
  reader: TokenReader,
  namespaces: readonly bigint[],
  missing: { readonly balance: boolean; readonly allowance: boolean },
): Promise<TokenMappings> {
  const { rpc, token, options } = reader
  const [balanceSlots, allowanceSlots] = await Promise.all([
    missing.balance ? findReadSlots(rpc, token, balanceOfCalldata(OWNER), options) : [],
    missing.allowance ? findReadSlots(rpc, token, allowanceCalldata(OWNER, SLOT_PROBE), options) : [],
  ])
  const candidates = [
    ...mappingsFor(balanceSlots, namespaces, (mapping) => balanceKey(mapping, OWNER)),
    ...mappingsFor(allowanceSlots, namespaces, (mapping) => allowanceKey(mapping, OWNER, SLOT_PROBE)),
  ]
  if (candidates.length === 0) return {}
  const mappings = await findMappings(reader, candidates)
  return {
    ...(missing.balance && mappings.balance && { balance: mappings.balance }),
    ...(missing.allowance && mappings.allowance && { allowance: mappings.allowance }),
  }
}

/** Returns the mappings whose keys match the slots. */
function mappingsFor(
  slots: readonly StorageSlot[],
  namespaces: readonly bigint[],
  keyOf: (mapping: Mapping) => Hex,
): readonly Mapping[] {
  if (slots.length === 0) return []
  const locationByKey = new Map<bigint, Pick<Mapping, 'contract' | 'offset'>>()
  for (const { contract, key } of slots)
    for (let offset = 0n; offset < OFFSET_COUNT; offset++) locationByKey.set(BigInt(key) - offset, { contract, offset })
  const bases = [
    ...Array.from({ length: BASE_COUNT }, (_, base) => BigInt(base)),
    ...namespaces.flatMap((base) => Array.from({ length: MEMBER_COUNT }, (_, member) => base + BigInt(member))),
  ]
  const mappings: Mapping[] = []
  for (const order of ['solidity', 'vyper'] as const)
    for (const base of bases.slice(0, MAX_KEYS / 2)) {
      // The key does not depend on `contract`, so any address serves.
      const match = locationByKey.get(BigInt(keyOf({ order, base, contract: OWNER })))
      if (match) mappings.push({ order, base, ...match })
    }
  return mappings
}
