import { type Address, type Hex, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { AbiCoder, Interface, id, zeroPadValue } from 'ethers'
import { describe, expect, test } from 'vitest'
import { decodeSentOrder, receivedOf, type SentOrder, spentOf } from './sent-order.ts'

const testAddress = (digit: string): Address => toAddress(`0x${digit.repeat(40)}`)
const [sender, guard, executor, src, dst, wrapper, other, payee] = ['1', '2', '3', '4', '5', '6', '7', '8'].map(
  testAddress,
) as [...[Address, Address, Address, Address, Address, Address, Address, Address]]
const ORDER = '(address tokenIn,address tokenOut,uint256 minOutput,uint256 deadline,address executor)'
const PAYOUT = '(address recipient,uint256 feePpm,address feeRecipient,address wrapper)'
const PERMIT = '(uint8 kind,uint256 amount,uint256 nonce,uint256 deadline,bytes signature)'
/** The Guard's functions, written independently of the bindings. */
const abi = new Interface([
  `function swap(uint256,${ORDER},bytes)`,
  `function swapNative(${ORDER},bytes)`,
  `function swapWithPayout(uint256,${ORDER},${PAYOUT},bytes)`,
  `function swapDirect(uint256,address recipient,${ORDER},bytes)`,
  `function swapWithPermit(uint256,${ORDER},${PERMIT},${PAYOUT},bytes)`,
  `function swapDirectWithPermit(uint256,address recipient,${ORDER},${PERMIT},bytes)`,
])
const order = [src, dst, 90n, 1_900_000_000n, executor]
const permit = [0, 100n, 0n, 1n, '0x']
const payout = [payee, 10_000n, other, wrapper]
const call = (name: string, ...values: unknown[]) => abi.encodeFunctionData(name, values) as Hex

describe('the order in the calldata', () => {
  const plain = { tokenIn: src, tokenOut: dst, amountIn: 100n, minOutput: 90n, deadline: 1_900_000_000 }
  const paidOut = { ...plain, recipient: payee, feePpm: 10_000n, wrappedNative: wrapper }
  const bare = { ...plain, feePpm: 0n, wrappedNative: ZERO_ADDRESS }
  test.each([
    ['swap', call('swap', 100n, order, '0x'), 0n, { ...bare, isNativeIn: false }],
    ['swapNative', call('swapNative', order, '0x'), 77n, { ...bare, amountIn: 77n, isNativeIn: true }],
    ['swapWithPayout', call('swapWithPayout', 100n, order, payout, '0x'), 0n, { ...paidOut, isNativeIn: false }],
    ['swapDirect', call('swapDirect', 100n, payee, order, '0x'), 100n, { ...bare, recipient: payee, isNativeIn: true }],
    [
      'swapWithPermit',
      call('swapWithPermit', 100n, order, permit, payout, '0x'),
      0n,
      { ...paidOut, isNativeIn: false },
    ],
    [
      'swapDirectWithPermit',
      call('swapDirectWithPermit', 100n, payee, order, permit, '0x'),
      0n,
      { ...bare, recipient: payee, isNativeIn: false },
    ],
  ])('%s', (_, input, value, expected) => {
    expect(decodeSentOrder({ input, value })).toEqual(expected)
  })

  test('is undefined for any other calldata', () => {
    const pull = new Interface(['function pullInput(address,uint256)']).encodeFunctionData('pullInput', [other, 1n])
    const swap = call('swap', 100n, order, '0x')
    for (const input of ['0x', '0x12345678', pull, swap.slice(0, 100), swap.slice(0, 10)])
      expect(decodeSentOrder({ input: input as Hex, value: 0n })).toBeUndefined()
  })
})

const word = (amount: bigint) => AbiCoder.defaultAbiCoder().encode(['uint256'], [amount]) as Hex
const topic = (account: Address) => zeroPadValue(account, 32) as Hex
const transfer = (token: Address, from: Address, to: Address, amount: bigint) => ({
  ...{ address: token, data: word(amount) },
  topics: [id('Transfer(address,address,uint256)') as Hex, topic(from), topic(to)],
})
const withdrawal = (token: Address, account: Address, amount: bigint) => ({
  ...{ address: token, data: word(amount) },
  topics: [id('Withdrawal(address,uint256)') as Hex, topic(account)],
})
const sent = (overrides: Partial<SentOrder>): SentOrder => ({
  ...{ tokenIn: src, tokenOut: dst, amountIn: 100n, minOutput: 90n, deadline: 1, feePpm: 0n, recipient: undefined },
  ...{ wrappedNative: ZERO_ADDRESS, isNativeIn: false },
  ...overrides,
})
const parties = { sender, guard }

describe('the output that reached the recipient', () => {
  test('is the output of another account if the order names one', () => {
    const logs = [transfer(dst, guard, payee, 95n), transfer(dst, guard, sender, 7n), transfer(dst, payee, other, 2n)]
    expect(receivedOf(sent({ recipient: payee }), logs, parties)).toBe(93n)
    expect(receivedOf(sent({}), logs, parties)).toBe(7n)
  })

  test('is the sum of transfers of that token to and from the sender', () => {
    const logs = [
      ...[transfer(dst, guard, sender, 95n), transfer(dst, executor, sender, 7n), transfer(dst, sender, other, 2n)],
      ...[transfer(src, guard, sender, 1_000n), transfer(dst, guard, other, 50n)],
      // NFT transfers have the third value as a topic; a malformed log has no data.
      { ...transfer(dst, guard, sender, 9n), topics: [...transfer(dst, guard, sender, 9n).topics, word(9n)] },
      { ...transfer(dst, guard, sender, 9n), data: '0x' as Hex },
      {
        ...transfer(dst, guard, sender, 9n),
        topics: [id('Approval(address,address,uint256)') as Hex, topic(guard), topic(sender)],
      },
    ]
    expect(receivedOf(sent({}), logs, parties)).toBe(100n)
  })

  test('is null without a log', () => {
    expect(receivedOf(sent({}), [transfer(dst, guard, other, 5n)], parties)).toBeNull()
    expect(receivedOf(sent({ tokenOut: ZERO_ADDRESS }), [transfer(dst, guard, sender, 5n)], parties)).toBeNull()
    expect(
      receivedOf(sent({ tokenOut: ZERO_ADDRESS, wrappedNative: wrapper }), [withdrawal(wrapper, other, 5n)], parties),
    ).toBeNull()
  })

  test.each([
    [0n, 1_000n, 1_000n],
    [10_000n, 1_000n, 990n],
    // The fee is rounded down.
    [10_000n, 1_099n, 1_089n],
    [100_000n, 9n, 9n],
  ])('of a native output is the unwrapped amount less a fee of %d ppm', (feePpm, unwrapped, received) => {
    const logs = [
      withdrawal(wrapper, guard, unwrapped),
      withdrawal(other, guard, 3n),
      withdrawal(wrapper, executor, 4n),
      // Logs of other events, or of the same with other topics.
      { ...withdrawal(wrapper, guard, 5n), topics: [id('Deposit(address,uint256)') as Hex, topic(guard)] },
      { ...withdrawal(wrapper, guard, 6n), topics: [...withdrawal(wrapper, guard, 6n).topics, word(1n)] },
    ]
    expect(receivedOf(sent({ tokenOut: ZERO_ADDRESS, wrappedNative: wrapper, feePpm }), logs, parties)).toBe(received)
  })
})

describe('the input that left the sender', () => {
  test('is the transferred amount less refunds', () => {
    const logs = [transfer(src, sender, executor, 100n), transfer(src, executor, sender, 8n)]
    expect(spentOf(sent({}), logs, parties)).toBe(92n)
    expect(spentOf(sent({}), [], parties)).toBeNull()
  })

  test('of native input is the wrapped less the unwrapped amount, and null without a wrapper', () => {
    const native = sent({ isNativeIn: true, tokenIn: wrapper })
    expect(spentOf(native, [], parties)).toBe(100n)
    expect(spentOf(native, [withdrawal(wrapper, guard, 30n)], parties)).toBe(70n)
    expect(spentOf(sent({ isNativeIn: true, tokenIn: ZERO_ADDRESS }), [], parties)).toBeNull()
  })
})
