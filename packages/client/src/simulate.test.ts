/** Tests simulations on the wallet's node, and the slots in which an allowance is assumed. */
import { AbiCoder, keccak256, solidityPackedKeccak256 } from 'ethers'
import { describe, expect, test } from 'vitest'
import { at } from '../test/routes.ts'
import { ClientError } from './errors.ts'
import { simulate } from './simulate.ts'
import type { Hex, Transaction } from './types.ts'
import type { Wallet } from './wallet.ts'

const [owner, spender, token] = [at('a1'), at('b2'), at('c3')]
const tx = { from: owner, to: at('66'), data: '0x1234', value: '255', chainId: 1 } as unknown as Transaction
const word = (value: bigint) => `0x${value.toString(16).padStart(64, '0')}`

/** A wallet whose node gives an answer, or fails. */
function walletWith(answer: unknown, canOverride = true) {
  const calls: unknown[][] = []
  const give = async (...parameters: unknown[]) => {
    calls.push(parameters)
    if (answer instanceof Error) throw answer
    return answer
  }
  const wallet = { address: owner, call: give, ...(canOverride && { request: give }) } as unknown as Wallet
  return { calls, wallet }
}

test('the output is the word that the Guard returns', async () => {
  const { calls, wallet } = walletWith(word(77n))
  expect(await simulate(wallet, tx)).toBe(77n)
  expect(calls).toEqual([[at('66'), '0x1234', 255n]])
})

test.each([
  ['nothing', '0x'],
  ['less than a word', `0x${'0'.repeat(63)}`],
  ['more than a word', `${word(1n)}0`],
  ['text around a word', ` ${word(1n)}`],
  ['no hex digits', `0x${'g'.repeat(64)}`],
])('an answer of %s is no output', async (_, answer) => {
  await expect(simulate(walletWith(answer).wallet, tx)).rejects.toMatchObject({
    code: 'REVERTED',
    message: 'the Guard did not answer with an amount',
  })
})

test('any failure is a revert, with its reason', async () => {
  const cause = new Error('execution reverted: TF')
  await expect(simulate(walletWith(cause).wallet, tx)).rejects.toMatchObject({
    ...{ code: 'REVERTED', message: "the wallet's own node cannot run it: execution reverted: TF", cause },
  })
  const own = new ClientError('WALLET', 'locked')
  await expect(simulate(walletWith(own).wallet, tx)).rejects.toBe(own)
})

describe('with a gas limit', () => {
  const GAS = 100n
  /** A node with a gas price and a balance, which answers calls with a gas price otherwise than calls without. */
  function pricedNode(answers: Readonly<Record<string, unknown>>, balance = 1_000n) {
    const calls: [method: string, parameters: readonly unknown[]][] = []
    const give = async (method: string, parameters: readonly unknown[]) => {
      calls.push([method, parameters])
      const all = { eth_gasPrice: '0x7', eth_getBalance: quantity(balance), eth_call: word(77n), ...answers }
      const answer: unknown = all[method as keyof typeof all]
      if (answer instanceof Error) throw answer
      return answer
    }
    const plain = async (...parameters: unknown[]) => {
      calls.push(['call', parameters])
      return word(5n)
    }
    return { calls, wallet: { address: owner, call: plain, request: give } as unknown as Wallet }
  }
  const quantity = (value: bigint) => `0x${value.toString(16)}`

  test('the call pays the gas price that the node names', async () => {
    const { calls, wallet } = pricedNode({})
    expect(await simulate(wallet, tx, undefined, GAS)).toBe(77n)
    const fields = { from: owner, to: at('66'), data: '0x1234', value: '0xff', gas: '0x64', gasPrice: '0x7' }
    expect(calls.slice(2)).toEqual([['eth_call', [fields, 'latest']]])
    const missing = pricedNode({})
    expect(await simulate(missing.wallet, tx, { token, spender, amount: 1n }, GAS)).toBe(77n)
    expect(missing.calls.slice(2)).toEqual([
      ['eth_call', [fields, 'latest', { [token]: { stateDiff: expect.anything() } }]],
    ])
  })

  test('an account that cannot pay the gas gets it, in addition to what it has', async () => {
    // 255 wei of value, and 100 gas at 7 wei.
    const paying = pricedNode({}, 955n)
    expect(await simulate(paying.wallet, tx, undefined, GAS)).toBe(77n)
    expect(paying.calls.at(-1)![1]).toHaveLength(2)
    const poor = pricedNode({}, 954n)
    expect(await simulate(poor.wallet, tx, undefined, GAS)).toBe(77n)
    expect(poor.calls.at(-1)![1][2]).toEqual({ [owner]: { balance: quantity(1_654n) } })
  })

  test.each([
    ['knows no gas price', { eth_gasPrice: new Error('not supported') }],
    ['names no number', { eth_getBalance: null }],
    ['refuses the price', { eth_call: new Error('max fee per gas less than block base fee') }],
  ])('a node that %s simulates without a gas price', async (_, answers) => {
    expect(await simulate(pricedNode(answers).wallet, tx, undefined, GAS)).toBe(5n)
  })

  test('a revert with a gas price is the result, although the call without one succeeds', async () => {
    const { wallet } = pricedNode({ eth_call: new Error('execution reverted: gas price') })
    await expect(simulate(wallet, tx, undefined, GAS)).rejects.toMatchObject({ code: 'REVERTED' })
  })
})

test('a missing allowance is set in the slots of common tokens, and in no other token', async () => {
  const { calls, wallet } = walletWith(word(5n))
  expect(await simulate(wallet, tx, { token, spender, amount: 999n })).toBe(5n)
  const [[method, [call, block, overrides]]] = calls as [
    [string, [object, string, Record<string, { stateDiff: Record<Hex, Hex> }>]],
  ]
  expect([method, call, block]).toEqual([
    'eth_call',
    { from: owner, to: at('66'), data: '0x1234', value: '0xff' },
    'latest',
  ])
  expect(Object.keys(overrides)).toEqual([token])
  const { stateDiff } = overrides[token]!
  expect(new Set(Object.values(stateDiff))).toEqual(new Set([word(999n)]))
  const abi = AbiCoder.defaultAbiCoder()
  const solidity = (slot: bigint) =>
    keccak256(
      abi.encode(['address', 'bytes32'], [spender, keccak256(abi.encode(['address', 'uint256'], [owner, slot]))]),
    )
  const vyper = (slot: bigint) =>
    keccak256(
      abi.encode(['bytes32', 'address'], [keccak256(abi.encode(['uint256', 'address'], [slot, owner])), spender]),
    )
  const slots = Array.from({ length: 64 }, (_, slot) => BigInt(slot))
  const namespaced = BigInt(
    keccak256(abi.encode(['uint256'], [BigInt(keccak256(Buffer.from('openzeppelin.storage.ERC20'))) - 1n])),
  )
  // ERC-7201: the last byte of the namespace is zero; allowances are its second slot.
  const openzeppelin = (namespaced & ~0xffn) + 1n
  const solady = solidityPackedKeccak256(['address', 'uint96', 'address'], [owner, 0x7f5e9f20n, spender])
  expect(Object.keys(stateDiff).toSorted()).toEqual(
    [...slots.map(solidity), ...slots.map(vyper), solidity(openzeppelin), solady].toSorted(),
  )
  const failing = simulate(walletWith(word(5n), false).wallet, tx, { token, spender, amount: 1n })
  await expect(failing).rejects.toMatchObject({ code: 'REVERTED', message: expect.stringContaining('state overrides') })
})
