/**
 * Finds storage writes that set the balance and allowance of one account, if the token's layout follows no known rule.
 * Tries each slot that the token reads for the account. Covers struct members, namespaces at any offset, hashed keys,
 * boolean allowances, and shares (numbers whose value in base units changes).
 */
import type { Address } from '@sluice/chains'
import { allowanceCalldata, balanceOfCalldata, findReadSlots, type StorageSlot } from './access-list.ts'
import { toWord, type Write } from './mapping.ts'
import type { OwnerReading, TokenReader } from './reader.ts'

/** Test value that fits in 96 bits and is unlikely to occur by chance. */
const MARKER = 2n ** 80n + 0x7654321n
const MAX_UINT256 = 2n ** 256n - 1n
/** Bit offsets at which packed words may hold the number. */
const SHIFTS = [8n, 16n, 32n, 40n, 48n, 64n, 96n, 128n, 160n]
/** Numbers of shares that are written to measure the value of a share in base units. */
const TEST_SHARES = [2n ** 60n, 2n ** 90n, 2n ** 120n]
/** Number of values that are tried on either side of the estimated number of shares. */
const NEIGHBORS = 8n
/** Maximum base units by which a balance of shares may exceed the amount because of rounding. */
const ROUNDING = 2n

/** A storage write that gives the account a balance or an allowance. */
export type AccountWrite = {
  readonly contract: Address
  readonly write: Write
  /** Balance or allowance that the token then reports, in base units. */
  readonly amount: bigint
}

/** Reads the balance or allowance with some storage writes; null if the token does not respond. */
type ReadWith = (writes: readonly [StorageSlot, bigint][]) => Promise<bigint | null>

export class AccountSlotSearch {
  private readonly reader: TokenReader
  private readonly account: Address

  constructor(reader: TokenReader, account: Address) {
    this.reader = reader
    this.account = account
  }

  /**
   * Returns the write that gives the account the amount, or for shares the next larger balance that a number of shares
   * can represent. Returns undefined if no write does.
   */
  async findBalanceWrite(amount: bigint): Promise<AccountWrite | undefined> {
    const slots = await findReadSlots(
      this.reader.rpc,
      this.reader.token,
      balanceOfCalldata(this.account),
      this.reader.options,
    )
    const readWith: ReadWith = async (writes) => (await this.read(writes)).balance
    for (const { slot, markedAnswer, currentWord } of await this.findAffectingSlots(slots, readWith)) {
      const wordMatch = await this.findWordFor(slot, { amount, markedAnswer, currentWord }, readWith)
      if (wordMatch)
        return {
          contract: slot.contract,
          write: { key: slot.key, value: toWord(wordMatch.value) },
          amount: wordMatch.amount,
        }
    }
    return undefined
  }

  /** Returns the write that lets the spender take at least the amount; undefined if none is found. */
  async findAllowanceWrite(spender: Address, amount: bigint): Promise<AccountWrite | undefined> {
    const data = allowanceCalldata(this.account, spender)
    const slots = await findReadSlots(this.reader.rpc, this.reader.token, data, this.reader.options)
    const readWith: ReadWith = async (writes) => (await this.read(writes, spender)).allowance
    // A number must be the exact amount. For a boolean allowance, any non-zero word works.
    const values = [amount, 1n, MAX_UINT256]
    const triedWrites = slots.flatMap((slot) => values.map((value) => ({ slot, value })))
    const answers = await Promise.all(triedWrites.map(({ slot, value }) => readWith([[slot, value]])))
    const exactIndex = answers.indexOf(amount)
    const sufficientIndex = answers.findIndex((answer) => answer !== null && answer >= amount)
    const match = triedWrites[exactIndex === -1 ? sufficientIndex : exactIndex]
    if (!match) return undefined
    const { contract, key } = match.slot
    return { contract, write: { key, value: toWord(match.value) }, amount }
  }

  /**
   * Returns the slots that affect the balance or allowance. `currentWord` is the word of a slot, and `markedAnswer` is
   * the token's answer if the word is `MARKER`. Slots that hold the number in plain form come first.
   */
  private async findAffectingSlots(slots: readonly StorageSlot[], readWith: ReadWith) {
    const [unchangedAnswer, words, ...answers] = await Promise.all([
      readWith([]),
      Promise.all(slots.map(async ({ contract, key }) => (await this.reader.readStorage(contract, [BigInt(key)]))[0]!)),
      ...slots.map((slot) => readWith([[slot, MARKER]])),
    ])
    return slots
      .map((slot, k) => ({ slot, markedAnswer: answers[k]!, currentWord: words[k]! }))
      .filter(({ markedAnswer }) => markedAnswer !== null && markedAnswer !== unchangedAnswer)
      .sort((a, b) => Number(b.markedAnswer === MARKER) - Number(a.markedAnswer === MARKER))
  }

  /**
   * Finds a word with which the token reports the amount. Tries the amount itself, the amount packed with the current
   * word's other bits, and then numbers of shares.
   */
  private async findWordFor(
    slot: StorageSlot,
    {
      amount,
      markedAnswer,
      currentWord,
    }: { readonly amount: bigint; readonly markedAnswer: bigint | null; readonly currentWord: bigint },
    readWith: ReadWith,
  ): Promise<{ readonly value: bigint; readonly amount: bigint } | undefined> {
    const otherAmount = (markedAnswer ?? 0n) - MARKER
    const lowBitsMask = MAX_UINT256 >> 128n
    const plainWords = [
      amount,
      // The balance may be the sum of several slots.
      ...(otherAmount > 0n && amount >= otherAmount ? [amount - otherAmount] : []),
      (currentWord & ~lowBitsMask) | (amount & lowBitsMask),
      ...SHIFTS.map((shift) => (currentWord & ((1n << shift) - 1n)) | ((amount << shift) & MAX_UINT256)),
    ]
    const exactWord = await this.findWord(slot, plainWords, (answer) => answer === amount, readWith)
    if (exactWord) return exactWord
    const answers = await Promise.all(TEST_SHARES.map((testShares) => readWith([[slot, testShares]])))
    const measuredIndex = answers.findLastIndex((answer) => answer !== null && answer > 0n)
    const units = answers[measuredIndex]
    if (!units) return undefined
    const shares = TEST_SHARES[measuredIndex]!
    const estimate = (amount * shares + units - 1n) / units
    const step = shares / units / 4n || 1n
    const candidates: bigint[] = []
    for (let k = -NEIGHBORS; k <= NEIGHBORS; k++) {
      const value = estimate + k * step
      if (value >= 0n && value <= MAX_UINT256) candidates.push(value)
    }
    const maxExcess = units / shares + ROUNDING
    return this.findWord(slot, candidates, (answer) => answer >= amount && answer - amount <= maxExcess, readWith)
  }

  private async findWord(
    slot: StorageSlot,
    values: readonly bigint[],
    isAccepted: (answer: bigint) => boolean,
    readWith: ReadWith,
  ): Promise<{ readonly value: bigint; readonly amount: bigint } | undefined> {
    const answers = await Promise.all(values.map((value) => readWith([[slot, value]])))
    const index = answers.findIndex((answer) => answer !== null && isAccepted(answer))
    return index === -1 ? undefined : { value: values[index]!, amount: answers[index]! }
  }

  private read(writes: readonly [StorageSlot, bigint][], spender?: Address): Promise<OwnerReading> {
    const writesByContract = new Map<Address, Write[]>()
    for (const [{ contract, key }, value] of writes) writesByContract.set(contract, [{ key, value: toWord(value) }])
    return this.reader.readAccount(this.account, writesByContract, spender)
  }
}
