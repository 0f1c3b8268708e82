/** Tests of the request schemas. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ApiError } from './errors.ts'
import { liquidityQuery, NATIVE_TEXT, pricesQuery, read, readChainId, readHash, simulateFields } from './requests.ts'
import { swapQuery } from './swap/request.ts'

const A = '0x00000000000000000000000000000000000000aA'
const B = '0x00000000000000000000000000000000000000bB'
const C = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const ZERO = `0x${'0'.repeat(40)}`
const swap = { src: A, dst: B, amount: '1000', from: C }
const simulate = { from: C, to: B, data: '0x', tokenIn: A, amountIn: '1', tokenOut: B }

const mistake = (work: () => unknown): string => {
  try {
    work()
  } catch (error) {
    if (error instanceof ApiError) return `${error.status} ${error.message}`
    throw error
  }
  return 'accepted'
}

/** Returns an address below 2^16. */
const numbered = (value: number) => `0x${value.toString(16).padStart(40, '0')}`

describe('a swap query', () => {
  const addresses = '400 src and dst must be valid 0x... addresses'
  const fee = { convenienceFee: '1', convenienceFeeRecipient: C }
  test.each<[Record<string, unknown>, string]>([
    [{ src: undefined }, addresses],
    [{ dst: '' }, addresses],
    [{ src: '0x12' }, addresses],
    [{ src: [A, A] }, addresses],
    [{ dst: '__proto__' }, addresses],
    [{ dst: `${A} ` }, addresses],
    [{ dst: A.replace('a', 'а') }, addresses],
    [{ src: ZERO }, `400 src must not be the zero address; the native token is ${NATIVE_TEXT}`],
    [{ dst: A.toLowerCase() }, '400 src and dst must be different tokens'],
    [{ src: NATIVE_TEXT }, 'accepted'],
    [{ amount: undefined }, '400 amount must be provided'],
    [{ amount: '' }, '400 amount must be provided'],
    [{ amount: ['1', '2'] }, '400 amount must be given once'],
    [{ amount: '1e18' }, '400 amount must be a base-10 integer'],
    [{ amount: '+1' }, '400 amount must be a base-10 integer'],
    [{ amount: '-1' }, '400 amount must be a base-10 integer'],
    [{ amount: ' 1' }, '400 amount must be a base-10 integer'],
    [{ amount: '1.5' }, '400 amount must be a base-10 integer'],
    [{ amount: '0x10' }, '400 amount must be a base-10 integer'],
    [{ amount: '١' }, '400 amount must be a base-10 integer'],
    [{ amount: '1'.repeat(79) }, '400 amount must be a base-10 integer'],
    [{ amount: '0' }, '400 amount must be a base-10 integer above 0'],
    [{ amount: (2n ** 256n).toString() }, '400 amount must be a base-10 integer below 2^256'],
    [{ amount: (2n ** 256n - 1n).toString() }, 'accepted'],
    [{ amount: `${'0'.repeat(77)}1` }, 'accepted'],
    [{ from: undefined }, '400 from must be provided'],
    [{ from: '0xg' }, '400 from must be a valid 0x... address'],
    [{ from: ZERO }, '400 from must not be the zero address'],
    [{ from: NATIVE_TEXT }, '400 from must not be the native token'],
    [{ from: numbered(1) }, '400 from must not be a precompile'],
    [{ from: numbered(0x1ff) }, '400 from must not be a precompile'],
    [{ from: numbered(0x200) }, 'accepted'],
    [{ from: numbered(0xdead) }, 'accepted'],
    [{ src: numbered(1) }, 'accepted'],
    [{ slippage: '' }, '400 slippage must be a number of percent with at most 4 decimals'],
    [{ slippage: 'NaN' }, '400 slippage must be a number of percent with at most 4 decimals'],
    [{ slippage: '-1' }, '400 slippage must be a number of percent with at most 4 decimals'],
    [{ slippage: '1e1' }, '400 slippage must be a number of percent with at most 4 decimals'],
    [{ slippage: '0.12345' }, '400 slippage must be a number of percent with at most 4 decimals'],
    [{ slippage: ['1', '1'] }, '400 slippage must be given once'],
    [{ slippage: '100' }, '400 slippage must be below 100'],
    [{ slippage: '99.9999' }, 'accepted'],
    [{ slippage: '0' }, 'accepted'],
    [{ ...fee, convenienceFee: '10' }, 'accepted'],
    [{ ...fee, convenienceFee: '10.0001' }, '403 convenienceFee must be at most 10'],
    [{ ...fee, convenienceFee: '11' }, '403 convenienceFee must be at most 10'],
    [{ convenienceFee: '99' }, '403 convenienceFee must be at most 10'],
    [{ ...fee, convenienceFee: 'x' }, '400 convenienceFee must be a number of percent with at most 4 decimals'],
    [{ convenienceFee: '1' }, '400 convenienceFeeRecipient must be provided when convenienceFee is non-zero'],
    [{ convenienceFeeRecipient: C }, 'accepted'],
    [{ ...fee, convenienceFeeRecipient: '0x1' }, '400 convenienceFeeRecipient must be a valid 0x... address'],
    [{ ...fee, convenienceFeeRecipient: C.toLowerCase() }, 'accepted'],
    [{ minimumBlock: '-1' }, '400 minimumBlock must be an integer from 0 to 999999999999999'],
    [{ deadline: 'soon' }, '400 deadline must be an integer from 0 to 999999999999999'],
    [{ deadline: '1099511627776' }, 'accepted'],
    [{ deadline: '1099511627777' }, '400 deadline must be Unix time in seconds, at most 2^40'],
    [{ maxHops: '0' }, '400 maxHops must be an integer from 1 to 4'],
    [{ maxHops: '5' }, '400 maxHops must be an integer from 1 to 4'],
    [{ maxSplits: '1.5' }, '400 maxSplits must be an integer from 1 to 64'],
    [{ gasPrice: '0x1' }, '400 gasPrice must be a base-10 integer'],
    [{ gasPrice: '0' }, 'accepted'],
    [{ gasPrice: '18446744073709551615' }, 'accepted'],
    [{ gasPrice: '18446744073709551616' }, '400 gasPrice must be below 2^64 wei'],
    [{ maxPriceImpact: '101' }, '400 maxPriceImpact must be at most 100'],
    [{ includeSources: '' }, '400 includeSources must be names of sources, separated by commas'],
    [{ includeSources: 'uniswap-v2,Uniswap V3' }, 'accepted'],
    [{ excludePools: '0x12' }, '400 excludePools must be pool addresses or ids, separated by commas'],
    [{ excludePools: `${A},0x${'1'.repeat(64)}` }, 'accepted'],
    [{ unknown: 'x' }, 'accepted'],
  ])('with %o: %s', (change, expected) => {
    expect(mistake(() => read(swapQuery, { ...swap, ...change }))).toBe(expected)
  })

  test('mistakes are reported in the order src and dst, amount, from, the rest', () => {
    const wrong: Record<string, string> = { slippage: 'x', from: 'x', amount: 'x', src: 'x' }
    const fields = ['src and dst', 'amount', 'from', 'slippage']
    for (const [field, name] of [
      ['src', fields[0]],
      ['amount', fields[1]],
      ['from', fields[2]],
      ['slippage', fields[3]],
    ] as const) {
      expect(mistake(() => read(swapQuery, { ...swap, ...wrong }))).toContain(`400 ${name}`)
      delete wrong[field]
    }
  })

  test('echoes addresses as they were sent and compares them in lower case', () => {
    const { src, from } = read(swapQuery, { ...swap, src: NATIVE_TEXT })
    expect(src).toEqual({ input: NATIVE_TEXT, address: NATIVE_TEXT.toLowerCase() })
    expect(from.input).toBe(C)
  })

  test('percent becomes whole parts per million exactly, whatever the decimals', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 99 }), fc.integer({ min: 0, max: 9_999 }), (whole, decimals) => {
        const sent = `${whole}.${String(decimals).padStart(4, '0')}`
        expect(read(swapQuery, { ...swap, slippage: sent }).slippage).toBe(BigInt(whole) * 10_000n + BigInt(decimals))
      }),
    )
    expect(read(swapQuery, swap).slippage).toBe(5_000n)
    expect(read(swapQuery, { ...swap, slippage: '0.3' }).slippage).toBe(3_000n)
  })

  test('is never anything but accepted or refused with 400 or 403, whatever comes', () => {
    const value = fc.oneof(fc.string(), fc.array(fc.string()), fc.integer(), fc.constant(null))
    const names = fc.constantFrom(...Object.keys(swapQuery.shape), '__proto__', 'constructor')
    fc.assert(
      fc.property(fc.dictionary(names, value), (query) => {
        expect(mistake(() => read(swapQuery, { ...swap, ...query }))).toMatch(/^(accepted|40[03] )/)
      }),
      { numRuns: 500 },
    )
  })
})

