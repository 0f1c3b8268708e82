/**
 * Balance and allowance of one account where the token's layout follows no known rule: the slots that the token reads for that very
 * account are tried one by one. Serves members of structs, namespaces at any offset, hashed keys, and answers of yes or no.
 */
import type { Address } from '@sluice/chains'
import { allowanceOf, balanceOf, type StorageSlot, slotsRead } from './access-list.ts'
import { type Write, word } from './mapping.ts'
import type { OwnerReading, TokenReader } from './reader.ts'

/** Shows in words of 96 bits and more, and is no answer by chance. */
const MARKER = 2n ** 80n + 0x7654321n
const ALL = 2n ** 256n - 1n
/** Lowest bits at which packed words keep a number. */
const SHIFTS = [8n, 16n, 32n, 40n, 48n, 64n, 96n, 128n, 160n]
/** Words by which a rate between shares and units shows. */
const SCALES = [2n ** 60n, 2n ** 90n, 2n ** 120n]
/** Numbers of shares that are tried around the one that the rate gives. */
const NEIGHBORS = 8n
/** Base units by which a balance of shares may be above the amount. */
const ROUNDING = 2n

export type KeyedWrite = {
  readonly contract: Address
  readonly write: Write
  /** The token's answer after that, base units. */
  readonly amount: bigint
}

type Reading = (write: readonly [StorageSlot, bigint][]) => Promise<bigint | null>

export class KeyedSearch {
  private readonly reader: TokenReader
  private readonly account: Address

  constructor(reader: TokenReader, account: Address) {
    this.reader = reader
    this.account = account
  }

  /** The write by which the account has the amount, or the least above it that shares can express. */
  async balance(amount: bigint): Promise<KeyedWrite | undefined> {
    const slots = await slotsRead(this.reader.rpc, this.reader.token, balanceOf(this.account), this.reader.options)
    const read: Reading = async (writes) => (await this.read(writes)).balance
    for (const { slot, shown, real } of await this.moving(slots, read)) {
      const value = await this.valueFor(slot, { amount, shown, real }, read)
      if (value)
        return { contract: slot.contract, write: { key: slot.key, value: word(value.value) }, amount: value.amount }
    }
    return undefined
  }

  /** The write by which the spender may take at least the amount. */
  async allowance(spender: Address, amount: bigint): Promise<KeyedWrite | undefined> {
    const data = allowanceOf(this.account, spender)
    const slots = await slotsRead(this.reader.rpc, this.reader.token, data, this.reader.options)
    const read: Reading = async (writes) => (await this.read(writes, spender)).allowance
    // Exactly the amount where the token keeps numbers; where it keeps yes or no, any word but zero is yes.
    const words = [amount, 1n, ALL]
    const tried = slots.flatMap((slot) => words.map((value) => ({ slot, value })))
    const answers = await Promise.all(tried.map(({ slot, value }) => read([[slot, value]])))
    const exact = answers.indexOf(amount)
    const enough = answers.findIndex((answer) => answer !== null && answer >= amount)
    const found = tried[exact === -1 ? enough : exact]
    if (!found) return undefined
    const { contract, key } = found.slot
    return { contract, write: { key, value: word(found.value) }, amount }
  }

  /** Slots that change the answer, those that hold it as it is first. */
  private async moving(slots: readonly StorageSlot[], read: Reading) {
    const [before, words, ...answers] = await Promise.all([
      read([]),
      Promise.all(slots.map(async ({ contract, key }) => (await this.reader.storage(contract, [BigInt(key)]))[0]!)),
      ...slots.map((slot) => read([[slot, MARKER]])),
    ])
    return slots
      .map((slot, k) => ({ slot, shown: answers[k]!, real: words[k]! }))
      .filter(({ shown }) => shown !== null && shown !== before)
      .sort((a, b) => Number(b.shown === MARKER) - Number(a.shown === MARKER))
  }

  /** The word of a slot for an amount: the number itself, at some bits of it beside others that stay, or a number of shares. */
  private async valueFor(
    slot: StorageSlot,
    { amount, shown, real }: { readonly amount: bigint; readonly shown: bigint | null; readonly real: bigint },
    read: Reading,
  ): Promise<{ readonly value: bigint; readonly amount: bigint } | undefined> {
    const rest = (shown ?? 0n) - MARKER
    const low = ALL >> 128n
    const plain = [
      amount,
      // What lies in other slots counts, too.
      ...(rest > 0n && amount >= rest ? [amount - rest] : []),
      (real & ~low) | (amount & low),
      ...SHIFTS.map((shift) => (real & ((1n << shift) - 1n)) | ((amount << shift) & ALL)),
    ]
    const exact = await this.firstOf(slot, plain, (answer) => answer === amount, read)
    if (exact) return exact
    const answers = await Promise.all(SCALES.map((scale) => read([[slot, scale]])))
    const known = answers.findLastIndex((answer) => answer !== null && answer > 0n)
    const units = answers[known]
    if (!units) return undefined
    const shares = SCALES[known]!
    const estimate = (amount * shares + units - 1n) / units
    const step = shares / units / 4n || 1n
    const near: bigint[] = []
    for (let k = -NEIGHBORS; k <= NEIGHBORS; k++) if (estimate + k * step >= 0n) near.push(estimate + k * step)
    const most = units / shares + ROUNDING
    return this.firstOf(slot, near, (answer) => answer >= amount && answer - amount <= most, read)
  }

  private async firstOf(
    slot: StorageSlot,
    values: readonly bigint[],
    fits: (answer: bigint) => boolean,
    read: Reading,
  ): Promise<{ readonly value: bigint; readonly amount: bigint } | undefined> {
    const answers = await Promise.all(values.map((value) => read([[slot, value]])))
    const index = answers.findIndex((answer) => answer !== null && fits(answer))
    return index === -1 ? undefined : { value: values[index]!, amount: answers[index]! }
  }

  private read(writes: readonly [StorageSlot, bigint][], spender?: Address): Promise<OwnerReading> {
    const byContract = new Map<Address, Write[]>()
    for (const [{ contract, key }, value] of writes) byContract.set(contract, [{ key, value: word(value) }])
    return this.reader.account(this.account, byContract, spender)
  }
}
