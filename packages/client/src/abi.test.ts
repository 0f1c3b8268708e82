/** Tests of the calldata encoding against the compiler's bindings. */
import { IERC20__factory, IGuard__factory } from '@sluice/bindings'
import { encodeGuardSwap } from '@sluice/bindings/guard'
import { id } from 'ethers'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeSwap, encodeSwap } from './abi.ts'
import { encodeCall, selectors } from './calls.ts'

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
  for (const name of ['swapWithPermit', 'swapDirectWithPermit'] as const)
    expect(selectors[name]).toBe(guard.getFunction(name).selector)
  const others = {
    permit2Allowance: 'allowance(address,address,address)',
    nonces: 'nonces(address)',
    domainSeparator: 'DOMAIN_SEPARATOR()',
    permitTypehash: 'PERMIT_TYPEHASH()',
    name: 'name()',
    version: 'version()',
    decimals: 'decimals()',
  } as const
  for (const [name, signature] of Object.entries(others))
    expect(selectors[name as keyof typeof others]).toBe(id(signature).slice(0, 10))
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
  const someone = address.filter((text) => text !== zero)
  const fee = fc.record({ feePpm: fc.bigInt({ min: 1n, max: 2n ** 256n - 1n }), feeRecipient: someone })
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
    fc.tuple(fee, someone).map(([of, recipient]) => ({ ...of, recipient, wrapper: zero, direct: false })),
    fc.tuple(none, someone, fc.boolean()).map(([of, recipient, direct]) => ({ ...of, recipient, direct })),
    none.map((of) => ({ ...of, direct: false })),
  )
  fc.assert(
    fc.property(order, payout, fc.boolean(), (order, payout, native) => {
      const value = native ? order.amountIn : 0n
      const swap = { ...order, ...payout }
      const data = encodeGuardSwap({ ...swap, value })
      expect(decodeSwap(data, value)).toEqual(swap)
      expect(decodeSwap(`0x${data.slice(2).toUpperCase()}`, value)).toEqual(swap)
    }),
  )
  fc.assert(
    fc.property(order, someone, someone, fc.option(fee), (order, recipient, wrapper, fee) => {
      const none = { feePpm: 0n, feeRecipient: zero }
      const swap = { ...order, recipient, tokenOut: zero, direct: false, wrapper, ...(fee ?? none) }
      expect(decodeSwap(encodeGuardSwap({ ...swap, value: 0n }), 0n)).toEqual(swap)
    }),
  )
})

test('a swap with a recipient is encoded as the bindings encode it', () => {
  const order = {
    ...{ tokenIn: `0x${'11'.repeat(20)}`, amountIn: 7n, tokenOut: zero, minOutput: 8n, deadline: 9n },
    ...{ executor: `0x${'33'.repeat(20)}`, recipient: `0x${'55'.repeat(20)}`, wrapper: zero, feePpm: 0n },
    ...{ feeRecipient: zero, direct: false },
  }
  for (const program of ['0x', '0x010203', `0x${'ab'.repeat(32)}`, `0x${'ab'.repeat(33)}`])
    for (const change of [
      {},
      { direct: true },
      { feePpm: 2_500n, feeRecipient: `0x${'66'.repeat(20)}` },
      { wrapper: `0x${'44'.repeat(20)}` },
    ]) {
      const swap = { ...order, program, ...change }
      expect(encodeSwap(swap as never)).toBe(encodeGuardSwap({ ...swap, value: 0n }))
    }
})

test('only the bytes that the bindings write are read', () => {
  const swap = fc.record({
    tokenIn: address,
    amountIn: uint,
    minOutput: uint,
    deadline: uint,
    executor: address,
    program: bytes,
    way: fc.constantFrom('plain', 'named', 'direct'),
  })
  const change = fc.tuple(fc.nat(), fc.nat(2), fc.nat(255))
  let read = 0
  fc.assert(
    fc.property(swap, fc.array(change, { maxLength: 2 }), ({ way, ...swap }, changes) => {
      const named = way === 'plain' ? {} : { recipient: `0x${'33'.repeat(20)}` }
      const plain = {
        ...named,
        direct: way === 'direct',
        tokenOut: `0x${'22'.repeat(20)}`,
        wrapper: zero,
        feePpm: 0n,
        feeRecipient: zero,
        value: 0n,
      }
      const calldata = [...Buffer.from(encodeGuardSwap({ ...plain, ...swap }).slice(2), 'hex')]
      for (const [at, kind, byte] of changes)
        calldata.splice(at % (calldata.length + 1), kind === 1 ? 0 : 1, ...(kind === 2 ? [] : [byte]))
      const data = `0x${Buffer.from(calldata).toString('hex')}`
      let decoded: ReturnType<typeof decodeSwap>
      try {
        decoded = decodeSwap(data, 0n)
      } catch (error) {
        expect(error).toMatchObject({ code: 'UNSAFE' })
        return
      }
      read++
      expect(encodeGuardSwap({ ...decoded, value: 0n })).toBe(data)
    }),
    { numRuns: 2_000 },
  )
  expect(read).toBeGreaterThan(200)
})

test('anything else is refused as UNSAFE', () => {
  const order = {
    tokenIn: `0x${'11'.repeat(20)}`,
    amountIn: 1n,
    value: 0n,
    tokenOut: zero,
    minOutput: 1n,
    deadline: 1n,
    executor: `0x${'33'.repeat(20)}`,
    recipient: `0x${'55'.repeat(20)}`,
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
    data.slice(0, 10 + 64 * 12),
    // Invalid tokenIn, recipient, feeRecipient, wrapper, program offset, and program length.
    words(1, 'f'.repeat(64)),
    words(6, 'f'.repeat(64)),
    words(8, 'f'.repeat(64)),
    words(9, 'f'.repeat(64)),
    words(10, '1a0'.padStart(64, '0')),
    words(11, 'ffff'.padStart(64, '0')),
    // Extra data after the program: a word, a byte, and a nonzero padding byte.
    `${data}${'0'.repeat(64)}`,
    `${data}00`,
    `${data.slice(0, -2)}01`,
    // Zero recipient, a fee recipient without a fee, and a wrapper although the output is a token.
    words(6, '0'.repeat(64)),
    words(8, '44'.repeat(20).padStart(64, '0')),
    words(2, '22'.repeat(20).padStart(64, '0')),
  ]
  for (const calldata of odd)
    expect(() => decodeSwap(calldata, 0n), calldata).toThrow(expect.objectContaining({ code: 'UNSAFE' }))
  expect(decodeSwap(data, 0n).program).toBe('0x010203')
  // Value that differs from the amount, and value for a swap with token input.
  const { recipient: _, ...plainOrder } = order
  expect(() => decodeSwap(data, 2n)).toThrow(expect.objectContaining({ code: 'UNSAFE' }))
  expect(() => decodeSwap(encodeGuardSwap({ ...plainOrder, wrapper: zero }), 1n)).toThrow(
    expect.objectContaining({ code: 'UNSAFE' }),
  )
})
