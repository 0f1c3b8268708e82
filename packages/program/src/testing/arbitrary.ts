/** Random steps of every operation, for property tests of this package and of the contracts. */
import fc from 'fast-check'
import { SHARE_DENOMINATOR } from '../format.ts'
import type { OpField, OpFields } from '../ops/fields.ts'
import { ops, type Step } from '../ops/index.ts'
import type { Op } from '../ops/op.ts'
import type { StepInput, StepOutput } from '../step.ts'
import { ZERO_ADDRESS } from '../zero.ts'

type Address = `0x${string}`

/** Placeholder for the sender's input token. */
export const PULLED_TOKEN: Address = `0x${'aa'.repeat(20)}`

const hexOf = (bytes: Uint8Array): Address => `0x${Buffer.from(bytes).toString('hex')}`
/** Random address; never the zero address, which represents the native token. */
const address = fc.uint8Array({ minLength: 20, maxLength: 20, min: 1 }).map(hexOf)
const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(hexOf)
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
// Fields that steps of all operations have, one record for each kind of input.
const balanceFields = { tokenIn: address, input: heldInput, output }
const nativeFields = { ...balanceFields, tokenIn: fc.constant(ZERO_ADDRESS) }
const pulledFields = { tokenIn: fc.constant(PULLED_TOKEN), input: pulledInput, output }
const prepaidFields = { ...balanceFields, input: fc.record({ kind: fc.constant('atPool' as const) }) }

function arbitraryOf(field: OpField): fc.Arbitrary<unknown> {
  switch (field.kind) {
    case 'address':
      return field.flag === undefined ? address : fc.oneof(fc.constant(ZERO_ADDRESS), address)
    case 'bytes32':
      return bytes32
    case 'choice':
      return fc.constantFrom(...field.choices)
    case 'uint':
      return fc.integer({ min: 0, max: (field.exclusiveMax ?? 2 ** (field.bytes * 8)) - 1 })
  }
}

const arbitraryFields = (fields: OpFields) =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, arbitraryOf(field)]))

/** Steps with every input and output kind that the operation supports. */
function stepsOf(op: Op): fc.Arbitrary<Step>[] {
  const operationFields = {
    op: fc.constant(op.name),
    ...arbitraryFields(op.fields),
    ...(op.direction ? { [op.direction.name]: fc.boolean() } : {}),
    ...(op.hops ? { hops: fc.array(fc.record(arbitraryFields(op.hops)), { minLength: 1, maxLength: 3 }) } : {}),
  }
  const variants =
    op.native === 'only'
      ? [nativeFields]
      : op.canBePrepaid
        ? [balanceFields, pulledFields, prepaidFields]
        : [balanceFields, pulledFields]
  return variants.map(
    (variant) => fc.record({ ...operationFields, ...variant }) as fc.Arbitrary<unknown> as fc.Arbitrary<Step>,
  )
}

export const step: fc.Arbitrary<Step> = fc.oneof(...ops.flatMap(stepsOf))
export const program = fc.array(step, { minLength: 1, maxLength: 6 })
