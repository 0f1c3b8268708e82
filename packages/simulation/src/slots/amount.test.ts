import { type Hex, toAddress } from '@sluice/chains'
import { AbiCoder, keccak256, toBeHex } from 'ethers'
import { expect, test } from 'vitest'
import { computeBalanceWrites } from './amount.ts'
import { fictitiousOwner, type StorageWrites, type TokenReader } from './reader.ts'
import type { Rate, Shape } from './shape.ts'

const contract = toAddress(`0x${'7'.repeat(40)}`)
const holder = toAddress(`0x${'9'.repeat(40)}`)
const mapping = { order: 'solidity', base: 2n, contract } as const
const keyOf = (account: string) =>
  keccak256(AbiCoder.defaultAbiCoder().encode(['address', 'uint256'], [account, mapping.base])) as Hex
/** Owners that a shape is read for: one for each bit, and one without a word. */
const SHAPE_OWNERS = 257

type Model = {
  /** Base units of a number of shares. */
  readonly balanceOf?: (shares: bigint) => bigint | null
  /** Base units of a single bit of shares, for tokens whose rate changes between two calls. */
  readonly bitOf?: (bit: bigint) => bigint
  readonly real?: bigint
}

function readerOf({ balanceOf = (shares) => shares, bitOf, real = 0n }: Model = {}) {
  /** Numbers of shares of each call that reads balances. */
  const tried: bigint[][] = []
  const shapes: number[] = []
  const stored: unknown[] = []
  const reader = {
    readOwners: async (count: number, writes: StorageWrites) => {
      const words = new Map((writes.get(contract) ?? []).map(({ key, value }) => [key, BigInt(value)]))
      const shares = Array.from({ length: count }, (_, k) => words.get(keyOf(fictitiousOwner(k))) ?? 0n)
      const isShape = count === SHAPE_OWNERS
      if (isShape) shapes.push(count)
      else tried.push(shares)
      return shares.map((value) => ({ balance: (isShape && bitOf ? bitOf : balanceOf)(value), allowance: null }))
    },
    readStorage: async (...args: unknown[]) => {
      stored.push(args)
      return [real]
    },
  } as unknown as TokenReader
  return { reader, tried, shapes, stored }
}

const plain = (shift: number, width: number): Shape => ({ kind: 'plain', shift, width })
const sharesAt = (rate: Rate, width = 256): Shape => ({ kind: 'shares', shift: 0, width, rate })
const range = (first: bigint, last: bigint, step = 1n) =>
  Array.from({ length: Number((last - first) / step) + 1 }, (_, k) => first + BigInt(k) * step)

test('a balance that fills its word is written without reading the word', async () => {
  const { reader, stored } = readerOf({ real: 99n })
  expect(await computeBalanceWrites(reader, { mapping, shape: plain(0, 256) }, holder, 5n)).toEqual({
    contract,
    writes: [{ key: keyOf(holder), value: toBeHex(5n, 32) }],
    balance: 5n,
  })
  expect(stored).toEqual([])
})

test('a packed balance leaves the other bits of its word as they are, and must fit its own', async () => {
  const real = 2n ** 256n - 1n
  const { reader, stored } = readerOf({ real })
  const layout = { mapping, shape: plain(16, 96) }
  const setting = await computeBalanceWrites(reader, layout, holder, 5n)
  const otherBits = real - (2n ** 96n - 1n) * 2n ** 16n
  expect(setting?.writes).toEqual([{ key: keyOf(holder), value: toBeHex(otherBits + 5n * 2n ** 16n, 32) }])
  expect(stored).toEqual([[contract, [BigInt(keyOf(holder))]]])
  const atMaximum = await computeBalanceWrites(reader, layout, holder, 2n ** 96n - 1n)
  expect(atMaximum).toMatchObject({ balance: 2n ** 96n - 1n, writes: [{ value: toBeHex(real, 32) }] })
  expect(await computeBalanceWrites(reader, layout, holder, 2n ** 96n)).toBeUndefined()
})

test.each([
  ['minime', plain(0, 128), 0],
  ['minime', plain(0, 64), 1],
  ['minime', plain(0, 256), 1],
  ['solidity', plain(0, 128), 1],
  ['solidity', plain(0, 255), 1],
] as const)('the word of a %s mapping with the shape %j is read %i times', async (order, shape, reads) => {
  const { reader, stored } = readerOf()
  await computeBalanceWrites(reader, { mapping: { ...mapping, order }, shape }, holder, 5n)
  expect(stored).toHaveLength(reads)
})

