/** Tests that `verify` accepts honest routes and refuses each single change, with its reason, without a node. */
import { describe, expect, test, vi } from 'vitest'
import * as h from '../test/routes.ts'
import { type GuardPermit, NATIVE, type SwapTerms, verify, withPermit } from './index.ts'

const proved = ({ request, route }: h.Honest, terms?: SwapTerms) => verify(h.CHAIN, route, request, terms)
const refused = (honest: h.Honest, reason: string | RegExp, terms?: SwapTerms) =>
  expect(() => proved(honest, terms)).toThrow(
    expect.objectContaining({
      code: 'UNSAFE',
      message: typeof reason === 'string' ? expect.stringContaining(reason) : expect.stringMatching(reason),
    }),
  )

const { split, single, path, nativeIn, nativeOut, withFee } = h
test.each(Object.entries({ split, single, path, nativeIn, nativeOut, withFee }))(
  'proves the honest route %s',
  (_, honest) => {
    const { unproven, unknownPools, minOutput } = proved(honest)
    expect({ unproven, unknownPools, minOutput }).toEqual({ unproven: [], unknownPools: [], minOutput: 1_990_000n })
  },
)

test('proves a route whose legs spell addresses in another letter case', () => {
  const wrapped = h.honestRoute(
    [
      { op: 'wrap', tokenIn: h.ZERO, wrapped: h.WETH, input: h.rest, output: h.toExecutor },
      h.v3(h.POOL, h.WETH, h.USDC, { input: h.rest, output: h.toRecipient }),
    ],
    [h.leg(h.WETH, NATIVE, h.WETH), h.leg(h.POOL, h.WETH, h.USDC)],
    { tokenIn: h.ZERO, value: 1_000_000n },
    { src: NATIVE },
  )
  const upper = (address: string) => `0x${address.slice(2).toUpperCase()}`
  for (const honest of [split, single, path, nativeIn, wrapped]) {
    // In ASCII, upper case sorts before lower case, and the address of a pool depends on the order of its tokens.
    const swaps = honest.route.swaps.map((leg) => ({ ...leg, pool: upper(leg.pool), tokenIn: upper(leg.tokenIn) }))
    expect(proved(h.responding(honest, { swaps })).unproven).toEqual([])
  }
})

