/** Random steps, for the property tests of this package and of the contracts. */
import fc from 'fast-check'
import { SHARE_DENOMINATOR } from '../format.ts'
import type { Step, StepInput, StepOutput } from '../step.ts'

type Address = `0x${string}`

/** Stands for the sender's input token. */
export const PULLED_TOKEN: Address = `0x${'aa'.repeat(20)}`

const address = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes): Address => `0x${Buffer.from(bytes).toString('hex')}`)
const amount = fc.bigInt({ min: 0n, max: (1n << 128n) - 1n })

const heldInput: fc.Arbitrary<StepInput> = fc.oneof(
  fc.record({ kind: fc.constant('rest' as const) }),
  fc.record({ kind: fc.constant('held' as const), amount }),
  fc.record({ kind: fc.constant('share' as const), share: fc.integer({ min: 1, max: SHARE_DENOMINATOR - 1 }) }),
)
const pulledInput: fc.Arbitrary<StepInput> = fc.oneof(
  fc.record({ kind: fc.constant('pull' as const), amount }),
  fc.record({ kind: fc.constant('pullRest' as const) }),
)
const output: fc.Arbitrary<StepOutput> = fc.oneof(
  fc.record({ kind: fc.constant('executor' as const) }),
  fc.record({ kind: fc.constant('guard' as const) }),
  fc.record({ kind: fc.constant('address' as const), address }),
)
const ZERO: Address = `0x${'00'.repeat(20)}`
const held = { tokenIn: address, input: heldInput, output }
const pulled = { tokenIn: fc.constant(PULLED_TOKEN), input: pulledInput, output }
const op = <name extends Step['op']>(name: name) => fc.constant(name)

export const step: fc.Arbitrary<Step> = fc.oneof(
  ...[held, pulled, { ...held, input: fc.record({ kind: fc.constant('atPool' as const) }) }].map((common) =>
    fc.record({
      op: op('uniswap-v2'),
      ...common,
      pool: address,
      zeroForOne: fc.boolean(),
      feePpm: fc.integer({ min: 0, max: 999_999 }),
    }),
  ),
  ...[held, pulled].map((common) =>
    fc.record({ op: op('uniswap-v3'), ...common, pool: address, zeroForOne: fc.boolean() }),
  ),
  ...[held, pulled].map((common) => fc.record({ op: op('unwrap'), ...common })),
  fc.record({ op: op('wrap'), ...held, tokenIn: fc.constant(ZERO), wrapped: address }),
)

export const program = fc.array(step, { minLength: 1, maxLength: 6 })
