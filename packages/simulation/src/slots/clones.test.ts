/** Layouts of tokens whose code is the same, of those found in part, and of slots that a caller names. */
import { type Address, type Hex, toAddress } from '@sluice/chains'
import { expect, test } from 'vitest'
import { allowanceKey, balanceKey, type Mapping } from './mapping.ts'
import { fictitiousOwner, SLOT_PROBE, type StorageWrites, type TokenReader } from './reader.ts'
import { layoutFromSlots, SlotResolver } from './resolver.ts'

const addressOf = (digit: string): Address => toAddress(`0x${digit.repeat(40)}`)
const WHOLE = { kind: 'plain', shift: 0, width: 256 }

type Place = Omit<Mapping, 'contract'>
type Token = {
  readonly address: Address
  readonly code?: Hex
  readonly balance?: Place
  readonly allowance?: Place
  /** True for a balance whose lowest eight bits belong to something else. */
  readonly isPacked?: boolean
}

function readerOf({ address, code = '0x6001', balance, allowance, isPacked = false }: Token) {
  let searches = 0
  const of = (place: Place) => ({ ...place, contract: address })
  const reader = {
    token: address,
    options: {},
    rpc: { request: async () => null },
    readCode: async () => code,
    readStorage: async () => [],
    touchedAccounts: async () => {
      searches++
      return []
    },
    readOwners: async (count: number, writes: StorageWrites) => {
      const words = new Map((writes.get(address) ?? []).map(({ key, value }) => [key, BigInt(value)]))
      const wordOf = (key: Hex | undefined) => (key && words.get(key)) ?? 0n
      return Array.from({ length: count }, (_, k) => ({
        balance: wordOf(balance && balanceKey(of(balance), fictitiousOwner(k))) / (isPacked ? 256n : 1n),
        allowance: wordOf(allowance && allowanceKey(of(allowance), fictitiousOwner(k), SLOT_PROBE)),
      }))
    },
  } as unknown as TokenReader
  return { reader, searches: () => searches }
}

const RARE = {
  balance: { order: 'solidity', base: 40n },
  allowance: { order: 'solidity', base: 41n },
} as const

test('a token with a common layout is found without a search', async () => {
  const address = addressOf('1')
  const { reader, searches } = readerOf({
    address,
    balance: { order: 'solidity', base: 0n },
    allowance: { order: 'solidity', base: 1n },
  })
  expect(await new SlotResolver().layout(reader)).toEqual({
    balance: { mapping: { order: 'solidity', base: 0n, contract: address }, shape: WHOLE },
    allowance: { order: 'solidity', base: 1n, contract: address },
  })
  expect(searches()).toBe(0)
})

test('an account without code has no layout, and is not searched', async () => {
  const { reader, searches } = readerOf({
    address: addressOf('1'),
    code: '0x',
    balance: { order: 'solidity', base: 0n },
    allowance: { order: 'solidity', base: 1n },
  })
  expect(await new SlotResolver().layout(reader)).toEqual({})
  expect(searches()).toBe(0)
})

test('a part found in a common layout is combined with the part that the search finds', async () => {
  const address = addressOf('1')
  const { reader, searches } = readerOf({
    address,
    balance: { order: 'solidity', base: 0n },
    allowance: RARE.allowance,
  })
  const { balance, allowance } = await new SlotResolver().layout(reader)
  expect(balance?.mapping.base).toBe(0n)
  expect(allowance).toEqual({ ...RARE.allowance, contract: address })
  expect(searches()).toBe(1)
})

test('a packed balance is read once more for its shape', async () => {
  const { reader } = readerOf({ address: addressOf('1'), ...RARE, isPacked: true })
  expect((await new SlotResolver().layout(reader)).balance?.shape).toEqual({ kind: 'plain', shift: 8, width: 248 })
})

