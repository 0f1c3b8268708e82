import { type Address, type Hex, toAddress } from '@sluice/chains'
import { toBeHex } from 'ethers'
import { expect, test } from 'vitest'
import { allowanceCalldata, balanceOfCalldata } from './access-list.ts'
import { AccountSlotSearch } from './account-slots.ts'
import { SLOT_PROBE, type StorageWrites, type TokenReader } from './reader.ts'

const token = toAddress(`0x${'7'.repeat(40)}`)
const account = toAddress(`0x${'9'.repeat(40)}`)
const spender = toAddress(`0x${'5'.repeat(40)}`)
const MARKER = 2n ** 80n + 0x7654321n
const ALL = 2n ** 256n - 1n
const keyOf = (slot: bigint): Hex => toBeHex(slot, 32) as Hex

type WordAt = (slot: bigint) => bigint
type Token = {
  /** Words that the token has, by slot. The last slots that it reads are tried first. */
  readonly slots: readonly (readonly [slot: bigint, word: bigint])[]
  readonly balance?: (at: WordAt) => bigint | null
  readonly allowance?: (at: WordAt) => bigint | null
}

function searchOf({ slots, balance = () => 0n, allowance = () => 0n }: Token) {
  const words = new Map(slots)
  const inputs: string[] = []
  /** Words written in each reading. */
  const written: bigint[][] = []
  const reader = {
    token,
    options: { timeoutMs: 9 },
    rpc: {
      request: async (_: string, [{ data }]: readonly [{ data: string }]) => {
        inputs.push(data)
        return { accessList: [{ address: token, storageKeys: slots.map(([slot]) => keyOf(slot)) }] }
      },
    },
    readStorage: async (contract: Address, [slot]: readonly bigint[]) => [contract === token ? words.get(slot!) : 0n],
    readAccount: async (readAddress: Address, writes: StorageWrites, caller: Address = SLOT_PROBE) => {
      const changed = new Map((writes.get(token) ?? []).map(({ key, value }) => [BigInt(key), BigInt(value)]))
      written.push([...changed.values()])
      const at: WordAt = (slot) => changed.get(slot) ?? words.get(slot) ?? 0n
      const isThis = readAddress === account
      return { balance: isThis ? balance(at) : 0n, allowance: isThis && caller === spender ? allowance(at) : 0n }
    },
  } as unknown as TokenReader
  return { search: new AccountSlotSearch(reader, account), inputs, written }
}

const balanceFor = (token: Token, amount: bigint) => searchOf(token).search.findBalanceWrite(amount)
const allowanceFor = (token: Token, amount: bigint) => searchOf(token).search.findAllowanceWrite(spender, amount)
const writeOf = (slot: bigint, value: bigint, amount: bigint) => ({
  contract: token,
  write: { key: keyOf(slot), value: toBeHex(value, 32) },
  amount,
})

test('the slot that the balance depends on is written', async () => {
  const { search, inputs } = searchOf({
    slots: [
      [1n, 500n],
      [2n, 60n],
      [3n, 1n],
    ],
    balance: (at) => at(2n),
  })
  expect(await search.findBalanceWrite(1_000n)).toEqual(writeOf(2n, 1_000n, 1_000n))
  expect(inputs).toEqual([balanceOfCalldata(account)])
})

test('a token without slots, or whose balance no slot changes, cannot be written', async () => {
  expect(await balanceFor({ slots: [] }, 5n)).toBeUndefined()
  expect(await balanceFor({ slots: [[1n, 5n]], balance: () => 5n }, 5n)).toBeUndefined()
  expect(await balanceFor({ slots: [[1n, 5n]], balance: (at) => (at(1n) === 5n ? 5n : null) }, 5n)).toBeUndefined()
})

test('a slot that holds the balance itself takes precedence over one that changes it in another way', async () => {
  // The index, read last, doubles the balance of anyone.
  const slots = [[1n, 2n * 10n ** 18n] as const, [2n, 10n ** 18n] as const]
  const balance = (at: WordAt) => (at(1n) * at(2n)) / 10n ** 18n
  expect(await balanceFor({ slots, balance }, 777n)).toEqual(writeOf(1n, 777n, 777n))
})

test('the part of a balance in another slot is subtracted', async () => {
  const slots = [[1n, 30n] as const, [2n, 50n] as const]
  const balance = (at: WordAt) => at(1n) + at(2n)
  expect(await balanceFor({ slots, balance }, 1_000n)).toEqual(writeOf(2n, 970n, 1_000n))
  expect(await balanceFor({ slots, balance }, 30n)).toEqual(writeOf(2n, 0n, 30n))
  expect(await balanceFor({ slots, balance }, 29n)).toBeUndefined()
})

test('a required upper half is kept', async () => {
  const real = 7n * 2n ** 128n + 3n
  const balance = (at: WordAt) => {
    const low = at(1n) % 2n ** 128n
    return at(1n) / 2n ** 128n === 7n ? low : 2n * low
  }
  expect(await balanceFor({ slots: [[1n, real]], balance }, 1_001n)).toEqual(
    writeOf(1n, 7n * 2n ** 128n + 1_001n, 1_001n),
  )
})