describe('refuses a changed', () => {
  const { tx } = single.route
  const cases: Record<string, readonly [h.Honest, string]> = {
    contract: [h.responding(single, { tx: { ...tx, to: h.untrusted } }), 'not the Guard'],
    sender: [h.responding(single, { tx: { ...tx, from: h.untrusted } }), 'the sender'],
    recipient: [h.changed(single, { recipient: h.untrusted }), 'the recipient'],
    'recipient, if another account was requested': [h.requesting(single, { recipient: h.untrusted }), 'the recipient'],
    'input token': [h.changed(single, { tokenIn: h.USDT }), 'the input token'],
    'output token': [h.changed(single, { tokenOut: h.USDT }), 'the output token'],
    'input amount, one unit above': [h.changed(single, { amountIn: 1_000_001n }), 'the input amount'],
    'input amount, one unit below': [h.changed(single, { amountIn: 999_999n }), 'the input amount'],
    'value of a token input': [h.responding(single, { tx: { ...tx, value: '1' } }), 'wei'],
    'native input where a token was requested': [h.requesting(nativeIn, { src: h.WETH }), 'the input token'],
    'token input where native was requested': [h.requesting(single, { src: NATIVE }), 'the input token'],
    mode: [h.changed(single, { direct: true }), 'direct mode'],
    Executor: [h.changed(single, { executor: h.untrusted }), 'the Executor'],
    wrapper: [h.changed(nativeOut, { wrapper: h.untrusted }), `the wrapper ${h.untrusted}`],
    'minimum output, one unit below': [h.changed(single, { minOutput: 1_989_999n }), 'the minimum output'],
    'minimum output, one unit above': [h.changed(single, { minOutput: 1_990_001n }), 'the minimum output'],
    'deadline, one second later': [h.changed(single, { deadline: BigInt(h.DEADLINE) + 1n }), 'the deadline'],
    'deadline, one second earlier': [h.changed(single, { deadline: BigInt(h.DEADLINE) - 1n }), 'the deadline'],
    'fee, which nobody requested': [h.changed(single, { feePpm: 1n, feeRecipient: h.untrusted }), 'the fee'],
    'fee, one ppm above': [h.changed(withFee, { feePpm: 1_501n }), 'the fee'],
    'fee, one ppm below': [h.changed(withFee, { feePpm: 1_499n }), 'the fee'],
    'fee, which is missing': [h.changed(withFee, { feePpm: 0n, feeRecipient: h.ZERO }), 'the fee'],
    'fee recipient': [h.changed(withFee, { feeRecipient: h.untrusted }), 'the fee recipient'],
    'fee, whose recipient was not named': [
      h.requesting(withFee, { convenienceFeeRecipient: undefined as never }),
      'the fee recipient',
    ],
    pool: [h.changed(single, {}, ([step]) => [{ ...step!, pool: h.untrusted } as never]), 'the pools'],
    'pool, also in the legs': [
      h.responding(
        h.changed(single, {}, ([step]) => [{ ...step!, pool: h.untrusted } as never]),
        { swaps: [h.leg(h.untrusted, h.WETH, h.USDC)] },
      ),
      `uniswap-v3.pool ${h.untrusted}`,
    ],
    'pool fee, one ppm above': [
      h.changed(split, {}, ([first, second]) => [{ ...first!, feePpm: 3_001 } as never, second!]),
      'uniswap-v2.feePpm 3001',
    ],
    'pool fee, one ppm below': [
      h.changed(split, {}, ([first, second]) => [{ ...first!, feePpm: 2_999 } as never, second!]),
      'uniswap-v2.feePpm 2999',
    ],
    'pool, which was excluded': [
      h.requesting(split, { excludePools: [h.PAIR.toUpperCase().replace('X', 'x')] }),
      'was excluded',
    ],
  }
  test.each(Object.keys(cases))('%s', (name) => refused(cases[name]![0], cases[name]![1]))
})

test('a negative slippage, a malformed amount, and a missing request are UNSAFE', () => {
  for (const change of [{ slippage: -1 }, { slippage: 100 }, { amount: '1e6' }, { amount: undefined as never }])
    refused(h.requesting(h.single, change), /./)
  expect(() => verify(h.CHAIN, h.single.route, undefined as never)).toThrow(expect.objectContaining({ code: 'UNSAFE' }))
  expect(() => verify(999_999_999, h.single.route, h.single.request)).toThrow(
    expect.objectContaining({ code: 'UNSAFE' }),
  )
})

test('without a requested deadline, the latest is 20 minutes from now and 5 for the difference of the clocks', () => {
  vi.useFakeTimers({ now: 1_700_000_000_999 })
  try {
    const until = (seconds: number) => {
      const { deadline, ...request } = h.single.request
      return { ...h.changed(h.single, { deadline: BigInt(1_700_000_000 + seconds) }), request }
    }
    expect(proved(until(1_500)).deadline).toBe(1_700_001_500n)
    refused(until(1_501), 'the deadline')
  } finally {
    vi.useRealTimers()
  }
})

test('minToAmount and maxFromAmount are limits that the transaction may reach', () => {
  expect(proved(h.single, { minToAmount: 1_990_000n }).minOutput).toBe(1_990_000n)
  refused(h.single, 'below minToAmount 1990001', { minToAmount: '1990001' })
  expect(proved(h.single, { maxFromAmount: 1_000_000n }).amountIn).toBe(1_000_000n)
  refused(h.single, 'above maxFromAmount 999999', { maxFromAmount: '999999' })
})

