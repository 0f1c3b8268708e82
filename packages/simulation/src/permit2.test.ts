/** Tests the overrides by which a router may draw through Permit2. */
import { type Hex, toAddress } from '@sluice/chains'
import type { Rpc } from '@sluice/rpc'
import { AbiCoder, keccak256 } from 'ethers'
import { expect, test } from 'vitest'
import { PERMIT2, permit2Writes } from './permit2.ts'

const owner = toAddress(`0x${'a1'.repeat(20)}`)
const token = toAddress(`0x${'b2'.repeat(20)}`)
const spender = toAddress(`0x${'c3'.repeat(20)}`)
const coder = AbiCoder.defaultAbiCoder()

/** Returns the writes on a chain whose Permit2 answers with `result`. */
const writesFor = (amount: bigint, result: string) =>
  permit2Writes({ call: async () => result as Hex } as unknown as Rpc, { owner, token, spender, amount }, 1, {})
const grant = (amount: bigint, expiration: bigint, nonce: bigint) =>
  coder.encode(['uint160', 'uint48', 'uint48'], [amount, expiration, nonce])

test.each([
  [5n, 5n],
  [2n ** 160n - 1n, 2n ** 160n - 1n],
  [2n ** 160n, 2n ** 160n - 1n],
  [2n ** 256n - 1n, 2n ** 160n - 1n],
])('an allowance of %d is written with an unlimited time, and the nonce stays', async (amount, written) => {
  const slot = [owner, token, spender].reduce(
    (key, account) => keccak256(coder.encode(['address', 'uint256'], [account, key])),
    coder.encode(['uint256'], [1]),
  )
  const value = `0x${((7n << 208n) | ((2n ** 48n - 1n) << 160n) | written).toString(16).padStart(64, '0')}`
  expect(await writesFor(amount, grant(3n, 9n, 7n))).toEqual([PERMIT2, [{ key: slot, value }]])
})

test('nothing is written on a chain without Permit2', async () => {
  expect(await writesFor(1n, '0x')).toBeUndefined()
})
