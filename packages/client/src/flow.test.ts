/** Tests that `verify` follows all tokens of a program from the sender to the recipient, without a node. */
import type { Step } from '@sluice/program'
import { expect, test } from 'vitest'
import * as h from '../test/routes.ts'
import { NATIVE, type SwapTerms, verify } from './index.ts'

const proved = ({ request, route }: h.Honest, terms?: SwapTerms) => verify(h.CHAIN, route, request, terms)
const refused = (honest: h.Honest, reason: string, terms?: SwapTerms) =>
  expect(() => proved(honest, terms)).toThrow(
    expect.objectContaining({ code: 'UNSAFE', message: expect.stringContaining(reason) }),
  )
const { WETH, USDC, USDT, ZERO, PAIR, POOL, WETH_USDT, USDC_USDT, leg, v2, v3, pull, pullAll, rest } = h
const { toRecipient, toExecutor } = h
const toPair = { kind: 'address', address: PAIR } as const
const share = (of: number) => ({ kind: 'share', share: of }) as const
const heldAmount = (amount: bigint) => ({ kind: 'held', amount }) as const
const wrap = (ends: Pick<Step, 'input' | 'output'>): Step => ({ op: 'wrap', tokenIn: ZERO, wrapped: WETH, ...ends })
const unwrap = (ends: Pick<Step, 'input' | 'output'>): Step => ({ op: 'unwrap', tokenIn: WETH, ...ends })
const direct = [leg(POOL, WETH, USDC)]

/** USDT to WETH in one pool, which pays the pair of WETH and USDC directly. */
const prepaid = h.honestRoute(
  [
    v3(WETH_USDT, USDT, WETH, { input: pullAll, output: toPair }),
    v2(PAIR, WETH, USDC, { input: { kind: 'atPool' }, output: toRecipient }),
  ],
  [leg(WETH_USDT, USDT, WETH), leg(PAIR, WETH, USDC)],
  { tokenIn: USDT },
  { src: USDT },
)
/** USDT to WETH, which is split by shares. */
const shared = h.honestRoute(
  [
    v3(WETH_USDT, USDT, WETH, { input: pullAll, output: toExecutor }),
    v2(PAIR, WETH, USDC, { input: share(5_000), output: toRecipient }),
    v3(POOL, WETH, USDC, { input: rest, output: toRecipient }),
  ],
  [leg(WETH_USDT, USDT, WETH), leg(PAIR, WETH, USDC), leg(POOL, WETH, USDC)],
  { tokenIn: USDT },
  { src: USDT },
)
/** Native input of which the Executor wraps all in a step without a leg, then uses fixed parts. */
const wrapped = (first: bigint, second: bigint) =>
  h.honestRoute(
    [
      wrap({ input: rest, output: toExecutor }),
      v2(PAIR, WETH, USDC, { input: heldAmount(first), output: toRecipient }),
      v3(POOL, WETH, USDC, { input: heldAmount(second), output: toRecipient }),
    ],
    [leg(PAIR, WETH, USDC), leg(POOL, WETH, USDC)],
    { tokenIn: ZERO, value: 1_000_000n },
    { src: NATIVE },
  )
/** Native output by an unwrapping step. */
const unwrapped = h.honestRoute(
  [v3(POOL, USDC, WETH, { input: pullAll, output: toExecutor }), unwrap({ input: rest, output: toRecipient })],
  [leg(POOL, USDC, WETH), leg(WETH, WETH, NATIVE)],
  { tokenIn: USDC, tokenOut: ZERO },
  { src: USDC, dst: NATIVE },
)

test.each(Object.entries({ prepaid, shared, unwrapped, wrapped: wrapped(400_000n, 600_000n) }))(
  'a program with tokens %s is proven',
  (_, honest) => expect(proved(honest).unproven).toEqual([]),
)

test('native output is not paid if the request is for a token', () => {
  const steps = [
    v3(POOL, USDC, WETH, { input: pullAll, output: toExecutor }),
    unwrap({ input: rest, output: toRecipient }),
  ]
  const legs = [leg(POOL, USDC, WETH), leg(WETH, WETH, NATIVE)]
  const order = { tokenIn: USDC, tokenOut: WETH }
  refused(h.honestRoute(steps, legs, order, { src: USDC, dst: WETH }), 'step 2 pays the recipient another token')
})

test('all input is used, and no more', () => {
  const of = (first: bigint, second: bigint) =>
    h.changed(h.split, {}, ([a, b]) => [
      { ...a!, input: pull(first) },
      { ...b!, input: pull(second) },
    ])
  expect(proved(of(1n, 999_999n)).amountIn).toBe(1_000_000n)
  refused(of(400_000n, 599_999n), 'leaves input with the sender')
  refused(of(400_000n, 600_001n), 'what step 2 takes')
  refused(of(0n, 1_000_000n), 'what step 1 takes')
  refused(
    h.changed(h.split, {}, ([a, b]) => [
      { ...a!, input: pullAll },
      { ...b!, input: pull(1n) },
    ]),
    'what step 2 takes',
  )
  refused(
    h.changed(h.split, {}, ([a, b]) => [
      { ...a!, input: pull(1n) },
      { ...b!, input: pullAll },
    ]),
    'what step 2 takes',
  )
})

test('fixed parts of a wrapped input add up to it', () => {
  refused(wrapped(400_000n, 599_999n), 'leaves tokens in the Executor')
  refused(wrapped(400_000n, 600_001n), 'what step 3 takes')
  refused(wrapped(0n, 1_000_000n), 'what step 2 takes')
})

