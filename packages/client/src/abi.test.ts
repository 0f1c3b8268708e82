import { IERC20__factory, IGuard__factory } from '@sluice/bindings'
import { encodeGuardSwap } from '@sluice/bindings/guard'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeSwap, encodeCall, selectors } from './abi.ts'

const guard = IGuard__factory.createInterface()
const erc20 = IERC20__factory.createInterface()
const zero = `0x${'00'.repeat(20)}`
const address = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`)
const uint = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })
const bytes = fc.uint8Array({ maxLength: 300 }).map((data) => `0x${Buffer.from(data).toString('hex')}`)

test('selectors are those of the compiler', () => {
  for (const name of ['swap', 'swapNative', 'swapWithPayout', 'swapDirect'] as const)
    expect(selectors[name]).toBe(guard.getFunction(name).selector)
  expect(selectors.approve).toBe(erc20.getFunction('approve').selector)
  expect(selectors.allowance).toBe(erc20.getFunction('allowance').selector)
})

test('calls are packed as the bindings pack them', () => {
  fc.assert(
    fc.property(address, address, uint, (a, b, amount) => {
      expect(encodeCall(selectors.approve, a, amount)).toBe(erc20.encodeFunctionData('approve', [a, amount]))
      expect(encodeCall(selectors.allowance, a, b)).toBe(erc20.encodeFunctionData('allowance', [a, b]))
    }),
  )
})

test('a swap reads back as it was encoded', () => {
  const none = fc.record({ wrapper: fc.constant(zero), feePpm: fc.constant(0n), feeRecipient: fc.constant(zero) })
  const some = fc.record({
    wrapper: address,
    feePpm: fc.bigInt({ min: 1n, max: 2n ** 256n - 1n }),
    feeRecipient: address,
  })
  const order = fc.record({
    tokenIn: address,
    amountIn: uint,
    tokenOut: address,
    minOutput: uint,
    deadline: uint,
    executor: address,
    program: bytes,
  })
  const payout = fc.oneof(
    some.map((of) => ({ ...of, direct: false })),
    fc.tuple(none, fc.boolean()).map(([of, direct]) => ({ ...of, direct })),
  )
  fc.assert(
    fc.property(order, payout, fc.boolean(), (order, payout, native) => {
      const value = native ? order.amountIn : 0n
      const swap = { ...order, ...payout }
      expect(decodeSwap(encodeGuardSwap({ ...swap, value }), value)).toEqual(swap)
    }),
  )
})

test('anything else is refused as UNSAFE', () => {
  const order = {
    tokenIn: `0x${'11'.repeat(20)}`,
    amountIn: 1n,
    value: 0n,
    tokenOut: `0x${'22'.repeat(20)}`,
    minOutput: 1n,
    deadline: 1n,
    executor: `0x${'33'.repeat(20)}`,
    wrapper: `0x${'44'.repeat(20)}`,
    feePpm: 0n,
    feeRecipient: zero,
    direct: false,
    program: '0x010203',
  }
  const data = encodeGuardSwap(order)
  const words = (index: number, word: string) =>
    data.slice(0, 10 + 64 * index) + word + data.slice(10 + 64 * (index + 1))
  const odd = [
    '',
    '0x',
    'swap',
    `0xdeadbeef${data.slice(10)}`,
    data.slice(0, 200),
    data.slice(0, 10 + 64 * 11),
    // tokenIn, wrapper and feeRecipient; where the program begins, and how long it is.
    words(1, 'f'.repeat(64)),
    words(6, 'f'.repeat(64)),
    words(8, 'f'.repeat(64)),
    words(9, '180'.padStart(64, '0')),
    words(10, 'ffff'.padStart(64, '0')),
  ]
  for (const calldata of odd)
    expect(() => decodeSwap(calldata, 0n), calldata).toThrow(expect.objectContaining({ code: 'UNSAFE' }))
  expect(decodeSwap(data, 0n).program).toBe('0x010203')
  // Native that is not the amount, or comes with a token.
  expect(() => decodeSwap(data, 2n)).toThrow(expect.objectContaining({ code: 'UNSAFE' }))
  expect(() => decodeSwap(encodeGuardSwap({ ...order, wrapper: zero }), 1n)).toThrow(
    expect.objectContaining({ code: 'UNSAFE' }),
  )
})