test('an exact output has exactly the requested minimum and the input of the quote', () => {
  const { amount, ...rest } = h.single.request
  const of = (amountOut: bigint, fromAmount = '1000000') => ({
    request: { ...rest, amountOut } as never,
    route: { ...h.single.route, fromAmount },
  })
  expect(proved(of(1_990_000n)).minOutput).toBe(1_990_000n)
  refused(of(1_990_001n), 'the minimum output')
  refused(of(1_989_999n), 'the minimum output')
  refused(of(1_990_000n, '999999'), 'the input amount')
  refused(of(1_990_000n), 'above maxFromAmount', { maxFromAmount: 999_999n })
})

test('automatic slippage is the one that the route names, and at most 3 percent', () => {
  const of = (percent: number, minOutput: bigint) =>
    h.responding(h.requesting(h.changed(h.single, { minOutput }), { slippage: 'auto' }), {
      slippage: { percent, reason: '' },
    })
  expect(proved(of(3, 1_940_000n)).minOutput).toBe(1_940_000n)
  refused(of(3.0001, 1_939_998n), 'a slippage of 3.0001 percent')
  refused(of(1, 1_940_000n), 'the minimum output')
  // A caller who names a larger percentage gets it.
  expect(proved(h.requesting(h.changed(h.single, { minOutput: 1_000_000n }), { slippage: 50 })).minOutput).toBe(
    1_000_000n,
  )
  // A route that names no slippage has none.
  refused(h.requesting(h.single, { slippage: 'auto' }), 'the minimum output')
})

test('a minimum that rounds to zero must be one unit', () => {
  const of = (minOutput: bigint) => h.responding(h.changed(h.single, { minOutput }), { toAmount: '1' })
  expect(proved(of(1n)).minOutput).toBe(1n)
  refused(of(0n), 'the minimum output')
})

test('direct mode passes if the caller allows it, and only then', () => {
  const direct = h.changed(h.single, { direct: true })
  expect(proved(direct, { direct: true }).mode).toBe('direct')
  refused(direct, 'direct mode', { direct: false })
})

test('an unknown pool passes only by its address, its field, or knownPools: false, and is reported', () => {
  const unknown = h.responding(
    h.changed(h.single, {}, ([step]) => [{ ...step!, pool: h.untrusted } as never]),
    { swaps: [h.leg(h.untrusted, h.WETH, h.USDC)] },
  )
  refused(unknown, 'exclude their pools')
  refused(unknown, 'exclude their pools', { accept: [h.PAIR, 'uniswap-v2.pool'] })
  refused(unknown, 'exclude their pools', { accept: [h.untrusted], knownPools: true })
  const field = { field: 'uniswap-v3.pool', value: h.untrusted, pool: h.untrusted, isContract: true }
  for (const terms of [
    { accept: [h.untrusted] },
    { accept: ['uniswap-v3.pool'] },
    { knownPools: false },
  ] satisfies SwapTerms[])
    expect(proved(unknown, terms)).toMatchObject({ unproven: [field], unknownPools: [h.untrusted] })
})

test('knownPools: false does not accept a number that sets the price', () => {
  const pair = h.v2(h.untrusted, h.WETH, h.USDC, { input: h.pullAll, output: h.toRecipient })
  const of = (feePpm: number) => h.honestRoute([{ ...pair, feePpm } as never], [h.leg(h.untrusted, h.WETH, h.USDC)])
  expect(proved(of(10_000), { knownPools: false }).unknownPools).toEqual([h.untrusted])
  refused(of(10_001), 'uniswap-v2.feePpm 10001', { knownPools: false })
})