test('a clone with its own storage is found without another search', async () => {
  const resolver = new SlotResolver()
  await resolver.layout(readerOf({ address: addressOf('1'), ...RARE }).reader)
  const clone = readerOf({ address: addressOf('2'), ...RARE })
  expect(await resolver.layout(clone.reader)).toEqual({
    balance: { mapping: { ...RARE.balance, contract: addressOf('2') }, shape: WHOLE },
    allowance: { ...RARE.allowance, contract: addressOf('2') },
  })
  expect(clone.searches()).toBe(0)
})

test('a token with the same code but another layout is searched', async () => {
  const resolver = new SlotResolver()
  const first = readerOf({ address: addressOf('1'), ...RARE })
  await resolver.layout(first.reader)
  expect(first.searches()).toBe(1)
  expect(resolver.counts).toMatchObject({ slots: { entries: 1, evicted: 0 }, codes: { entries: 1, evicted: 0 } })
  const elsewhere = { balance: { order: 'vyper', base: 20n }, allowance: { order: 'vyper', base: 21n } } as const
  const moved = readerOf({ address: addressOf('2'), ...elsewhere })
  expect(await resolver.layout(moved.reader)).toEqual({
    balance: { mapping: { ...elsewhere.balance, contract: addressOf('2') }, shape: WHOLE },
    allowance: { ...elsewhere.allowance, contract: addressOf('2') },
  })
  expect(moved.searches()).toBe(1)
})

test('the same code at the same token is not searched again after it was forgotten', async () => {
  const resolver = new SlotResolver()
  const { reader, searches } = readerOf({ address: addressOf('1'), ...RARE })
  const layout = await resolver.layout(reader)
  resolver.forget(reader.token)
  expect(await resolver.layout(reader)).toEqual(layout)
  expect(searches()).toBe(1)
})

test('only complete layouts are reported as found, and a part is stored separately', async () => {
  const resolver = new SlotResolver()
  const reported: Address[] = []
  resolver.onLayoutComplete = (token) => reported.push(token)
  await resolver.layout(readerOf({ address: addressOf('1'), ...RARE }).reader)
  for (const part of [{ balance: RARE.balance }, { allowance: RARE.allowance }]) {
    const { reader, searches } = readerOf({ address: addressOf('2'), code: '0x6002', ...part })
    const layout = await resolver.layout(reader)
    expect(Object.keys(layout)).toEqual(Object.keys(part))
    expect(await resolver.layout(reader)).toBe(layout)
    expect(searches()).toBe(1)
    expect(resolver.statistics.remembered).toBe(1)
    resolver.forget(reader.token)
    await resolver.layout(reader)
    expect(searches()).toBe(2)
    resolver.forget(reader.token)
  }
  expect(reported).toEqual([addressOf('1')])
  expect(resolver.statistics).toEqual({ remembered: 1, hits: 2, misses: 5 })
})

test('a found layout is not replaced by a learned one', async () => {
  const resolver = new SlotResolver()
  const { reader } = readerOf({ address: addressOf('1'), ...RARE })
  const layout = await resolver.layout(reader)
  resolver.learn(reader.token, {})
  expect(await resolver.layout(reader)).toBe(layout)
})

test('slots from the caller are tried in both orders, and a wrong one is ignored', async () => {
  const address = addressOf('1')
  const { reader } = readerOf({
    address,
    balance: { order: 'vyper', base: 900n },
    allowance: { order: 'solidity', base: 901n },
  })
  const balance = { mapping: { order: 'vyper', base: 900n, contract: address }, shape: WHOLE }
  const allowance = { order: 'solidity', base: 901n, contract: address }
  expect(await layoutFromSlots(reader, { balance: 900n, allowance: 901n })).toEqual({ balance, allowance })
  expect(await layoutFromSlots(reader, { balance: 900n, allowance: undefined })).toEqual({ balance })
  expect(await layoutFromSlots(reader, { balance: undefined, allowance: 901n })).toEqual({ allowance })
  expect(await layoutFromSlots(reader, { balance: 901n, allowance: 900n })).toEqual({})
})
