import { type Hex, toAddress } from '@sluice/chains'
import { AbiCoder, keccak256, toBeHex } from 'ethers'
import { expect, test } from 'vitest'
import { allowanceCalldata, balanceOfCalldata } from './access-list.ts'
import { findMissingMappings } from './members.ts'
import { fictitiousOwner, SLOT_PROBE, type StorageWrites, type TokenReader } from './reader.ts'

const token = toAddress(`0x${'7'.repeat(40)}`)
const store = toAddress(`0x${'5'.repeat(40)}`)
const abi = AbiCoder.defaultAbiCoder()
const hash = (types: readonly string[], values: readonly unknown[]) => keccak256(abi.encode(types, values))
const BOTH = { balance: true, allowance: true }

type Place = { readonly order: 'solidity' | 'vyper'; readonly base: bigint; readonly offset?: bigint }
type Token = {
  readonly balance?: Place
  readonly allowance?: Place
  readonly reads?: readonly ('balance' | 'allowance')[]
}

function balanceKeyOf({ order, base, offset = 0n }: Place, account: string): Hex {
  const key =
    order === 'solidity' ? hash(['address', 'uint256'], [account, base]) : hash(['uint256', 'address'], [base, account])
  return toBeHex(BigInt(key) + offset, 32) as Hex
}
function allowanceKeyOf({ offset = 0n, ...place }: Place, account: string): Hex {
  const outer = balanceKeyOf(place, account)
  const key =
    place.order === 'solidity'
      ? hash(['address', 'bytes32'], [SLOT_PROBE, outer])
      : hash(['bytes32', 'address'], [outer, SLOT_PROBE])
  return toBeHex(BigInt(key) + offset, 32) as Hex
}

/** A token that keeps its words in a store of its own. */
function readerOf({ balance, allowance, reads = ['balance', 'allowance'] }: Token) {
  const inputs: string[] = []
  let readings = 0
  const keysFor = (data: string) => {
    if (data === balanceOfCalldata(fictitiousOwner(0)))
      return balance && reads.includes('balance') ? [balanceKeyOf(balance, fictitiousOwner(0))] : []
    expect(data).toBe(allowanceCalldata(fictitiousOwner(0), SLOT_PROBE))
    return allowance && reads.includes('allowance') ? [allowanceKeyOf(allowance, fictitiousOwner(0))] : []
  }
  const reader = {
    token,
    options: {},
    rpc: {
      request: async (_: string, [{ to, data }]: readonly [{ to?: string; data: string }]) => {
        // A creation that calls the token reads the same slots.
        if (to === undefined) return { accessList: [] }
        inputs.push(data)
        return { accessList: [{ address: store, storageKeys: keysFor(data) }] }
      },
    },
    readOwners: async (count: number, writes: StorageWrites) => {
      readings++
      const words = new Map((writes.get(store) ?? []).map(({ key, value }) => [key, BigInt(value)]))
      return Array.from({ length: count }, (_, k) => ({
        balance: (balance && words.get(balanceKeyOf(balance, fictitiousOwner(k)))) ?? 0n,
        allowance: (allowance && words.get(allowanceKeyOf(allowance, fictitiousOwner(k)))) ?? 0n,
      }))
    },
  } as unknown as TokenReader
  return { reader, inputs, readings: () => readings }
}

const WHOLE = { kind: 'plain', shift: 0, width: 256 }
const mappingAt = (place: Place) => ({ offset: 0n, ...place, contract: store })

test.each<Place>([
  { order: 'solidity', base: 300n },
  { order: 'vyper', base: 300n, offset: 2n },
  { order: 'solidity', base: 0n, offset: 15n },
  { order: 'solidity', base: 511n },
])('a balance in $order order at $base, member $offset, is found', async (balance) => {
  const { reader } = readerOf({ balance })
  expect(await findMissingMappings(reader, [], BOTH)).toEqual({
    balance: { mapping: mappingAt(balance), shape: WHOLE },
  })
})

test.each<Place>([
  { order: 'solidity', base: 0n, offset: 16n },
  { order: 'solidity', base: 512n },
])('a balance in $order order at $base, member $offset, is too far', async (balance) => {
  const { reader, readings } = readerOf({ balance })
  expect(await findMissingMappings(reader, [], BOTH)).toEqual({})
  expect(readings()).toBe(0)
})

test('a member of a namespace is found up to the 48th', async () => {
  const root = 2n ** 220n
  const at = (member: bigint) => ({ order: 'solidity', base: root + member }) as const
  expect((await findMissingMappings(readerOf({ balance: at(47n) }).reader, [root], BOTH)).balance?.mapping.base).toBe(
    root + 47n,
  )
  expect(await findMissingMappings(readerOf({ balance: at(48n) }).reader, [root], BOTH)).toEqual({})
})

test('an allowance is found by its own response', async () => {
  for (const order of ['solidity', 'vyper'] as const) {
    const allowance = { order, base: 77n, offset: 1n }
    expect(await findMissingMappings(readerOf({ allowance }).reader, [], BOTH)).toEqual({
      allowance: mappingAt(allowance),
    })
  }
})

test('only the missing part is searched', async () => {
  const balance = { order: 'solidity', base: 300n } as const
  const allowance = { order: 'solidity', base: 301n } as const
  const ofBalance = readerOf({ balance, allowance })
  const onlyBalance = await findMissingMappings(ofBalance.reader, [], { balance: true, allowance: false })
  expect(onlyBalance).toEqual({ balance: { mapping: mappingAt(balance), shape: WHOLE } })
  expect(ofBalance.inputs).toEqual([balanceOfCalldata(fictitiousOwner(0))])
  const ofAllowance = readerOf({ balance, allowance })
  expect(await findMissingMappings(ofAllowance.reader, [], { balance: false, allowance: true })).toEqual({
    allowance: mappingAt(allowance),
  })
  expect(ofAllowance.inputs).toEqual([allowanceCalldata(fictitiousOwner(0), SLOT_PROBE)])
  expect(await findMissingMappings(readerOf({ balance, allowance }).reader, [], BOTH)).toEqual({
    ...onlyBalance,
    allowance: mappingAt(allowance),
  })
})

test('a known part is not replaced by the search for the other part', async () => {
  // One struct: the same mapping holds what both answers read.
  const place = { order: 'solidity', base: 300n } as const
  const { reader } = readerOf({ balance: place, allowance: place })
  expect(await findMissingMappings(reader, [], { balance: false, allowance: true })).toEqual({
    allowance: mappingAt(place),
  })
  expect(await findMissingMappings(reader, [], { balance: true, allowance: false })).toEqual({
    balance: { mapping: mappingAt(place), shape: WHOLE },
  })
})

test('at most 4,000 slots of namespaces are tried', async () => {
  // 512 slots and 48 members of 72 namespaces are 3,968: of the next namespace there is room for 32 members.
  const roots = Array.from({ length: 73 }, (_, k) => 2n ** 220n + BigInt(k) * 1_000n)
  const at = (member: bigint) => ({ order: 'solidity', base: roots[72]! + member }) as const
  const lastOf = async (member: bigint) => findMissingMappings(readerOf({ balance: at(member) }).reader, roots, BOTH)
  expect((await lastOf(31n)).balance?.mapping.base).toBe(roots[72]! + 31n)
  expect(await lastOf(32n)).toEqual({})
})
