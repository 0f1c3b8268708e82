import { type Address, type Hex, toAddress } from '@sluice/chains'
import { id, keccak256, toBeHex } from 'ethers'
import { expect, test } from 'vitest'
import { balanceKey, type Mapping } from './mapping.ts'
import { fictitiousOwner, type StorageWrites, type TokenReader } from './reader.ts'
import { readContractData, searchMappings } from './search.ts'

const token = toAddress(`0x${'7'.repeat(40)}`)
const addressOf = (index: number): Address => toAddress(toBeHex(2n ** 100n + BigInt(index), 20))
const NOTHING = { code: '0x', words: [] } as const
/** The marker of the first owners, as the finder writes it. */
const SMALL = 2n ** 80n + 0x1234567n

type World = {
  readonly code?: Readonly<Record<Address, Hex>>
  readonly words?: Readonly<Record<Address, readonly bigint[]>>
  /** Accounts that the token asks. */
  readonly asks?: readonly Address[]
  /** Mapping that holds the balances. */
  readonly balances?: Mapping
  readonly allowances?: Mapping
}

function readerOf({ code = {}, words = {}, asks = [], balances, allowances }: World = {}) {
  const touched: (readonly Address[])[] = []
  const stored: unknown[][] = []
  const lists: string[] = []
  const tried: StorageWrites[] = []
  /** Numbers of the owners whose key in the mapping is written. */
  const ownersIn = (writes: StorageWrites, mapping: Mapping | undefined, count: number) => {
    const keys = new Set((mapping && writes.get(mapping.contract))?.map(({ key }) => key))
    const numbers = mapping ? Array.from({ length: count }, (_, k) => k) : []
    return new Set(numbers.filter((k) => keys.has(balanceKey(mapping!, fictitiousOwner(k)))))
  }
  const reader = {
    token,
    options: {},
    rpc: {
      request: async (method: string) => {
        lists.push(method)
        return null
      },
    },
    touchedAccounts: async (accounts: readonly Address[]) => {
      touched.push(accounts)
      return accounts.filter((account) => asks.includes(account))
    },
    readCode: async (contract: Address) => code[contract] ?? '0x',
    readStorage: async (...args: [Address, readonly bigint[]]) => {
      stored.push(args)
      return words[args[0]] ?? []
    },
    readOwners: async (count: number, writes: StorageWrites) => {
      tried.push(writes)
      const [holding, allowing] = [balances, allowances].map((mapping) => ownersIn(writes, mapping, count))
      return Array.from({ length: count }, (_, k) => ({
        balance: holding!.has(k) ? SMALL : 0n,
        // An owner of the first number allows as much as it has.
        allowance: allowing!.has(k) ? SMALL : 0n,
      }))
    },
  } as unknown as TokenReader
  return { reader, touched, stored, lists, contracts: () => tried.map((writes) => [...writes.keys()]) }
}

const push20 = (address: Address) => `73${address.slice(2)}`
const push = (size: number, value: bigint) =>
  `${(0x5f + size).toString(16)}${value.toString(16).padStart(2 * size, '0')}`
const codeOf = (...parts: readonly string[]): Hex => `0x${parts.join('')}`

test('a trail is the code, and the words of 64 slots and of the known proxy slots', async () => {
  const { reader, stored } = readerOf({ code: { [token]: '0x6001' }, words: { [token]: [5n] } })
  expect(await readContractData(reader, token)).toEqual({ code: '0x6001', words: [5n] })
  const [, slots] = stored[0] as [Address, bigint[]]
  expect(slots.slice(0, 64)).toEqual(Array.from({ length: 64 }, (_, slot) => BigInt(slot)))
  expect(slots.slice(64)).toEqual([
    BigInt(id('eip1967.proxy.implementation')) - 1n,
    BigInt(id('eip1967.proxy.beacon')) - 1n,
    BigInt(keccak256(Buffer.from('org.zeppelinos.proxy.implementation'))),
  ])
})

test('addresses in words, after a flag byte, and in code are searched, except for the token and small numbers', async () => {
  const [plain, flagged, pushed] = [1, 2, 3].map(addressOf) as [Address, Address, Address]
  const { reader, touched } = readerOf()
  const words = [
    BigInt(plain),
    BigInt(flagged) * 256n + 1n,
    BigInt(token),
    2n ** 40n,
    // What lies above an address belongs to something else.
    2n ** 200n + 2n ** 40n + 1n,
  ]
  const code = codeOf(
    push20(pushed),
    push20(token),
    push20(toAddress(toBeHex(2n ** 40n, 20))),
    push(32, 2n ** 160n + 9n),
  )
  await searchMappings(reader, { code, words })
  const [looked] = touched as [readonly Address[]]
  expect(looked).toContain(plain)
  expect(looked).toContain(flagged)
  expect(looked).toContain(pushed)
  expect(looked).toContain(toBeHex(2n ** 40n + 1n, 20))
  expect(looked).not.toContain(token)
  expect(looked).not.toContain(toBeHex(2n ** 40n, 20))
  expect(looked).not.toContain(toBeHex(9n, 20))
  expect(new Set(looked).size).toBe(looked.length)
})

test('a constant of 32 bytes is an address up to 2^160 - 1', async () => {
  const { reader, touched } = readerOf()
  const largest = 2n ** 160n - 1n
  await searchMappings(reader, { code: codeOf(push(32, largest), push(32, largest + 2n ** 160n)), words: [] })
  expect(touched).toEqual([[toBeHex(largest, 20)]])
})

