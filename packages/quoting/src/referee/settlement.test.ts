/** Tests which accounts logs name as those that traded, and which transfers pay for gas. */
import { type Address, type Hex, NATIVE, toAddress } from '@sluice/chains'
import { expect, test } from 'vitest'
import { SAFE_MODULE_SUCCESS, SAFE_SUCCESS, TRADE, TRANSFER, USER_OPERATION } from '../topics.ts'
import { namedOwners, withoutGasDeposits } from './settlement.ts'

const at = (digit: string): Address => toAddress(`0x${digit.repeat(40)}`)
const [A, B, ENTRY, TOKEN] = ['a', 'b', 'e', '4'].map(at) as [Address, Address, Address, Address]
const word = (account: Address): Hex => `0x${account.slice(2).padStart(64, '0')}`
const hash: Hex = `0x${'1'.repeat(64)}`
const log = (address: Address, ...topics: readonly string[]) => ({
  address,
  topics: topics as readonly Hex[],
  data: '0x' as const,
})

test('owners are those of batch orders and of operations, and Safes themselves', () => {
  const owners = (...logs: readonly ReturnType<typeof log>[]) => namedOwners(logs)
  expect(owners(log(ENTRY, TRADE, word(A)), log(ENTRY, USER_OPERATION, hash, word(B)))).toEqual([A, B])
  expect(owners(log(A, SAFE_SUCCESS), log(B, SAFE_MODULE_SUCCESS, hash))).toEqual([A, B])
  expect(owners(log(A, TRANSFER, word(A), word(B)), log(A), log(A, TRADE), log(A, USER_OPERATION, hash))).toEqual([])
})

test('native transfers between an account and its entry point pay for gas, in either direction', () => {
  const move = (from: Address, to: Address, token = NATIVE) => ({ token, from, to, amount: 1n })
  const operation = log(ENTRY, USER_OPERATION, hash, word(A))
  const otherMoves = [move(A, B), move(B, ENTRY), move(ENTRY, B), move(A, ENTRY, TOKEN)]
  expect(withoutGasDeposits([move(A, ENTRY), move(ENTRY, A), ...otherMoves], [operation])).toEqual(otherMoves)
  expect(withoutGasDeposits([move(A, ENTRY)], [log(ENTRY, USER_OPERATION, hash)])).toHaveLength(1)
  expect(withoutGasDeposits([move(A, ENTRY)], [log(ENTRY, TRANSFER, hash, word(A))])).toHaveLength(1)
})
