import fc from 'fast-check'
import { expect, test } from 'vitest'
import { IGuard__factory } from '../dist/index.js'
import { decodeGuardSwap, encodeGuardSwap, type GuardSwap } from './guard.ts'

const abi = IGuard__factory.createInterface()
const ZERO = `0x${'0'.repeat(40)}`
const address = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((of) => `0x${Buffer.from(of).toString('hex')}`)
const amount = fc.bigInt(1n, 2n ** 256n - 1n)
const common = {
  tokenIn: address,
  amountIn: amount,
  tokenOut: address,
  minOutput: amount,
  deadline: amount,
  executor: address,
  program: fc.uint8Array({ maxLength: 200 }).map((of) => `0x${Buffer.from(of).toString('hex')}`),
}
const plain = { wrapper: fc.constant(ZERO), feePpm: fc.constant(0n), feeRecipient: fc.constant(ZERO) }
const payout = { wrapper: address, feePpm: amount, feeRecipient: address }
const asked = fc
  .oneof(
    fc.record({ ...common, ...plain, direct: fc.boolean() }),
    fc.record({ ...common, ...payout, direct: fc.constant(false) }),
  )
  .chain((of) => fc.constantFrom(0n, of.amountIn).map((value): GuardSwap => ({ ...of, value })))

test('a swap reads back as it was written', () => {
  fc.assert(
    fc.property(asked, (of) => {
      expect(decodeGuardSwap(encodeGuardSwap(of), of.value)).toEqual(of)
    }),
  )
})

test('it goes to the plainest function that does it', () => {
  const name = (of: GuardSwap) => abi.parseTransaction({ data: encodeGuardSwap(of) })!.name
  fc.assert(
    fc.property(asked, (of) => {
      const needsPayout = of.wrapper !== ZERO || of.feePpm !== 0n
      const plainest = of.value === 0n ? 'swap' : 'swapNative'
      expect(name(of)).toBe(of.direct ? 'swapDirect' : needsPayout ? 'swapWithPayout' : plainest)
    }),
  )
})

test('other calldata is refused', () => {
  expect(() => decodeGuardSwap('0xdeadbeef', 0n)).toThrow(TypeError)
  expect(() => decodeGuardSwap(abi.encodeFunctionData('pullInput', [ZERO, 1n]), 0n)).toThrow(TypeError)
})