test('at most 96 addresses are searched', async () => {
  // Behind a flag byte each word would name a second, smaller address.
  const codes = Array.from({ length: 100 }, (_, k) => push20(addressOf(k)))
  const { reader, touched } = readerOf()
  await searchMappings(reader, { code: codeOf(...codes), words: [] })
  expect(touched).toEqual([Array.from({ length: 96 }, (_, k) => addressOf(k))])
})

test('push data is not parsed as instructions, and constants have 20 or at least 29 bytes', async () => {
  const { reader, touched } = readerOf()
  const value = BigInt(addressOf(1))
  const code = codeOf(push(21, value), push(28, value), '80', push(29, value + 1n), '5f', push(32, value + 2n))
  // The operand of PUSH32 begins with PUSH20.
  const hidden = codeOf(push(22, BigInt(`0x${push20(addressOf(50))}`)))
  await searchMappings(reader, { code: codeOf(code.slice(2), hidden.slice(2)), words: [] })
  expect(touched).toEqual([[addressOf(2), addressOf(3)]])
})

test('code that ends within an operand is read as far as it goes', async () => {
  const { reader, touched } = readerOf()
  await searchMappings(reader, { code: codeOf('73'), words: [] })
  await searchMappings(reader, { code: codeOf('73', addressOf(7).slice(2, 32)), words: [] })
  expect(touched[0]).toEqual([])
  expect(touched[1]).toEqual([toBeHex(BigInt(addressOf(7)) >> 40n, 20)])
})

test('stores are the first eight contracts that the token calls', async () => {
  const asks = Array.from({ length: 10 }, (_, k) => addressOf(k))
  const { reader, contracts } = readerOf({ asks })
  await searchMappings(reader, { code: codeOf(...asks.map(push20)), words: [] })
  expect(contracts()).toEqual([[token, ...asks.slice(0, 8)]])
})

test('a mapping of a store is found', async () => {
  const store = addressOf(1)
  const balances: Mapping = { order: 'solidity', base: 3n, contract: store }
  const { reader, lists } = readerOf({ asks: [store], balances, allowances: balances })
  const { balance, allowance } = await searchMappings(reader, { code: codeOf(push20(store)), words: [] })
  expect(balance?.mapping.contract).toBe(store)
  expect(allowance?.contract).toBe(store)
  // Nothing is missing: the node is not asked which slots the token reads.
  expect(lists).toEqual([])
})

test('contracts that stores name are searched next, each once', async () => {
  const [store, far, unrelated] = [1, 2, 3].map(addressOf) as [Address, Address, Address]
  const balances: Mapping = { order: 'solidity', base: 3n, contract: far }
  const { reader, touched, contracts, lists } = readerOf({
    asks: [store, far],
    code: { [store]: codeOf(push20(store), push20(far), push20(unrelated)) },
    balances,
  })
  const { balance, allowance } = await searchMappings(reader, { code: codeOf(push20(store)), words: [] })
  expect(touched).toEqual([[store], [far, unrelated]])
  expect(contracts()).toEqual([[token, store], [far]])
  expect(balance?.mapping.contract).toBe(far)
  expect(allowance).toBeUndefined()
  // The allowance alone is still missing.
  expect(lists).toEqual(['eth_createAccessList'])
})

test('at most eight contracts that stores name are searched', async () => {
  const store = addressOf(100)
  const far = Array.from({ length: 10 }, (_, k) => addressOf(k))
  const { reader, contracts, lists } = readerOf({
    asks: [store, ...far],
    code: { [store]: codeOf(...far.map(push20)) },
  })
  expect(await searchMappings(reader, { code: codeOf(push20(store)), words: [] })).toEqual({})
  expect(contracts()).toEqual([[token, store], far.slice(0, 8)])
  expect(lists).toEqual(['eth_createAccessList', 'eth_createAccessList'])
})

test('without stores the token alone is searched', async () => {
  const { reader, touched, contracts } = readerOf()
  expect(await searchMappings(reader, NOTHING)).toEqual({})
  expect(touched).toEqual([[]])
  expect(contracts()).toEqual([[token]])
})

test.each([
  [2n ** 200n, true],
  [2n ** 200n - 1n, false],
  [2n ** 256n - 2n, true],
  [2n ** 256n - 1n, false],
])('the constant %s in code is a namespace: %s', async (root, isNamespace) => {
  const balances: Mapping = { order: 'solidity', base: root, contract: token }
  const { reader } = readerOf({ balances })
  const { balance } = await searchMappings(reader, { code: codeOf(push(32, root)), words: [] })
  expect(balance !== undefined).toBe(isNamespace)
})

test('namespaces are the first 24 of the code of the token and of its stores', async () => {
  const store = addressOf(1)
  const roots = Array.from({ length: 25 }, (_, k) => 2n ** 220n + BigInt(k) * 1_000n)
  const foundAt = async (root: bigint) => {
    const balances: Mapping = { order: 'solidity', base: root, contract: token }
    const code = { [store]: codeOf(...roots.slice(20).map((value) => push(32, value))) }
    const { reader } = readerOf({ asks: [store], balances, code })
    const own = codeOf(push20(store), ...roots.slice(0, 20).map((value) => push(32, value)))
    return (await searchMappings(reader, { code: own, words: [] })).balance !== undefined
  }
  expect(await foundAt(roots[0]!)).toBe(true)
  expect(await foundAt(roots[23]!)).toBe(true)
  expect(await foundAt(roots[24]!)).toBe(false)
})
