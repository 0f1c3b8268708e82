import { type Address, type Hex, toAddress } from '@sluice/chains'
import { AbiCoder, keccak256, toBeHex } from 'ethers'
import { expect, test } from 'vitest'
import {
  accountSlotSetUp,
  loanSetUp,
  nativeSetUp,
  realBalanceSetUp,
  type SwapInput,
  slotSetUp,
  withApproval,
} from './setup.ts'
import { allowanceCalldata, balanceOfCalldata } from './slots/access-list.ts'
import type { Mapping } from './slots/mapping.ts'
import type { StorageWrites, TokenReader } from './slots/reader.ts'
import type { TokenLayout } from './slots/resolver.ts'

const addressOf = (digit: string) => toAddress(`0x${digit.repeat(40)}`)
const token = addressOf('7')
const from = addressOf('1')
const spender = addressOf('5')
const holder = addressOf('6')
const input: SwapInput = { from, spender, amountIn: 1_000n }
const hash = (types: readonly string[], values: readonly unknown[]) =>
  keccak256(AbiCoder.defaultAbiCoder().encode(types, values)) as Hex
const balanceKey = hash(['address', 'uint256'], [from, 0n])
const allowanceKey = hash(['address', 'bytes32'], [spender, hash(['address', 'uint256'], [from, 1n])])
const balanceWrite = { key: balanceKey, value: toBeHex(1_000n, 32) }
const allowanceWrite = { key: allowanceKey, value: toBeHex(1_000n, 32) }

const balance = {
  mapping: { order: 'solidity', base: 0n, contract: token },
  shape: { kind: 'plain', shift: 0, width: 256 },
} as const
const allowance: Mapping = { order: 'solidity', base: 1n, contract: token }
/** A whole word is written without reading anything. */
const unread = {} as TokenReader

test('native input needs no writes', () => {
  expect(nativeSetUp(5n)).toEqual({
    writes: new Map(),
    balance: 5n,
    approvalAmount: 0n,
    ways: { balance: 'native', allowance: 'none' },
  })
})

test.each<[name: string, layout: TokenLayout, allowance: SwapInput['allowance'], expected: object]>([
  ['both', { balance, allowance }, undefined, { writes: 2, approvalAmount: 0n, way: 'slot' }],
  ['the balance alone', { balance }, undefined, { writes: 1, approvalAmount: 1_000n, way: 'approved' }],
  [
    'both, where the sender approves',
    { balance, allowance },
    'approved',
    { writes: 1, approvalAmount: 1_000n, way: 'approved' },
  ],
  ['both, where the allowance is kept', { balance, allowance }, 'kept', { writes: 1, approvalAmount: 0n, way: 'none' }],
  [
    'the balance alone, where the allowance is kept',
    { balance },
    'kept',
    { writes: 1, approvalAmount: 0n, way: 'none' },
  ],
])('a layout of %s sets up the balance and the allowance', async (_, layout, kind, expected) => {
  const setUp = (await slotSetUp(unread, layout, { ...input, allowance: kind }))!
  const { writes, approvalAmount, way } = expected as { writes: number; approvalAmount: bigint; way: string }
  expect([...setUp.writes]).toEqual([[token, [balanceWrite, allowanceWrite].slice(0, writes)]])
  expect(setUp).toMatchObject({ balance: 1_000n, approvalAmount, ways: { balance: 'slot', allowance: way } })
  expect(setUp).not.toHaveProperty('loan')
})

test('an allowance in another contract is written there', async () => {
  const setUp = await slotSetUp(unread, { balance, allowance: { ...allowance, contract: holder } }, input)
  expect([...setUp!.writes]).toEqual([
    [token, [balanceWrite]],
    [holder, [allowanceWrite]],
  ])
})

test('without a balance, or with one that does not fit, no slots are set up', async () => {
  expect(await slotSetUp(unread, { allowance }, input)).toBeUndefined()
  const narrow = { ...balance, shape: { ...balance.shape, width: 8 } }
  const reader = { readStorage: async () => [0n] } as unknown as TokenReader
  expect(await slotSetUp(reader, { balance: narrow }, input)).toBeUndefined()
})

test('a loan writes the allowance alone', () => {
  const loan = { holder, amount: 1_010n }
  expect(loanSetUp({ balance, allowance }, input, loan)).toEqual({
    writes: new Map([[token, [allowanceWrite]]]),
    balance: 1_000n,
    approvalAmount: 0n,
    loan,
    ways: { balance: 'lent', allowance: 'slot' },
  })
  expect(loanSetUp({}, input, loan)).toMatchObject({
    writes: new Map(),
    approvalAmount: 1_000n,
    ways: { allowance: 'approved' },
  })
  expect(loanSetUp({ allowance }, { ...input, allowance: 'kept' }, loan)).toMatchObject({
    writes: new Map(),
    approvalAmount: 0n,
    ways: { balance: 'lent', allowance: 'none' },
  })
})