test('a step that wraps nothing of the route is only accepted as the first one', () => {
  const [a, b] = [wrapped(400_000n, 600_000n), wrapped(400_000n, 600_000n)]
  refused(
    h.changed(a, {}, ([first, ...otherItems]) => [...otherItems, first!]),
    'what step 1 takes',
  )
  refused(
    h.changed(b, {}, ([first, ...otherItems]) => [first!, first!, ...otherItems]),
    'the pools',
  )
})

test('native input is wrapped by a step or by the Guard, not by nobody', () => {
  const honest = h.honestRoute(
    [v3(POOL, WETH, USDC, { input: pullAll, output: toRecipient })],
    direct,
    { tokenIn: ZERO, value: 1_000_000n },
    { src: NATIVE },
  )
  refused(honest, 'the program cannot be read')
})

test('an intermediate balance is used up', () => {
  refused(
    h.changed(h.path, {}, ([a, b]) => [a!, { ...b!, input: share(9_999) }]),
    'leaves tokens in the Executor',
  )
  refused(
    h.changed(h.path, {}, ([a, b]) => [a!, { ...b!, input: heldAmount(1n) }]),
    'what step 2 takes',
  )
  refused(
    h.changed(h.path, {}, ([a, b]) => [a!, { ...b!, output: toExecutor }]),
    'leaves tokens in the Executor',
  )
  refused(
    h.changed(shared, {}, ([a, b, c]) => [a!, { ...b!, input: rest }, c!]),
    'what step 3 takes',
  )
})

test('a step does not use tokens that the Executor was not given', () => {
  refused(
    h.changed(h.path, {}, ([a, b]) => [b!, a!]),
    'the pools',
  )
  refused(
    h.changed(h.single, {}, ([a]) => [{ ...a!, input: rest }]),
    'what step 1 takes',
  )
  refused(
    h.changed(h.single, {}, ([a]) => [{ ...a!, input: share(5_000) }]),
    'what step 1 takes',
  )
  const swapped = h.honestRoute(
    [v3(POOL, USDC, WETH, { input: pullAll, output: toRecipient })],
    [leg(POOL, USDC, WETH)],
  )
  refused(swapped, 'the pools')
})

test('a pool that is paid ahead is the pool of a later step, once, with its own token', () => {
  refused(
    h.changed(h.single, {}, ([a]) => [{ ...a!, output: toPair }]),
    'a step pays a stranger',
  )
  refused(
    h.changed(prepaid, {}, ([a, b]) => [{ ...a!, output: { ...toPair, address: h.untrusted } }, b!]),
    'what step 2 takes',
  )
  refused(
    h.changed(prepaid, {}, ([a, b]) => [{ ...a!, output: toExecutor }, b!]),
    'what step 2 takes',
  )
  const twice = h.honestRoute(
    [
      v3(WETH_USDT, USDT, WETH, { input: pull(1n), output: toPair }),
      v3(WETH_USDT, USDT, WETH, { input: pull(999_999n), output: toPair }),
      v2(PAIR, WETH, USDC, { input: { kind: 'atPool' }, output: toRecipient }),
    ],
    [leg(WETH_USDT, USDT, WETH), leg(WETH_USDT, USDT, WETH), leg(PAIR, WETH, USDC)],
    { tokenIn: USDT },
    { src: USDT },
  )
  refused(twice, 'a pool is paid ahead twice')
  const otherToken = h.honestRoute(
    [
      v3(USDC_USDT, USDT, USDC, { input: pullAll, output: toPair }),
      v2(PAIR, WETH, USDC, { input: { kind: 'atPool' }, output: toRecipient }),
    ],
    [leg(USDC_USDT, USDT, USDC), leg(PAIR, WETH, USDC)],
    { tokenIn: USDT },
    { src: USDT },
  )
  refused(otherToken, 'what step 2 takes')
})

test('the recipient is paid the output token, or the wrapper that the Guard unwraps', () => {
  refused(
    h.changed(h.path, {}, ([a, b]) => [{ ...a!, output: toRecipient }, b!]),
    'step 1 pays the recipient another token',
  )
  const [own, other] = [h.changed(unwrapped, { wrapper: WETH }), h.changed(h.nativeOut, { wrapper: ZERO })]
  refused(own, 'unwrap what nobody pays it')
  refused(other, 'step 1 pays the recipient another token')
})

test('the steps are the legs of the route, in order, in their direction', () => {
  const { swaps } = h.split.route
  refused(h.responding(h.split, { swaps: [...swaps].reverse() }), 'the pools')
  refused(h.responding(h.split, { swaps: swaps.slice(0, 1) }), 'the pools')
  refused(h.responding(h.split, { swaps: [...swaps, swaps[1]!] }), 'the pools')
  refused(h.responding(h.single, { swaps: [leg(POOL, USDC, WETH)] }), 'the pools')
  refused(
    h.changed(h.single, {}, ([a]) => [{ ...a!, zeroForOne: true } as Step]),
    'the pools',
  )
  refused(h.responding(unwrapped, { swaps: [leg(POOL, USDC, WETH), leg(WETH, WETH, USDC)] }), 'the pools')
  const upper = (text: string) => text.toUpperCase().replace('X', 'x')
  expect(proved(h.responding(h.single, { swaps: [leg(upper(POOL), upper(WETH), upper(USDC))] })).pools).toEqual([POOL])
})
