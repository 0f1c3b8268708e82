import { IERC20__factory, IGuard__factory } from '@sluice/bindings'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeSwap, encodeCall, selectors } from './abi.ts'

const guard = IGuard__factory.createInterface()
const erc20 = IERC20__factory.createInterface()
const address = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`)
const uint = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })
const bytes = fc.uint8Array({ maxLength: 300 }).map((data) => `0x${Buffer.from(data).toString('hex')}`)

test('selectors are those of the compiler', () => {
  expect(selectors.swap).toBe(guard.getFunction('swap').selector)
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
  const order = fc.record({
    tokenIn: address,
    amountIn: uint,
    tokenOut: address,
    minOutput: uint,
    deadline: uint,
    executor: address,
    wrapper: address,
    feePpm: uint,
    feeRecipient: address,
    direct: fc.boolean(),
  })
  fc.assert(
    fc.property(order, bytes, (order, program) => {
      expect(decodeSwap(guard.encodeFunctionData('swap', [order, program]))).toEqual({ ...order, program })
    }),
  )
})

test('anything else is refused as UNSAFE', () => {
  const data = guard.encodeFunctionData('swap', [
    {
      tokenIn: `0x${'11'.repeat(20)}`,
      amountIn: 1n,
      tokenOut: `0x${'22'.repeat(20)}`,
      minOutput: 1n,
      deadline: 1n,
      executor: `0x${'33'.repeat(20)}`,
      wrapper: `0x${'00'.repeat(20)}`,
      feePpm: 0n,
      feeRecipient: `0x${'00'.repeat(20)}`,
      direct: false,
    },
    '0x010203',
  ])
  const words = (index: number, word: string) =>
    data.slice(0, 10 + 64 * index) + word + data.slice(10 + 64 * (index + 1))
  const odd = [
    '',
    '0x',
    'swap',
    `0xdeadbeef${data.slice(10)}`,
    data.slice(0, 200),
    data.slice(0, 10 + 64 * 12),
    words(0, 'f'.repeat(64)),
    words(9, '2'.padStart(64, '0')),
    words(10, '180'.padStart(64, '0')),
    words(11, 'ffff'.padStart(64, '0')),
  ]
  for (const calldata of odd)
    expect(() => decodeSwap(calldata), calldata).toThrow(expect.objectContaining({ code: 'UNSAFE' }))
  expect(decodeSwap(data).program).toBe('0x010203')
})