describe('simulation fields', () => {
  test.each<[Record<string, unknown>, string]>([
    ...['from', 'to', 'data', 'tokenIn', 'amountIn', 'tokenOut'].map((name): [Record<string, unknown>, string] => [
      { [name]: undefined },
      `400 ${name} must be provided`,
    ]),
    ...['from', 'to', 'tokenIn', 'tokenOut', 'spender'].flatMap((name): [Record<string, unknown>, string][] => [
      [{ [name]: 'x' }, `400 ${name} must be a valid 0x... address`],
      [{ [name]: 7 }, `400 ${name} must be a string`],
      [{ [name]: ZERO }, `400 ${name} must not be the zero address`],
    ]),
    [{ tokenIn: NATIVE_TEXT }, '400 tokenIn must not be the native token'],
    [{ from: numbered(4) }, '400 from must not be a precompile'],
    [{ to: numbered(4) }, 'accepted'],
    [{ tokenOut: NATIVE_TEXT }, 'accepted'],
    [{ to: C.toLowerCase() }, '400 to must differ from from'],
    [{ data: 'abcd' }, '400 data must be 0x-prefixed hex of whole bytes'],
    [{ data: '0xabc' }, '400 data must be 0x-prefixed hex of whole bytes'],
    [{ data: `0x${'00'.repeat(131_072)}` }, 'accepted'],
    [{ data: `0x${'00'.repeat(131_073)}` }, '400 data must be at most 131072 bytes'],
    [{ amountIn: '0xff' }, 'accepted'],
    [{ amountIn: '1e3' }, '400 amountIn must be an integer, base-10 or 0x-hex'],
    [{ amountIn: `0x${'f'.repeat(64)}` }, 'accepted'],
    [{ amountIn: '9'.repeat(78) }, '400 amountIn must be below 2^256'],
    [{ gas: '-1' }, '400 gas must be an integer, base-10 or 0x-hex'],
    [{ value: '1' }, '400 value is no field of this endpoint'],
    [{ value: '1', other: 'x' }, '400 value, other are no fields of this endpoint'],
    [{ gasPrice: `0x${'f'.repeat(16)}` }, 'accepted'],
    [{ gasPrice: `0x${'e'.repeat(40)}` }, '400 gasPrice must be below 2^64 wei'],
    [{ gasPrice: 'fast' }, '400 gasPrice must be an integer, base-10 or 0x-hex'],
    [{ block: '0x10' }, 'accepted'],
    [{ block: '12' }, 'accepted'],
    [{ block: 'pending' }, 'accepted'],
    [{ block: 'newest' }, '400 block must be a number, 0x-hex or one of latest, pending, safe, finalized, earliest'],
    [{ balanceSlot: '0x' }, '400 balanceSlot must be an integer, base-10 or 0x-hex'],
    [{ allowanceSlot: '3' }, 'accepted'],
    [{ coinbase: ZERO }, 'accepted'],
  ])('with %o: %s', (change, expected) => {
    expect(mistake(() => read(simulateFields, { ...simulate, ...change }))).toBe(expected)
  })
})

