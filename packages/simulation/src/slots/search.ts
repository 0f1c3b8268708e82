/**
 * Searches the mappings of a token by the addresses and constants in its code and storage. A store is another contract
 * that may hold the mappings. A namespace is a hash that is the slot of a struct (ERC-7201).
 */
import { type Address, type Hex, toAddress } from '@sluice/chains'
import { rareMappings, storeMappings } from './candidates.ts'
import { findMappings, type TokenMappings } from './find.ts'
import { findMissingMappings } from './members.ts'
import type { TokenReader } from './reader.ts'

/** EIP-1967 implementation and beacon slots, and OpenZeppelin's older implementation slot. */
const PROXY_SLOTS = [
  0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbcn,
  0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50n,
  0x7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3n,
]
/** Slots that may hold the address of another contract. */
const POINTER_SLOTS = [...Array.from({ length: 64 }, (_, slot) => BigInt(slot)), ...PROXY_SLOTS]
/** Maximum addresses in code and storage that are tested as stores. */
const MAX_POINTERS = 96
/** Maximum stores whose slots are tested. */
const MAX_STORES = 8
/** Maximum constants in the code that are tested as namespaces. */
const MAX_NAMESPACES = 24
const ADDRESS_MASK = 2n ** 160n - 1n
/** A number below this counts as a counter or flag, not as an address. */
const MIN_ADDRESS = 2n ** 40n

/** Code of a contract, and its words at `POINTER_SLOTS`. */
export type ContractData = { readonly code: Hex; readonly words: readonly bigint[] }

export async function readContractData(reader: TokenReader, contract: Address): Promise<ContractData> {
  const [code, words] = await Promise.all([reader.readCode(contract), reader.readStorage(contract, POINTER_SLOTS)])
  return { code, words }
}

/** Searches the mappings of a token in at most six round trips. Omits a mapping that follows no known rule. */
export async function searchMappings(reader: TokenReader, contractData: ContractData): Promise<TokenMappings> {
  const stores = (await reader.touchedAccounts(pointedAddresses([contractData], reader.token))).slice(0, MAX_STORES)
  const storeData = await Promise.all(stores.map((contract) => readContractData(reader, contract)))
  const namespaces = pushedConstants([contractData, ...storeData].map(({ code }) => code))
    .filter((value) => value >> 200n !== 0n && value !== 2n ** 256n - 1n)
    .slice(0, MAX_NAMESPACES)
  const candidates = [...rareMappings(reader.token, namespaces), ...stores.flatMap(storeMappings)]
  // Far stores are contracts to which only another store points.
  const farCandidates = pointedAddresses(storeData, reader.token).filter((contract) => !stores.includes(contract))
  const [nearMappings, farStores] = await Promise.all([
    findMappings(reader, candidates),
    touchedAmong(reader, farCandidates),
  ])
  if (nearMappings.balance && nearMappings.allowance) return nearMappings
  const farMappings =
    farStores.length === 0 ? {} : await findMappings(reader, farStores.slice(0, MAX_STORES).flatMap(storeMappings))
  const mappings = { ...farMappings, ...nearMappings }
  if (mappings.balance && mappings.allowance) return mappings
  const missing = { balance: !mappings.balance, allowance: !mappings.allowance }
  return { ...(await findMissingMappings(reader, namespaces, missing)), ...mappings }
}

async function touchedAmong(reader: TokenReader, contracts: readonly Address[]): Promise<readonly Address[]> {
  return contracts.length === 0 ? [] : reader.touchedAccounts(contracts)
}

/** Returns addresses found in storage or code, including those packed after a flag byte. */
function pointedAddresses(contracts: readonly ContractData[], token: Address): readonly Address[] {
  const addresses = new Set<Address>()
  const add = (value: bigint) => {
    const address = value & ADDRESS_MASK
    if (address > MIN_ADDRESS) addresses.add(toAddress(`0x${address.toString(16).padStart(40, '0')}`))
  }
  for (const { code, words } of contracts) {
    for (const word of words) {
      add(word)
      add(word >> 8n)
    }
    for (const constant of pushedConstants([code])) if (constant <= ADDRESS_MASK) add(constant)
  }
  addresses.delete(token)
  return [...addresses].slice(0, MAX_POINTERS)
}

const PUSH1 = 0x60
const PUSH20 = 0x73
const PUSH32 = 0x7f

/**
 * Returns the constants that code pushes with exactly 20 bytes (addresses), or with at least 29 bytes (immutables, and
 * namespaces without their leading zeros).
 */
function pushedConstants(codes: readonly Hex[]): readonly bigint[] {
  const pushedWords = new Set<bigint>()
  for (const code of codes) {
    const bytes = Buffer.from(code.slice(2), 'hex')
    for (let i = 0; i < bytes.length; i++) {
      const size = bytes[i]! - PUSH1 + 1
      if (bytes[i]! < PUSH1 || bytes[i]! > PUSH32) continue
      if (bytes[i] === PUSH20 || size >= 29)
        pushedWords.add(BigInt(`0x${bytes.toString('hex', i + 1, i + 1 + size) || '0'}`))
      i += size
    }
  }
  return [...pushedWords]
}
