/**
 * Rules behind slots that a token reads: members of structs and of namespaces, which no list of usual places has. What is found holds
 * for all accounts, unlike a slot of one account.
 */
import type { Hex } from '@sluice/chains'
import { allowanceOf, balanceOf, type StorageSlot, slotsRead } from './access-list.ts'
import { type Found, findMappings } from './find.ts'
import { allowanceKey, balanceKey, type Mapping } from './mapping.ts'
import { owner, SLOT_PROBE, type TokenReader } from './reader.ts'

/** Slots of a contract's own variables that are looked at. */
const MAX_BASE = 512
/** Members of a struct at a namespace (ERC-7201). */
const MAX_MEMBER = 48
/** Members of a struct that a mapping leads to. */
const MAX_OFFSET = 16n
/** Keys that are worked out, some ten microseconds each. */
const MAX_KEYS = 8_000

const OWNER = owner(0)

/** @param namespaces - constants of the token's code and of the contracts it asks */
export async function findMembers(
  reader: TokenReader,
  namespaces: readonly bigint[],
  missing: { readonly balance: boolean; readonly allowance: boolean },
): Promise<Found> {
  const { rpc, token, options } = reader
  const [ofBalance, ofAllowance] = await Promise.all([
    missing.balance ? slotsRead(rpc, token, balanceOf(OWNER), options) : [],
    missing.allowance ? slotsRead(rpc, token, allowanceOf(OWNER, SLOT_PROBE), options) : [],
  ])
  const candidates = [
    ...explained(ofBalance, namespaces, (mapping) => balanceKey(mapping, OWNER)),
    ...explained(ofAllowance, namespaces, (mapping) => allowanceKey(mapping, OWNER, SLOT_PROBE)),
  ]
  if (candidates.length === 0) return {}
  const found = await findMappings(reader, candidates)
  return {
    ...(missing.balance && found.balance && { balance: found.balance }),
    ...(missing.allowance && found.allowance && { allowance: found.allowance }),
  }
}

function explained(
  slots: readonly StorageSlot[],
  namespaces: readonly bigint[],
  keyOf: (mapping: Mapping) => Hex,
): readonly Mapping[] {
  if (slots.length === 0) return []
  const wanted = new Map<bigint, Pick<Mapping, 'contract' | 'offset'>>()
  for (const { contract, key } of slots)
    for (let offset = 0n; offset < MAX_OFFSET; offset++) wanted.set(BigInt(key) - offset, { contract, offset })
  const bases = [
    ...Array.from({ length: MAX_BASE }, (_, base) => BigInt(base)),
    ...namespaces.flatMap((base) => Array.from({ length: MAX_MEMBER }, (_, member) => base + BigInt(member))),
  ]
  const found: Mapping[] = []
  for (const order of ['solidity', 'vyper'] as const)
    for (const base of bases.slice(0, MAX_KEYS / 2)) {
      const place = wanted.get(BigInt(keyOf({ order, base, contract: OWNER })))
      if (place) found.push({ order, base, ...place })
    }
  return found
}