describe('token lists', () => {
  const valid = '400 token must be valid 0x... addresses, separated by commas'
  const many = (count: number) => Array.from({ length: count }, (_, i) => `0x${String(i).padStart(40, '0')}`).join()
  test.each<[unknown, string]>([
    [undefined, '400 token must be provided'],
    ['', '400 token must be provided'],
    [[A, B], '400 token must be given once'],
    ['__proto__', valid],
    ['constructor', valid],
    [`${A},`, valid],
    [',,,', valid],
    [`${A}, ${B}`, valid],
    [`${A},${A.toLowerCase()},${NATIVE_TEXT}`, 'accepted'],
    [many(200), 'accepted'],
    [many(201), '400 token must list at most 200 addresses'],
  ])('%s: %s', (token, expected) => {
    expect(mistake(() => read(pricesQuery, { token }))).toBe(expected)
  })
  test('of more spellings than addresses are counted by address', () => {
    const upperCase = `0x${'AB'.repeat(20)}`
    const token = `${many(199)},${upperCase},${upperCase.toLowerCase()}`
    expect(token.split(',')).toHaveLength(201)
    expect(mistake(() => read(pricesQuery, { token }))).toBe('accepted')
    expect(mistake(() => read(pricesQuery, { token: `${token},${A}` }))).toBe(
      '400 token must list at most 200 addresses',
    )
  })
  test('curve is 0 or 1', () => {
    expect(mistake(() => read(liquidityQuery, { token: A, curve: '2' }))).toBe('400 curve must be 0 or 1')
  })
})

test.each([undefined, '', '0', '01', 'abc', '1e3', '-1', '0x1', '1.0', ' 1', '١'])('%s is no chain id', (sent) => {
  expect(mistake(() => readChainId(sent))).toBe('400 chain_id must be a base-10 integer')
})

test('a hash is 32 bytes, and is returned in lower case, as nodes report it', () => {
  expect(readHash(`0x${'aB'.repeat(32)}`)).toBe(`0x${'ab'.repeat(32)}`)
  for (const sent of [undefined, '', `0x${'ab'.repeat(31)}`, `0x${'ab'.repeat(33)}`, 'ab'.repeat(33)])
    expect(mistake(() => readHash(sent))).toMatch(/^400 hash must be/)
})

test('a chain id is read with all of its digits, up to the safe integers', () => {
  expect([readChainId('1'), readChainId('42161'), readChainId('9007199254740991')]).toEqual([
    ...[1, 42_161, Number.MAX_SAFE_INTEGER],
  ])
  expect(mistake(() => readChainId('9007199254740993'))).toMatch(/^404 /)
})