test.each([8n, 16n, 32n, 40n, 48n, 64n, 96n, 128n, 160n])(
  'a number from bit %i on keeps the bits below',
  async (shift) => {
    const low = 2n ** shift - 1n
    // From bit 96 on the marker is too small to show by itself.
    const balance = (at: WordAt) => at(1n) / 2n ** shift + (at(1n) === MARKER ? 1n : 0n)
    expect(await balanceFor({ slots: [[1n, low]], balance }, 1_001n)).toEqual(
      writeOf(1n, 1_001n * 2n ** shift + low, 1_001n),
    )
  },
)

test('shares are the fewest around the estimate that give the amount or little more', async () => {
  const slots = [[1n, 4n]] as const
  const balance = (at: WordAt) => (at(1n) * 3n) / 2n
  // 667 shares are 1,000.5 base units; 1,001 is between those of 667 and of 668.
  expect(await balanceFor({ slots, balance }, 1_000n)).toEqual(writeOf(1n, 667n, 1_000n))
  expect(await balanceFor({ slots, balance }, 1_001n)).toEqual(writeOf(1n, 668n, 1_002n))
})

test('shares may be worth more than the amount by one share and two base units', async () => {
  const settingOf = (above: bigint) =>
    balanceFor(
      {
        slots: [[1n, 0n]],
        balance: (at) => (at(1n) < 101n ? 0n : at(1n) * 10n + (at(1n) < 2n ** 50n ? above : 0n)),
      },
      1_001n,
    )
  expect(await settingOf(3n)).toEqual(writeOf(1n, 101n, 1_013n))
  expect(await settingOf(4n)).toBeUndefined()
})

test('no number of shares is larger than a word', async () => {
  const { search, written } = searchOf({ slots: [[1n, 0n]], balance: (at) => at(1n) / 2n ** 60n })
  expect(await search.findBalanceWrite(2n ** 200n)).toBeUndefined()
  expect(written.flat().filter((word) => word > ALL)).toEqual([])
})

test('the rate is that of the largest word that is answered', async () => {
  const slots = [[1n, 4n]] as const
  const upTo = (bits: bigint) => (at: WordAt) => (at(1n) >= 2n ** bits ? null : (at(1n) * 3n) / 2n)
  expect(await balanceFor({ slots, balance: upTo(100n) }, 1_000n)).toEqual(writeOf(1n, 667n, 1_000n))
  expect(await balanceFor({ slots, balance: upTo(85n) }, 1_000n)).toEqual(writeOf(1n, 667n, 1_000n))
  expect(await balanceFor({ slots, balance: (at) => (at(1n) === MARKER ? 1n : 0n) }, 1_000n)).toBeUndefined()
})

test.each([
  // Estimate, a quarter of the shares of a base unit as step, and none below zero.
  [100n, Array.from({ length: 17 }, (_, k) => 102_400n + BigInt(k - 8) * 256n)],
  [1n, Array.from({ length: 13 }, (_, k) => BigInt(k) * 256n)],
])('for %s base units of 1,024 shares, shares are tried in steps of 256', async (amount, expected) => {
  const { search, written } = searchOf({
    slots: [[1n, 0n]],
    // Plain words are refused, so that only shares are left.
    balance: (at) => (at(1n) % 256n === 0n || at(1n) === MARKER ? at(1n) / 1_024n : null),
  })
  await search.findBalanceWrite(amount)
  expect(written.slice(-expected.length)).toEqual(expected.map((value) => [value]))
})

test('an allowance in numbers is exactly the amount', async () => {
  const { search, inputs } = searchOf({ slots: [[1n, 0n]], allowance: (at) => at(1n) })
  expect(await search.findAllowanceWrite(spender, 700n)).toEqual(writeOf(1n, 700n, 700n))
  expect(inputs).toEqual([allowanceCalldata(account, spender)])
})

test.each([
  ['any word', (word: bigint) => word !== 0n, 700n],
  ['one', (word: bigint) => word === 1n, 1n],
  ['all ones', (word: bigint) => word === ALL, ALL],
])('a boolean allowance is set by %s', async (_, isYes, value) => {
  const allowance = (at: WordAt) => (isYes(at(1n)) ? ALL : 0n)
  expect(await allowanceFor({ slots: [[1n, 0n]], allowance }, 700n)).toEqual(writeOf(1n, value, 700n))
})

test('an exact allowance takes precedence over a larger one', async () => {
  const slots = [[1n, 0n] as const, [2n, 0n] as const]
  const allowance = (at: WordAt) => (at(2n) > 0n ? ALL : at(1n))
  expect(await allowanceFor({ slots, allowance }, 700n)).toEqual(writeOf(1n, 700n, 700n))
})

test('an allowance below the amount, or without an answer, is rejected', async () => {
  for (const answer of [699n, 0n, null])
    expect(await allowanceFor({ slots: [[1n, 0n]], allowance: () => answer }, 700n)).toBeUndefined()
  // Just above is enough.
  expect(await allowanceFor({ slots: [[1n, 0n]], allowance: () => 701n }, 700n)).toEqual(writeOf(1n, 700n, 700n))
})
