/** Finds which of many candidate mappings a token really uses, in one call. */
import { type Address, ZERO_ADDRESS } from '@sluice/chains'
import { usualMappings } from './candidates.ts'
import { allowanceKey, balanceWrites, type Mapping, type Write, word } from './mapping.ts'
import { mergeWrites, owner, SLOT_PROBE, type StorageWrites, type TokenReader } from './reader.ts'
import { plainShape, type Shape } from './shape.ts'

/** Shows in words of 96 bits and more. */
const SMALL = 2n ** 80n + 0x1234567n
/** Shows where a base unit is a large number of shares. */
const LARGE = 2n ** 240n + 0x777n
const ALL = 2n ** 256n - 1n
const SCALES = [SMALL, LARGE, ALL]

export type Found = {
  /** `shape` is absent where one more call has to tell it. */
  readonly balance?: { readonly mapping: Mapping; readonly shape?: Shape }
  readonly allowance?: Mapping
}

/**
 * Every candidate, at every scale, belongs to a fictitious owner of its own: the owner who has a balance names the
 * mapping, whatever the token makes of the word. Allowances are read off the first scale's owners.
 */
export async function findMappings(
  reader: TokenReader,
  candidates: readonly Mapping[],
  writes = writesOf(candidates),
): Promise<Found> {
  const untouched = SCALES.length * candidates.length
  const readings = await reader.owners(untouched + 1, writes)
  const nothing = readings[untouched]!

  const balanceAt = (candidate: number, scale: number) => readings[scale * candidates.length + candidate]!.balance
  const shows = (candidate: number, scale: number) => {
    const balance = balanceAt(candidate, scale)
    return balance !== null && balance !== 0n && balance !== nothing.balance
  }
  const plain = candidates.findIndex((_, index) => balanceAt(index, 0) === SMALL)
  // Checkpoints hold plain balances only.
  const any = candidates.findIndex(
    ({ order }, index) => order !== 'minime' && SCALES.some((_, scale) => shows(index, scale)),
  )
  const balance = plain !== -1 ? plain : any
  const allowance = candidates.findIndex(
    ({ order }, index) => order !== 'minime' && readings[index]!.allowance === SMALL && nothing.allowance !== SMALL,
  )
  const shape = plain !== -1 ? plainShape(balanceAt(plain, 2)) : undefined
  return {
    ...(balance !== -1 && { balance: { mapping: candidates[balance]!, ...(shape && { shape }) } }),
    ...(allowance !== -1 && { allowance: candidates[allowance]! }),
  }
}

/** Keys follow from owners and slots alone: those of the usual mappings are worked out once for all tokens. */
let usualWrites: readonly Write[] | undefined

export function findUsualMappings(reader: TokenReader): Promise<Found> {
  usualWrites ??= writesOf(usualMappings(ZERO_ADDRESS)).get(ZERO_ADDRESS)!
  return findMappings(reader, usualMappings(reader.token), new Map([[reader.token, usualWrites]]))
}

function writesOf(candidates: readonly Mapping[]): StorageWrites {
  const ownerOf = (index: number, scale: number) => owner(scale * candidates.length + index)
  return mergeWrites(
    ...candidates.flatMap((mapping, index): [Address, Write[]][] => [
      ...SCALES.map((value, scale): [Address, Write[]] => [
        mapping.contract,
        [...balanceWrites(mapping, ownerOf(index, scale), value)],
      ]),
      ...(mapping.order === 'minime' ? [] : [allowanceWrite(mapping, ownerOf(index, 0))]),
    ]),
  )
}

function allowanceWrite(mapping: Mapping, from: Address): [Address, Write[]] {
  return [mapping.contract, [{ key: allowanceKey(mapping, from, SLOT_PROBE), value: word(SMALL) }]]
}

/** For an account that the token treats apart: each candidate writes a number of its own, and the balance names one. */
export async function findForAccount(
  reader: TokenReader,
  candidates: readonly Mapping[],
  account: Address,
): Promise<Mapping | undefined> {
  const marker = (index: number) => SMALL + (BigInt(index) << 32n)
  const writes = mergeWrites(
    ...candidates.map((mapping, index) => [mapping.contract, balanceWrites(mapping, account, marker(index))] as const),
  )
  const { balance } = await reader.account(account, writes)
  return candidates.find((_, index) => balance === marker(index))
}
