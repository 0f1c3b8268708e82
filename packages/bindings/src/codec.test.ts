/** Property tests that compare the codec with ethers. */
import { Interface } from 'ethers'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type IGuard, IGuard__factory, type SwapProbe, SwapProbe__factory } from '../dist/index.js'
import { callCodec, eventReader } from './codec.ts'

const guard = IGuard__factory.createInterface()
const probe = SwapProbe__factory.createInterface()
const hex = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((of) => `0x${Buffer.from(of).toString('hex')}` as const)
const address = hex(20)
const amount = fc.bigInt(0n, 2n ** 256n - 1n)
const data = fc.uint8Array({ maxLength: 200 }).map((of) => `0x${Buffer.from(of).toString('hex')}` as const)

describe('callCodec', () => {
  test('writes the calls that ethers writes', () => {
    type Call = [amountIn: bigint, order: IGuard.OrderStruct, payout: IGuard.PayoutStruct, program: string]
    const swap = callCodec<Call, [bigint]>(guard, 'swapWithPayout')
    const order = fc.record({
      tokenIn: address,
      tokenOut: address,
      minOutput: amount,
      deadline: amount,
      executor: address,
    })
    const payout = fc.record({ recipient: address, wrapper: address, feePpm: amount, feeRecipient: address })
    fc.assert(
      fc.property(amount, order, payout, data, (...call) => {
        expect(swap.encode(...call)).toBe(guard.encodeFunctionData('swapWithPayout', call))
      }),
    )
  })

  test('reads the answers that ethers writes, with addresses in lower case', () => {
    const run = callCodec<[SwapProbe.OrderStruct, string], [SwapProbe.ReportStruct]>(probe, 'run')
    const reading = fc.record({ ok: fc.boolean(), amount })
    const balances = fc.record({ tokenIn: reading, allowance: reading, tokenOut: reading })
    const report = fc.record({
      success: fc.boolean(),
      gasUsed: amount,
      gasBefore: amount,
      before: balances,
      afterwards: balances,
      coinbase: address,
      gasPrice: amount,
      number: amount,
      timestamp: amount,
      chainId: amount,
      returnSize: amount,
      returnData: data,
    })
    fc.assert(
      fc.property(report, (report) => {
        const answer = probe.encodeFunctionResult('run', [report]) as `0x${string}`
        expect(run.decode(answer)).toEqual([report])
        const cut = answer.slice(0, 2 + 2 * Math.floor((answer.length - 3) / 2)) as `0x${string}`
        if (report.returnData !== '0x') expect(() => run.decode(cut.slice(0, -64) as `0x${string}`)).toThrow()
      }),
    )
  })

  test('writes and reads dynamic values between others', () => {
    const abi = new Interface([
      'function mix(bytes a, uint8 b, (bytes c, bool d) e) view returns (bytes, uint16, (bytes c, bool d))',
    ])
    type Inner = { c: string; d: boolean }
    const mix = callCodec<[string, bigint, Inner], [string, bigint, Inner]>(abi, 'mix')
    fc.assert(
      fc.property(data, fc.bigInt(0n, 255n), data, fc.boolean(), (a, b, c, d) => {
        expect(mix.encode(a, b, { c, d })).toBe(abi.encodeFunctionData('mix', [a, b, { c, d }]))
        const answer = abi.encodeFunctionResult('mix', [a, b, { c, d }]) as `0x${string}`
        expect(mix.decode(answer)).toEqual([a, b, { c, d }])
      }),
    )
  })

  test('writes and reads lists of static and of dynamic values, and bytes of a fixed length', () => {
    const abi = new Interface([
      'function lists(address[] a, bytes32[] b, bytes4 c, bytes[] d, (bytes e, int24 f)[] g) view returns (address[], bytes32[], bytes4, bytes[], (bytes e, int24 f)[])',
    ])
    type Values = [string[], string[], string, string[], { e: string; f: bigint }[]]
    const lists = callCodec<Values, Values>(abi, 'lists')
    const inner = fc.record({ e: data, f: fc.bigInt(-(2n ** 23n), 2n ** 23n - 1n) })
    const few = { maxLength: 5 }
    const values = [
      fc.array(address, few),
      fc.array(hex(32), few),
      hex(4),
      fc.array(data, few),
      fc.array(inner, few),
    ] as const
    fc.assert(
      fc.property(...values, (...call) => {
        expect(lists.encode(...call)).toBe(abi.encodeFunctionData('lists', call))
        expect(lists.decode(abi.encodeFunctionResult('lists', call) as `0x${string}`)).toEqual(call)
      }),
    )
  })

  test('writes and reads arrays of a fixed length, of static and of dynamic values', () => {
    const abi = new Interface([
      'function pairs(address[2] a, bytes b, bytes[2] c, uint8[2][] d) view returns (address[2], bytes, bytes[2], uint8[2][])',
    ])
    type Values = [string[], string, string[], bigint[][]]
    const pairs = callCodec<Values, Values>(abi, 'pairs')
    const two = { minLength: 2, maxLength: 2 }
    const small = fc.array(fc.bigInt(0n, 255n), two)
    const values = [fc.array(address, two), data, fc.array(data, two), fc.array(small, { maxLength: 5 })] as const
    fc.assert(
      fc.property(...values, (...call) => {
        expect(pairs.encode(...call)).toBe(abi.encodeFunctionData('pairs', call))
        expect(pairs.decode(abi.encodeFunctionResult('pairs', call) as `0x${string}`)).toEqual(call)
      }),
    )
    const zero = `0x${'0'.repeat(40)}`
    for (const wrong of [[], [zero], [zero, zero, zero]])
      expect(() => pairs.encode(wrong, '0x', ['0x', '0x'], [])).toThrow(
        expect.objectContaining({ code: 'INVALID_ARGUMENT' }),
      )
  })

  test('a list that claims more than the answer holds is cut off, whatever it claims', () => {
    const abi = new Interface(['function words() view returns (uint256[])'])
    const words = callCodec<[], [bigint[]]>(abi, 'words')
    const answer = (count: bigint) =>
      `0x${[32n, count, 7n].map((word) => word.toString(16).padStart(64, '0')).join('')}` as const
    expect(words.decode(answer(1n))).toEqual([[7n]])
    for (const count of [2n, 2n ** 32n, 2n ** 255n]) expect(() => words.decode(answer(count))).toThrow('cut off')
  })

  test.each([
    ['an amount below zero', { minOutput: -1n }],
    ['an amount of 257 bits', { minOutput: 2n ** 256n }],
    ['an address of 19 bytes', { executor: `0x${'11'.repeat(19)}` }],
    ['text that is no address', { executor: 'weth' }],
  ])('refuses %s', (_, wrong) => {
    const zero = `0x${'0'.repeat(40)}`
    const order = { tokenIn: zero, tokenOut: zero, executor: zero, minOutput: 1n, deadline: 1n }
    const swap = callCodec<[IGuard.OrderStruct, string], [bigint]>(guard, 'swapNative')
    expect(() => swap.encode({ ...order, ...wrong }, '0x')).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT' }),
    )
    expect(() => swap.encode(order, '0x0')).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }))
  })

  test('refuses an answer that is empty, cut off or points beyond its end', () => {
    const abi = new Interface(['function get() view returns (bytes)'])
    const get = callCodec<[], [string]>(abi, 'get')
    const word = (value: bigint) => value.toString(16).padStart(64, '0')
    for (const answer of ['', word(32n), word(32n) + word(1n), word(2n ** 255n), word(32n) + word(2n ** 200n)])
      expect(() => get.decode(`0x${answer}`)).toThrow(expect.objectContaining({ code: 'BAD_DATA' }))
  })

  test('refuses to be made for a type that it does not know', () => {
    const abi = new Interface(['function text(string a)'])
    expect(() => callCodec(abi, 'text')).toThrow(expect.objectContaining({ code: 'UNSUPPORTED_OPERATION' }))
  })
})

describe('eventReader', () => {
  const abi = new Interface(['event Swap(address indexed to, int256 a, uint112 b, int24 c, bool d)'])
  const read = eventReader<[bigint, bigint, bigint, boolean]>(abi, 'Swap')
  const signed = (bits: bigint) => fc.bigInt(-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n)

  test('reads what ethers writes, of which nothing is indexed', () => {
    const values = fc.tuple(address, signed(256n), fc.bigInt(0n, 2n ** 112n - 1n), signed(24n), fc.boolean())
    fc.assert(
      fc.property(values, ([to, ...carried]) => {
        const { data } = abi.encodeEventLog('Swap', [to, ...carried])
        expect(read(data as `0x${string}`)).toEqual(carried)
      }),
    )
  })

  test('refuses data that is cut off, and an event that there is not', () => {
    expect(() => read(`0x${'0'.repeat(64 * 3)}`)).toThrow(expect.objectContaining({ code: 'BAD_DATA' }))
    expect(() => eventReader(abi, 'Sync')).toThrow(expect.objectContaining({ code: 'UNSUPPORTED_OPERATION' }))
  })
})