describe('the permit in the calldata', () => {
  const permit: GuardPermit = {
    ...{ kind: 'permit2', amount: 1_000_000n, nonce: 7n, deadline: BigInt(h.DEADLINE) },
    signature: `0x${'ab'.repeat(64)}1b`,
  }
  const signed = h.responding(h.single, { tx: withPermit(h.single.route.tx, permit) })

  test('is accepted if it is the signed one, and explained', () => {
    expect(proved(signed, { permit }).permit).toEqual({
      ...{ kind: 'permit2', amount: 1_000_000n, deadline: BigInt(h.DEADLINE) },
    })
    expect(proved(h.single).permit).toBeNull()
  })

  test('is refused if it was not requested, and missed if it was', () => {
    refused(signed, 'a signature, which was not asked for')
    refused(h.single, 'the signature is missing', { permit })
  })

  test.each([
    ['amount', { amount: 1_000_001n }],
    ['nonce', { nonce: 8n }],
    ['deadline', { deadline: BigInt(h.DEADLINE) + 1n }],
    ['kind', { kind: 'eip2612', nonce: 0n }],
    ['signature', { signature: `0x${'ab'.repeat(64)}1c` }],
  ] as const)('must have the signed %s', (field, change) => {
    const other = h.responding(h.single, { tx: withPermit(h.single.route.tx, { ...permit, ...change } as GuardPermit) })
    refused(other, field === 'signature' ? 'the signature' : `the ${field} of the signature`, { permit })
  })

  test('of DAI has no amount', () => {
    const dai: GuardPermit = { ...permit, kind: 'dai', amount: 0n }
    const tx = withPermit(h.single.route.tx, dai)
    expect(proved(h.responding(h.single, { tx }), { permit: dai }).permit).toMatchObject({ kind: 'dai', amount: null })
  })
})

describe('the calls of a batch', () => {
  const { tx } = h.single.route
  const swap = { to: tx.to, data: tx.data, value: tx.value }
  const approval = (amount: bigint, spender: string = h.guard, to: string = h.WETH) => ({
    ...{ to, value: '0' },
    data: `0x095ea7b3${spender.slice(2).padStart(64, '0')}${amount.toString(16).padStart(64, '0')}` as const,
  })
  const of = (...calls: object[]) => h.responding(h.single, { calls: calls as never })

  test('may be a reset, an approval of exactly the input, and the transaction', () => {
    for (const calls of [[swap], [approval(1_000_000n), swap], [approval(0n), approval(1_000_000n), swap]])
      expect(proved(of(...calls)).amountIn).toBe(1_000_000n)
  })

  test.each([
    ['no transaction', of()],
    ['only an approval', of(approval(1_000_000n))],
    ['a larger approval', of(approval(1_000_001n), swap)],
    ['an unlimited approval', of(approval(2n ** 256n - 1n), swap)],
    ['an approval of a stranger', of(approval(1_000_000n, h.untrusted), swap)],
    ['an approval of another token', of(approval(1_000_000n, h.guard, h.USDT), swap)],
    ['an approval with value', of({ ...approval(1_000_000n), value: '1' }, swap)],
    ['a reset of a stranger', of(approval(0n, h.untrusted), approval(1_000_000n), swap)],
    ['a first approval instead of a reset', of(approval(1n), approval(1_000_000n), swap)],
    ['a third approval', of(approval(0n), approval(0n), approval(1_000_000n), swap)],
    ['a transaction to a stranger', of({ ...swap, to: h.untrusted })],
    ['a transaction with other data', of({ ...swap, data: `${tx.data}00` })],
    ['a transaction with value', of({ ...swap, value: '1' })],
    ['a call after the transaction', of(swap, approval(1_000_000n))],
    ['no list', h.responding(h.single, { calls: { length: 1, 0: swap } as never })],
  ] as const)('are refused with %s', (_, honest) => refused(honest, '`calls` do more'))

  test('of native input contain no approval', () => {
    const own = h.nativeIn.route.tx
    const call = { to: own.to, data: own.data, value: own.value }
    expect(proved(h.responding(h.nativeIn, { calls: [call] })).amountIn).toBe(1_000_000n)
    refused(
      h.responding(h.nativeIn, { src: NATIVE, calls: [approval(1_000_000n, h.guard, NATIVE), call] }),
      '`calls` do more',
    )
  })
})
