/**
 * Computes the storage writes that give an account a balance. A token may store shares: numbers whose value in base
 * units changes.
 */
import type { Address } from '@sluice/chains'
import { balanceKey, balanceWrites, type Mapping, MINIME_MAX, type Write } from './mapping.ts'
import { fictitiousOwner, mergeWrites, type TokenReader } from './reader.ts'
import { numberMask, type Rate, readShape, type Shape } from './shape.ts'

/** Mapping of balances, and the shape of its words (the bits of the number, and the rate of shares). */
export type BalanceLayout = { readonly mapping: Mapping; readonly shape: Shape }

/** Writes that set a balance. */
export type BalanceWrites = {
  readonly contract: Address
  readonly writes: readonly Write[]
  /**
   * Balance in base units that the token then reports: the amount, or for shares the next larger balance that a number
   * of shares can represent.
   */
  readonly balance: bigint
}

/** Number of values that are tried on either side of the estimated number of shares. */
const NEIGHBORS = 32n
/** Number of values that are tried for each base unit, if a base unit is worth many shares. */
const STEPS_PER_UNIT = 8n
/** Maximum rounds of tries. Each round after the first starts with a newly read rate of shares. */
const MAX_ROUNDS = 3
/** Maximum base units by which a balance of shares may exceed the amount because of rounding. */
const ROUNDING = 2n

const unitsPerShare = ({ shares, units }: Rate) => units / shares

/**
 * Computes the writes for a balance; undefined if the amount cannot be represented, for example because it needs too
 * many bits.
 */
export async function computeBalanceWrites(
  reader: TokenReader,
  { mapping, shape }: BalanceLayout,
  account: Address,
  amount: bigint,
): Promise<BalanceWrites | undefined> {
  const [target, currentWord] = await Promise.all([
    shape.kind === 'plain' ? { value: amount, balance: amount } : findShares(reader, mapping, shape, amount),
    readCurrentWord(reader, mapping, shape, account),
  ])
  if (!target || target.value >> BigInt(shape.width) !== 0n) return undefined
  const value = (currentWord & ~numberMask(shape)) | (target.value << BigInt(shape.shift))
  return { contract: mapping.contract, writes: balanceWrites(mapping, account, value), balance: target.balance }
}

/** Reads the account's current word, whose other bits must not change. Returns 0n if the number fills the word. */
async function readCurrentWord(reader: TokenReader, mapping: Mapping, shape: Shape, account: Address): Promise<bigint> {
  const usesWholeWord = mapping.order === 'minime' ? numberMask(shape) === MINIME_MAX : shape.width === 256
  if (usesWholeWord) return 0n
  const [currentWord] = await reader.readStorage(mapping.contract, [BigInt(balanceKey(mapping, account))])
  return currentWord!
}

/** Finds the smallest number of shares worth at least `amount`, near the estimate at the last known rate. */
async function findShares(
  reader: TokenReader,
  mapping: Mapping,
  shape: Shape,
  amount: bigint,
): Promise<{ readonly value: bigint; readonly balance: bigint } | undefined> {
  let rate = shape.rate
  for (let round = 0; rate && round < MAX_ROUNDS; round++) {
    const triedValues = shareCandidates(rate, amount).filter((value) => value >> BigInt(shape.width) === 0n)
    const balances = await balancesOf(reader, mapping, triedValues)
    const index = balances.findIndex((balance) => balance !== null && balance >= amount)
    // If the first value suffices, a smaller value that was not tried may suffice too.
    if (index > 0 || (index === 0 && triedValues[0] === 0n)) {
      const match = { value: triedValues[index]!, balance: balances[index]! }
      return match.balance - amount <= unitsPerShare(rate) + ROUNDING ? match : undefined
    }
    const updatedShape: Shape | undefined = await readShape(reader, mapping)
    rate = updatedShape?.rate
  }
  return undefined
}

/** Returns numbers of shares to try, around the estimate at this rate. */
function shareCandidates({ shares, units }: Rate, amount: bigint): readonly bigint[] {
  const estimate = (amount * shares + units - 1n) / units
  const step = shares / units / STEPS_PER_UNIT || 1n
  const triedValues: bigint[] = []
  for (let i = -NEIGHBORS; i <= NEIGHBORS; i++) {
    const value = estimate + i * step
    if (value >= 0n) triedValues.push(value)
  }
  return triedValues
}

async function balancesOf(reader: TokenReader, mapping: Mapping, values: readonly bigint[]) {
  const writes = mergeWrites(
    ...values.map((value, index) => [mapping.contract, balanceWrites(mapping, fictitiousOwner(index), value)] as const),
  )
  return (await reader.readOwners(values.length, writes)).map(({ balance }) => balance)
}
