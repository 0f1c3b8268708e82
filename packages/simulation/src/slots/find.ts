/** Finds the mapping that a token uses among many candidates, in one call. */
import { type Address, ZERO_ADDRESS } from '@sluice/chains'
import { commonMappings } from './candidates.ts'
import { allowanceKey, balanceWrites, type Mapping, toWord, type Write } from './mapping.ts'
import { fictitiousOwner, mergeWrites, SLOT_PROBE, type StorageWrites, type TokenReader } from './reader.ts'
import { plainShape, type Shape } from './shape.ts'

/** Test value that fits in 96 bits. */
const SMALL_BALANCE = 2n ** 80n + 0x1234567n
/** Test value for tokens that count many shares for one base unit. */
const LARGE_BALANCE = 2n ** 240n + 0x777n
const MAX_UINT256 = 2n ** 256n - 1n
/** Test values that are written for each candidate, each for another owner. */
const TEST_VALUES = [SMALL_BALANCE, LARGE_BALANCE, MAX_UINT256]
const MAX_UINT256_INDEX = 2

/** Mappings that a token uses. */
export type TokenMappings = {
  /** `shape` (the place of the number in the word) is absent if another call is needed to find it. */
  readonly balance?: { readonly mapping: Mapping; readonly shape?: Shape }
  readonly allowance?: Mapping
}

/**
 * Finds the mappings that a token uses. For each pair of a candidate and a test value, overrides the balance of a
 * separate fictitious owner. The owner for whom the token reports a balance identifies the mapping. The allowances of
 * the owners of the first test value are overridden too. One more owner, the control, has no overrides.
 */
export async function findMappings(
  reader: TokenReader,
  candidates: readonly Mapping[],
  writes = writesOf(candidates),
): Promise<TokenMappings> {
  const controlIndex = TEST_VALUES.length * candidates.length
  const readings = await reader.readOwners(controlIndex + 1, writes)
  const controlReading = readings[controlIndex]!

  const balanceAt = (candidateIndex: number, valueIndex: number) =>
    readings[valueIndex * candidates.length + candidateIndex]!.balance
  const isVisible = (candidateIndex: number, valueIndex: number) => {
    const candidateBalance = balanceAt(candidateIndex, valueIndex)
    return candidateBalance !== null && candidateBalance !== 0n && candidateBalance !== controlReading.balance
  }
  const plainBalanceIndex = candidates.findIndex((_, index) => balanceAt(index, 0) === SMALL_BALANCE)
  // MiniMe checkpoints only hold plain balances.
  const firstVisibleIndex = candidates.findIndex(
    ({ order }, index) => order !== 'minime' && TEST_VALUES.some((_, valueIndex) => isVisible(index, valueIndex)),
  )
  const balanceIndex = plainBalanceIndex !== -1 ? plainBalanceIndex : firstVisibleIndex
  const allowanceIndex = candidates.findIndex(
    ({ order }, index) =>
      order !== 'minime' && readings[index]!.allowance === SMALL_BALANCE && controlReading.allowance !== SMALL_BALANCE,
  )
  const shape = plainBalanceIndex !== -1 ? plainShape(balanceAt(plainBalanceIndex, MAX_UINT256_INDEX)) : undefined
  return {
    ...(balanceIndex !== -1 && { balance: { mapping: candidates[balanceIndex]!, ...(shape && { shape }) } }),
    ...(allowanceIndex !== -1 && { allowance: candidates[allowanceIndex]! }),
  }
}

/** Writes of the common mappings, computed once, because keys depend only on owner and slot. */
let commonWrites: readonly Write[] | undefined

export function findCommonMappings(reader: TokenReader): Promise<TokenMappings> {
  commonWrites ??= writesOf(commonMappings(ZERO_ADDRESS)).get(ZERO_ADDRESS)!
  return findMappings(reader, commonMappings(reader.token), new Map([[reader.token, commonWrites]]))
}

function writesOf(candidates: readonly Mapping[]): StorageWrites {
  const ownerOf = (index: number, valueIndex: number) => fictitiousOwner(valueIndex * candidates.length + index)
  return mergeWrites(
    ...candidates.flatMap((mapping, index): [Address, Write[]][] => [
      ...TEST_VALUES.map((value, valueIndex): [Address, Write[]] => [
        mapping.contract,
        [...balanceWrites(mapping, ownerOf(index, valueIndex), value)],
      ]),
      ...(mapping.order === 'minime' ? [] : [allowanceWrite(mapping, ownerOf(index, 0))]),
    ]),
  )
}

function allowanceWrite(mapping: Mapping, from: Address): [Address, Write[]] {
  return [mapping.contract, [{ key: allowanceKey(mapping, from, SLOT_PROBE), value: toWord(SMALL_BALANCE) }]]
}

/**
 * Finds the mapping of balances for an account that the token treats specially. Each candidate writes a different
 * value, so the reported balance identifies the candidate. Returns undefined if the balance matches no candidate.
 */
export async function findForAccount(
  reader: TokenReader,
  candidates: readonly Mapping[],
  account: Address,
): Promise<Mapping | undefined> {
  const marker = (index: number) => SMALL_BALANCE + (BigInt(index) << 32n)
  const writes = mergeWrites(
    ...candidates.map((mapping, index) => [mapping.contract, balanceWrites(mapping, account, marker(index))] as const),
  )
  const { balance } = await reader.readAccount(account, writes)
  return candidates.find((_, index) => balance === marker(index))
}