test.each([
  [undefined, 0n, 'own'],
  ['approved', 1_000n, 'approved'],
  ['kept', 0n, 'none'],
] as const)('the own balance with the allowance %s approves %s', (kind, approvalAmount, way) => {
  expect(realBalanceSetUp({ ...input, allowance: kind })).toEqual({
    writes: new Map(),
    balance: 1_000n,
    approvalAmount,
    ways: { balance: 'own', allowance: way },
  })
})

test('a set-up in which the sender approves keeps everything else', () => {
  const lent = loanSetUp({ balance, allowance }, input, { holder, amount: 7n })
  expect(withApproval(lent, 9n)).toEqual({
    ...lent,
    approvalAmount: 9n,
    ways: { balance: 'lent', allowance: 'approved' },
  })
})

const keyedBalance: Hex = `0x${'b'.repeat(64)}`
const keyedAllowance: Hex = `0x${'a'.repeat(64)}`

/** A token with a slot for the balance and one for the allowance that follow no rule. */
function keyedReader(has: { readonly balance: boolean; readonly allowance: boolean }) {
  const inputs: string[] = []
  const keysOf = (data: string) => {
    if (data === balanceOfCalldata(from)) return has.balance ? [keyedBalance] : []
    return data === allowanceCalldata(from, spender) && has.allowance ? [keyedAllowance] : []
  }
  const reader = {
    token,
    options: {},
    rpc: {
      request: async (_: string, [{ data }]: readonly [{ data: string }]) => {
        inputs.push(data)
        return { accessList: [{ address: token, storageKeys: keysOf(data) }] }
      },
    },
    readStorage: async () => [0n],
    readAccount: async (_: Address, writes: StorageWrites) => {
      const words = new Map((writes.get(token) ?? []).map(({ key, value }) => [key, BigInt(value)]))
      return { balance: words.get(keyedBalance) ?? 0n, allowance: words.get(keyedAllowance) ?? 0n }
    },
  } as unknown as TokenReader
  return { reader, inputs }
}

const keyed = {
  balance: { key: keyedBalance, value: balanceWrite.value },
  allowance: { key: keyedAllowance, value: balanceWrite.value },
}

test('the slots that the token reads for the sender are written, both or the balance alone', async () => {
  const both = keyedReader({ balance: true, allowance: true })
  expect(await accountSlotSetUp(both.reader, {}, input)).toEqual({
    writes: new Map([[token, [keyed.balance, keyed.allowance]]]),
    balance: 1_000n,
    approvalAmount: 0n,
    ways: { balance: 'slot', allowance: 'slot' },
  })
  const alone = keyedReader({ balance: true, allowance: false })
  expect(await accountSlotSetUp(alone.reader, {}, input)).toEqual({
    writes: new Map([[token, [keyed.balance]]]),
    balance: 1_000n,
    approvalAmount: 1_000n,
    ways: { balance: 'slot', allowance: 'approved' },
  })
})

test('without a slot for the balance there is no set-up', async () => {
  expect(await accountSlotSetUp(keyedReader({ balance: false, allowance: true }).reader, {}, input)).toBeUndefined()
})

test('a part of the layout that is known is not searched', async () => {
  const first = keyedReader({ balance: true, allowance: true })
  expect(await accountSlotSetUp(first.reader, { allowance }, input)).toEqual({
    writes: new Map([[token, [keyed.balance, allowanceWrite]]]),
    balance: 1_000n,
    approvalAmount: 0n,
    ways: { balance: 'slot', allowance: 'slot' },
  })
  expect(first.inputs).toEqual([balanceOfCalldata(from)])
  const second = keyedReader({ balance: true, allowance: true })
  expect((await accountSlotSetUp(second.reader, { balance }, input))?.writes).toEqual(
    new Map([[token, [balanceWrite, keyed.allowance]]]),
  )
  expect(second.inputs).toEqual([allowanceCalldata(from, spender)])
})

test('an allowance that is kept or approved is not searched', async () => {
  for (const [kind, approvalAmount] of [
    ['kept', 0n],
    ['approved', 1_000n],
  ] as const) {
    const { reader, inputs } = keyedReader({ balance: true, allowance: true })
    const setUp = await accountSlotSetUp(reader, {}, { ...input, allowance: kind })
    expect(setUp).toMatchObject({ writes: new Map([[token, [keyed.balance]]]), approvalAmount })
    expect(inputs).toEqual([balanceOfCalldata(from)])
  }
})
