/** Tests that Guard calldata matches ethers and round-trips. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { IGuard__factory } from '../dist/index.js'
import { decodeGuardSwap, encodeGuardSwap, type GuardSwap, type SignedPermit } from './guard.ts'

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
const payout = { recipient: address, wrapper: address, feePpm: amount, feeRecipient: address }
const named = { ...plain, recipient: address }
const signature = fc
  .tuple(fc.bigInt(1n, 2n ** 255n - 1n), fc.bigInt(1n, 2n ** 254n), fc.constantFrom(27, 28))
  .map(([r, s, v]) => `0x${[r, s].map((word) => word.toString(16).padStart(64, '0')).join('')}${v.toString(16)}`)
const contractSignature = fc
  .uint8Array({ minLength: 66, maxLength: 200 })
  .map((of) => `0x${Buffer.from(of).toString('hex')}`)
const uint = (bits: bigint) => fc.bigInt(0n, 2n ** bits - 1n)
const permit: fc.Arbitrary<SignedPermit> = fc.oneof(
  fc.record({ kind: fc.constant('eip2612' as const), amount, deadline: amount, signature }),
  fc.record({ kind: fc.constant('dai' as const), nonce: uint(256n), deadline: amount, signature }),
  fc.record({
    kind: fc.constant('permit2' as const),
    amount: uint(160n),
    nonce: uint(48n),
    deadline: uint(48n),
    signature: fc.oneof(signature, contractSignature, fc.constant('0x')),
  }),
)
const permitted = fc.oneof(
  fc.record({ ...common, ...named, direct: fc.constant(true), value: fc.constant(0n), permit }),
  fc.record({ ...common, ...payout, direct: fc.constant(false), value: fc.constant(0n), permit }),
)
const swaps = fc
  .oneof(
    fc.record({ ...common, ...plain, direct: fc.constant(false) }),
    fc.record({ ...common, ...named, direct: fc.boolean() }),
    fc.record({ ...common, ...payout, direct: fc.constant(false) }),
  )
  .chain((of) => fc.constantFrom(0n, of.amountIn).map((value): GuardSwap => ({ ...of, value })))

test('a swap reads back as it was written', () => {
  fc.assert(
    fc.property(swaps, (of) => {
      expect(decodeGuardSwap(encodeGuardSwap(of), of.value)).toEqual(of)
    }),
  )
})

test('a swap with a permit reads back as it was written, and goes to the function that takes one', () => {
  fc.assert(
    fc.property(permitted, (of) => {
      const data = encodeGuardSwap(of)
      expect(decodeGuardSwap(data, 0n)).toEqual(of)
      expect(abi.parseTransaction({ data })!.name).toBe(of.direct ? 'swapDirectWithPermit' : 'swapWithPermit')
    }),
  )
})

const somePermit = fc.sample(permitted, { numRuns: 1, seed: 1 })[0]!
const [r, s] = ['11'.repeat(32), '22'.repeat(32)]
const dai = { kind: 'dai' as const, nonce: 0n, deadline: 1n }

test.each([
  ['a parity for v', `0x${r}${s}01`, `0x${r}${s}1c`],
  ['64 bytes of EIP-2098', `0x${r}a2${s.slice(2)}`, `0x${r}${s}1c`],
])('a signature with %s is written as tokens read it', (_, signed, expected) => {
  const data = encodeGuardSwap({ ...somePermit, permit: { ...dai, signature: signed } })
  expect(decodeGuardSwap(data, 0n).permit!.signature).toBe(expected)
})

const permit2 = { kind: 'permit2' as const, amount: 1n, nonce: 0n, deadline: 1n, signature: '0x' }
test.each<[string, Partial<GuardSwap>]>([
  ['value', { value: 1n }],
  ['a signature of no length that a key signs with', { permit: { ...dai, signature: '0x1234' } }],
  ['an amount that Permit2 cannot hold', { permit: { ...permit2, amount: 2n ** 160n } }],
  ['a nonce that Permit2 cannot hold', { permit: { ...permit2, nonce: 2n ** 48n } }],
  ['a time that Permit2 cannot hold', { permit: { ...permit2, deadline: 2n ** 48n } }],
])('a permit with %s is refused', (_, wrong) => {
  expect(() => encodeGuardSwap({ ...somePermit, ...wrong })).toThrow(
    expect.objectContaining({ code: 'INVALID_ARGUMENT' }),
  )
})

test('it goes to the plainest function that does it', () => {
  const name = (of: GuardSwap) => abi.parseTransaction({ data: encodeGuardSwap(of) })!.name
  fc.assert(
    fc.property(swaps, (of) => {
      const needsPayout = of.recipient !== undefined
      const plainest = of.value === 0n ? 'swap' : 'swapNative'
      expect(name(of)).toBe(of.direct ? 'swapDirect' : needsPayout ? 'swapWithPayout' : plainest)
    }),
  )
})

test.each(['direct', 'fee', 'wrapper', 'permit'] as const)('a swap with %s names its recipient', (what) => {
  const { recipient, ...of } = fc.sample(swaps, { numRuns: 1, seed: 2 })[0]!
  const bare = { ...of, value: 0n, direct: false, wrapper: ZERO, feePpm: 0n, feeRecipient: ZERO }
  const more = {
    ...{ direct: { direct: true }, fee: { feePpm: 1n }, wrapper: { wrapper: `0x${'11'.repeat(20)}` } },
    permit: { permit: somePermit.permit! },
  }
  const wrong = { ...bare, ...more[what] }
  expect(() => encodeGuardSwap(wrong)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }))
  const recipientOf = { ...wrong, recipient: `0x${'22'.repeat(20)}` }
  expect(decodeGuardSwap(encodeGuardSwap(recipientOf), 0n).recipient).toBe(recipientOf.recipient)
})

test('other calldata is refused', () => {
  expect(() => decodeGuardSwap('0xdeadbeef', 0n)).toThrow(TypeError)
  expect(() => decodeGuardSwap(abi.encodeFunctionData('pullInput', [ZERO, 1n]), 0n)).toThrow(TypeError)
})
