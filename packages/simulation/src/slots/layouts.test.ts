/** Layouts found and written on tokens in memory, whose storage keys are derived by ethers' ABI coder. */
import { type Address, type Hex, toAddress } from '@sluice/chains'
import { AbiCoder, keccak256, solidityPackedKeccak256, toBeHex } from 'ethers'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { computeBalanceWrites } from './amount.ts'
import { findCommonMappings } from './find.ts'
import { allowanceKey, balanceKey, balanceWrites, type MappingOrder } from './mapping.ts'
import { fictitiousOwner, SLOT_PROBE, type StorageWrites, type TokenReader } from './reader.ts'
import { readShape } from './shape.ts'

const token = toAddress(`0x${'7'.repeat(40)}`)
const holder = toAddress(`0x${'9'.repeat(40)}`)
const abi = AbiCoder.defaultAbiCoder()
const hash = (types: readonly string[], values: readonly unknown[]) => keccak256(abi.encode(types, values))

/** Key of a balance as contracts derive it. */
function keyOf(order: MappingOrder, base: bigint, account: Address): string {
  if (order === 'vyper') return hash(['uint256', 'address'], [base, account])
  if (order === 'solady') return solidityPackedKeccak256(['address', 'uint64', 'uint32'], [account, 0n, base])
  return hash(['address', 'uint256'], [account, base])
}
function allowanceKeyOf(order: MappingOrder, base: bigint, account: Address, spender: Address): string {
  if (order === 'vyper') return hash(['bytes32', 'address'], [keyOf(order, base, account), spender])
  if (order === 'solady')
    return solidityPackedKeccak256(['address', 'uint64', 'uint32', 'address'], [account, 0n, base, spender])
  return hash(['address', 'bytes32'], [spender, keyOf(order, base, account)])
}

type Layout = {
  readonly order: MappingOrder
  readonly base: bigint
  readonly allowanceBase: bigint
  /** Bits of the balance within its word. */
  readonly shift?: number
  readonly width?: number
  /** Base units of so many shares. */
  readonly rate?: readonly [units: bigint, shares: bigint]
  readonly real?: bigint
}

/** Reads a token in memory under the writes of a call, as the probe reads one on chain. */
function readerOf({ order, base, allowanceBase, shift = 0, width = 256, rate = [1n, 1n], real = 0n }: Layout) {
  const indexed = new WeakMap<StorageWrites, ReadonlyMap<string, bigint>>()
  const wordAt = (writes: StorageWrites, key: string) => {
    let words = indexed.get(writes)
    if (!words) {
      words = new Map((writes.get(token) ?? []).map((write) => [write.key, BigInt(write.value)]))
      indexed.set(writes, words)
    }
    return words.get(key) ?? 0n
  }
  const balanceOf = (account: Address, writes: StorageWrites): bigint => {
    const key = keyOf(order, base, account)
    const word = wordAt(writes, key)
    if (order === 'minime')
      return word === 0n
        ? 0n
        : wordAt(writes, toBeHex(BigInt.asUintN(256, BigInt(keccak256(key)) + word - 1n), 32)) >> 128n
    return (((word >> BigInt(shift)) & ((1n << BigInt(width)) - 1n)) * rate[0]) / rate[1]
  }
  const readingOf = (account: Address, writes: StorageWrites) => ({
    balance: balanceOf(account, writes),
    allowance: wordAt(writes, allowanceKeyOf(order, allowanceBase, account, SLOT_PROBE)),
  })
  const reader = {
    token,
    readOwners: async (count: number, writes: StorageWrites) =>
      Array.from({ length: count }, (_, k) => readingOf(fictitiousOwner(k), writes)),
    readStorage: async (_: Address, slots: readonly bigint[]) => slots.map(() => real),
  }
  return { reader: reader as unknown as TokenReader, balanceOf }
}
const writesOf = (list: StorageWrites extends ReadonlyMap<Address, infer W> ? W : never): StorageWrites =>
  new Map([[token, list]])

const bases = fc.bigInt({ min: 0n, max: 2n ** 32n - 1n })
const accounts = fc.bigInt({ min: 1n, max: 2n ** 160n - 1n }).map((n) => toAddress(toBeHex(n, 20) as Hex))

