/** Random steps, for the property tests of this package and of the contracts. */
import fc from 'fast-check'
import { curveVariants, SHARE_DENOMINATOR } from '../format.ts'
import type { Step, StepInput, StepOutput } from '../step.ts'

type Address = `0x${string}`

/** Stands for the sender's input token. */
export const PULLED_TOKEN: Address = `0x${'aa'.repeat(20)}`

/** Never the zero address, which stands for native token. */
const address = fc
  .uint8Array({ minLength: 20, maxLength: 20, min: 1 })
  .map((bytes): Address => `0x${Buffer.from(bytes).toString('hex')}`)
const amount = fc.bigInt({ min: 0n, max: (1n << 128n) - 1n })

const heldInput: fc.Arbitrary<StepInput> = fc.oneof(
  fc.record({ kind: fc.constant('rest' as const) }),
  fc.record({ kind: fc.constant('held' as const), amount }),
  fc.record({ kind: fc.constant('share' as const), share: fc.integer({ min: 1, max: SHARE_DENOMINATOR - 1 }) }),
)
const pulledInput: fc.Arbitrary<StepInput> = fc.oneof(
  fc.record({ kind: fc.constant('pull' as const), amount }),
  fc.record({ kind: fc.constant('pullAll' as const) }),
)
const output: fc.Arbitrary<StepOutput> = fc.oneof(
  fc.record({ kind: fc.constant('executor' as const) }),
  fc.record({ kind: fc.constant('recipient' as const) }),
  fc.record({ kind: fc.constant('address' as const), address }),
)
const ZERO: Address = `0x${'00'.repeat(20)}`
const held = { tokenIn: address, input: heldInput, output }
const pulled = { tokenIn: fc.constant(PULLED_TOKEN), input: pulledInput, output }
const op = <name extends Step['op']>(name: name) => fc.constant(name)

const prepaid = { ...held, input: fc.record({ kind: fc.constant('atPool' as const) }) }
const uint = (bits: number) => fc.integer({ min: 0, max: 2 ** bits - 1 })
const bytes32 = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes): Address => `0x${Buffer.from(bytes).toString('hex')}`)
const hops = <T>(hop: fc.Arbitrary<T>) => fc.array(hop, { minLength: 1, maxLength: 3 })
const direction = fc.boolean()

export const step: fc.Arbitrary<Step> = fc.oneof(
  ...[held, pulled, prepaid].flatMap((common): fc.Arbitrary<Step>[] => [
    fc.record({ op: op('uniswap-v2'), ...common, pool: address, zeroForOne: direction, feePpm: uint(19) }),
    fc.record({ op: op('solidly'), ...common, pool: address, zeroForOne: direction }),
    fc.record({ op: op('liquidity-book'), ...common, pool: address, swapForY: direction }),
    fc.record({ op: op('dodo-v2'), ...common, pool: address, sellBase: direction }),
  ]),
  ...[held, pulled].flatMap((common): fc.Arbitrary<Step>[] => [
    fc.record({ op: op('uniswap-v3'), ...common, pool: address, zeroForOne: direction }),
    fc.record({ op: op('unwrap'), ...common }),
    fc.record({ op: op('erc4626'), ...common, tokenOut: address, deposit: direction }),
    fc.record({ op: op('rate-wrapper'), ...common, tokenOut: address, wrap: direction }),
    fc.record({
      op: op('uniswap-v4'),
      ...common,
      manager: address,
      hops: hops(
        fc.record({
          tokenOut: address,
          fee: uint(24),
          tickSpacing: uint(15),
          hooks: fc.oneof(fc.constant(ZERO), address),
        }),
      ),
    }),
    fc.record({
      op: op('curve'),
      ...common,
      pool: address,
      variant: fc.constantFrom(...curveVariants),
      i: uint(8),
      j: uint(8),
      tokenOut: address,
    }),
    fc.record({
      op: op('balancer-v2'),
      ...common,
      vault: address,
      hops: hops(fc.record({ poolId: bytes32, tokenOut: address })),
    }),
    fc.record({
      op: op('balancer-v3'),
      ...common,
      vault: address,
      hops: hops(fc.record({ pool: address, tokenOut: address })),
    }),
  ]),
  fc.record({ op: op('wrap'), ...held, tokenIn: fc.constant(ZERO), wrapped: address }),
)

export const program = fc.array(step, { minLength: 1, maxLength: 6 })