test('shares are the fewest that give the amount, of 32 on either side of the estimate', async () => {
  // Three shares are two base units.
  const { reader, tried, shapes } = readerOf({ balanceOf: (shares) => (shares * 2n) / 3n })
  const layout = { mapping, shape: sharesAt({ shares: 3n, units: 2n }) }
  const setting = await computeBalanceWrites(reader, layout, holder, 1_001n)
  // 1,502 shares are 1,001.3 base units, and one share less is below 1,001.
  expect(setting).toEqual({
    contract,
    writes: [{ key: keyOf(holder), value: toBeHex(1_502n, 32) }],
    balance: 1_001n,
  })
  expect(tried).toEqual([range(1_470n, 1_534n)])
  expect(shapes).toEqual([])
})

test('negative numbers are not tried, and zero shares suffice for zero', async () => {
  const { reader, tried } = readerOf({ balanceOf: (shares) => shares * 2n })
  const layout = { mapping, shape: sharesAt({ shares: 1n, units: 2n }) }
  expect(await computeBalanceWrites(reader, layout, holder, 7n)).toMatchObject({ balance: 8n })
  expect(await computeBalanceWrites(reader, layout, holder, 0n)).toMatchObject({
    balance: 0n,
    writes: [{ value: toBeHex(0n, 32) }],
  })
  expect(tried).toEqual([range(0n, 36n), range(0n, 32n)])
})

test('if a base unit is many shares, the step is an eighth of them', async () => {
  const { reader, tried } = readerOf({ balanceOf: (shares) => shares / 80n })
  const layout = { mapping, shape: sharesAt({ shares: 80n, units: 1n }) }
  expect(await computeBalanceWrites(reader, layout, holder, 1_000n)).toMatchObject({
    balance: 1_000n,
    writes: [{ value: toBeHex(80_000n, 32) }],
  })
  expect(tried).toEqual([range(79_680n, 80_320n, 10n)])
})

test('numbers that do not fit the word are not tried', async () => {
  const { reader, tried } = readerOf({ balanceOf: (shares) => shares * 2n })
  const layout = { mapping, shape: sharesAt({ shares: 1n, units: 2n }, 7) }
  expect(await computeBalanceWrites(reader, layout, holder, 250n)).toMatchObject({ balance: 250n })
  expect(tried).toEqual([range(93n, 127n)])
})

test('a balance may be above the amount by one share and two base units of rounding', async () => {
  // Two shares are 20 base units. Twelve above is the last that counts.
  const settingOf = (above: bigint) => {
    const { reader } = readerOf({ balanceOf: (shares) => (shares < 10n ? 0n : 100n + above) })
    return computeBalanceWrites(reader, { mapping, shape: sharesAt({ shares: 2n, units: 20n }) }, holder, 100n)
  }
  expect(await settingOf(12n)).toMatchObject({ balance: 112n })
  expect(await settingOf(13n)).toBeUndefined()
})

test('a failed response is skipped', async () => {
  const { reader } = readerOf({ balanceOf: (shares) => (shares % 2n === 0n ? null : shares * 2n) })
  const layout = { mapping, shape: sharesAt({ shares: 1n, units: 2n }) }
  expect(await computeBalanceWrites(reader, layout, holder, 8n)).toMatchObject({ balance: 10n })
})

test.each([
  ['risen', (shares: bigint) => shares * 4n, 50n],
  ['fallen', (shares: bigint) => (shares * 3n) / 2n, 134n],
])('a rate that has %s in between is read again', async (_, rate, shares) => {
  const balanceOf = (value: bigint) => (value < 2n ** 128n ? rate(value) : 0n)
  const { reader, tried, shapes } = readerOf({ balanceOf })
  const layout = { mapping, shape: sharesAt({ shares: 1n, units: 2n }) }
  expect(await computeBalanceWrites(reader, layout, holder, 200n)).toMatchObject({
    writes: [{ value: toBeHex(shares, 32) }],
    balance: rate(shares),
  })
  expect(tried).toEqual([range(68n, 132n), range(shares - 32n, shares + 32n)])
  expect(shapes).toHaveLength(1)
})

test('a rate that changes in three rounds is abandoned, and so is a token without shares', async () => {
  const layout = { mapping, shape: sharesAt({ shares: 1n, units: 2n }) }
  const moving = readerOf({ balanceOf: () => 0n, bitOf: (bit) => (bit < 2n ** 128n ? bit * 3n : 0n) })
  expect(await computeBalanceWrites(moving.reader, layout, holder, 200n)).toBeUndefined()
  expect(moving.tried).toHaveLength(3)
  const plainNow = readerOf()
  expect(await computeBalanceWrites(plainNow.reader, layout, holder, 200n)).toBeUndefined()
  expect(plainNow.tried).toHaveLength(1)
})