test('storage keys are those of Solidity, Vyper and Solady', () => {
  fc.assert(
    fc.property(
      fc.constantFrom<MappingOrder>('solidity', 'vyper', 'solady', 'minime'),
      ...[bases, accounts, accounts],
      fc.constantFrom(0n, 1n, 3n),
      (order, base, account, spender, offset) => {
        const mapping = { order, base, contract: token, offset }
        const shifted = (key: string) => toBeHex(BigInt(key) + offset, 32)
        expect(balanceKey(mapping, account)).toBe(shifted(keyOf(order, base, account)))
        expect(allowanceKey(mapping, account, spender)).toBe(shifted(allowanceKeyOf(order, base, account, spender)))
      },
    ),
  )
})

test.each<Layout>([
  { order: 'solidity', base: 0n, allowanceBase: 1n },
  { order: 'solidity', base: 9n, allowanceBase: 10n },
  { order: 'solidity', base: 51n, allowanceBase: 52n },
  { order: 'vyper', base: 3n, allowanceBase: 4n },
  { order: 'solady', base: 0x87a211a2n, allowanceBase: 0x7f5e9f20n },
])('a $order token with balances at $base is found', async (layout) => {
  const { order, base, allowanceBase } = layout
  const mappings = await findCommonMappings(readerOf(layout).reader)
  expect(mappings.balance).toEqual({
    mapping: { order, base, contract: token },
    shape: { kind: 'plain', shift: 0, width: 256 },
  })
  expect(mappings.allowance).toEqual({ order, base: allowanceBase, contract: token })
})

test('checkpoints of MiniMe are found and hold a plain balance', async () => {
  const { reader, balanceOf } = readerOf({ order: 'minime', base: 8n, allowanceBase: 99n })
  const { balance, allowance } = await findCommonMappings(reader)
  expect(balance?.mapping).toEqual({ order: 'minime', base: 8n, contract: token })
  expect(allowance).toBeUndefined()
  expect(balanceOf(holder, writesOf(balanceWrites(balance!.mapping, holder, 123n)))).toBe(123n)
})

test('a token elsewhere is not found', async () => {
  expect(await findCommonMappings(readerOf({ order: 'solidity', base: 999n, allowanceBase: 998n }).reader)).toEqual({})
})

const mapping = { order: 'solidity', base: 2n, contract: token } as const
const packed = fc.record({ shift: fc.integer({ min: 0, max: 100 }), width: fc.integer({ min: 20, max: 150 }) })

test('a balance packed with other fields is written without changing them', async () => {
  await fc.assert(
    fc.asyncProperty(
      packed,
      fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
      fc.bigInt({ min: 0n, max: 2n ** 150n }),
      async (bits, real, amount) => {
        const { reader, balanceOf } = readerOf({ ...mapping, allowanceBase: 3n, ...bits, real })
        const shape = await readShape(reader, mapping)
        expect(shape).toEqual({ kind: 'plain', ...bits })
        const setting = await computeBalanceWrites(reader, { mapping, shape: shape! }, holder, amount)
        if (amount >> BigInt(bits.width) !== 0n) return void expect(setting).toBeUndefined()
        expect(setting?.balance).toBe(amount)
        expect(balanceOf(holder, writesOf(setting!.writes))).toBe(amount)
        const ownBits = ((1n << BigInt(bits.width)) - 1n) << BigInt(bits.shift)
        expect(BigInt(setting!.writes[0]!.value) & ~ownBits).toBe(real & ~ownBits)
      },
    ),
    { numRuns: 25 },
  )
})

test('shares that are worth more or less than a base unit give the amount, or the least above it', async () => {
  let set = 0
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(fc.bigInt({ min: 1n, max: 10n ** 9n }), fc.bigInt({ min: 1n, max: 10n ** 9n })),
      fc.bigInt({ min: 10n ** 12n, max: 10n ** 24n }),
      async (rate, amount) => {
        fc.pre(rate[0] !== rate[1])
        const { reader, balanceOf } = readerOf({ ...mapping, allowanceBase: 3n, rate })
        const shape = await readShape(reader, mapping)
        if (shape?.kind !== 'shares') return
        const setting = await computeBalanceWrites(reader, { mapping, shape }, holder, amount)
        if (!setting) return
        set++
        expect(balanceOf(holder, writesOf(setting.writes))).toBe(setting.balance)
        expect(setting.balance).toBeGreaterThanOrEqual(amount)
        expect(setting.balance - amount).toBeLessThanOrEqual(rate[0] / rate[1] + 2n)
      },
    ),
    { numRuns: 25 },
  )
  expect(set).toBeGreaterThan(12)
})
