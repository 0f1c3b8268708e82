/**
 * Table of the proof that each field of a step needs. A step is one instruction of the program that the Executor runs.
 * `verify`, `explain`, `excludePools` and the README use this table.
 */
import type { Step } from '@sluice/program'

/**
 * Kind of proof that a field needs.
 *
 * - `factory`: the address is a CREATE2 address of a known factory, for the operation and the tokens of the leg.
 * - `registry`: the address is in the chain's list for this operation.
 * - `wrapper`: the address is the chain's wrapper of the native token.
 * - `request`: the address is a token of the request.
 * - `no-code`: the field must not contain the address of a contract, so that only the code of the proven contract runs.
 * - `flow`: the value agrees with the tokens and legs of the route.
 * - `pool-key`: the value is part of the id of a pool in a proven singleton.
 * - `fee`: the fee equals the fee of the pool's factory. If the factory's fee is unknown, the fee is at most 1 %.
 * - `with-pool`: the value only selects a function or a coin of the step's pool. It is accepted whenever the pool is
 *   accepted.
 * - `unproven`: no proof exists. The swap is `UNSAFE` unless the caller accepts the field.
 */
export type Proof =
  | 'factory'
  | 'registry'
  | 'wrapper'
  | 'request'
  | 'no-code'
  | 'flow'
  | 'pool-key'
  | 'fee'
  | 'with-pool'
  | 'unproven'

type StepOf<Op extends Step['op']> = Extract<Step, { readonly op: Op }>
type HopOf<S> = S extends { readonly hops: readonly (infer Hop)[] } ? Hop : Record<never, never>
/**
 * Fields of an operation that need a row in the table. A row for `tokenIn` is optional, because only some operations
 * call the token itself.
 */
type FieldOf<Op extends Step['op']> =
  | Exclude<keyof StepOf<Op>, 'op' | 'input' | 'output' | 'hops' | 'tokenIn'>
  | keyof HopOf<StepOf<Op>>

/**
 * Table with one row per operation and field. TypeScript rejects an operation that lacks a row for one of its fields.
 */
export type FieldTable<Row> = {
  readonly [Op in Step['op']]?: { readonly [Field in FieldOf<Op>]: Row } & { readonly tokenIn?: Row }
}

const unprovenPool = { pool: 'unproven' } as const
const shareTokens = { tokenOut: 'request', tokenIn: 'request' } as const

/** Proof by operation and field. Operations without a row use `defaultProof`. */
const fieldProofs: FieldTable<Proof> = {
  'uniswap-v2': { pool: 'factory', feePpm: 'fee', zeroForOne: 'flow' },
  'uniswap-v3': { pool: 'factory', zeroForOne: 'flow' },
  wrap: { wrapped: 'wrapper' },
  unwrap: { tokenIn: 'wrapper' },
  'uniswap-v4': { manager: 'registry', tokenOut: 'flow', fee: 'pool-key', tickSpacing: 'pool-key', hooks: 'no-code' },
  curve: { ...unprovenPool, tokenOut: 'flow', variant: 'with-pool', i: 'with-pool', j: 'with-pool' },
  'balancer-v2': { vault: 'registry', poolId: 'unproven', tokenOut: 'flow' },
  'balancer-v3': { vault: 'registry', ...unprovenPool, tokenOut: 'flow' },
  erc4626: { ...shareTokens, deposit: 'with-pool' },
  'rate-wrapper': { ...shareTokens, wrap: 'with-pool' },
  'pancake-infinity': {
    vault: 'registry',
    manager: 'registry',
    kind: 'with-pool',
    tokenOut: 'flow',
    fee: 'pool-key',
    parameters: 'pool-key',
    hooks: 'no-code',
  },
  syncswap: { ...unprovenPool, vault: 'unproven' },
  ekubo: { core: 'registry', tokenOut: 'flow', config: 'no-code' },
  'aave-v3': { pool: 'registry', tokenOut: 'flow', supply: 'with-pool' },
  ambient: { dex: 'registry', tokenOut: 'flow', poolIdx: 'pool-key', limitBits: 'unproven' },
}

/** A field of a step with its value. */
export type StepField = {
  readonly op: Step['op']
  readonly field: string
  readonly proof: Proof
  readonly value: string | number | boolean
  /** Index of the hop that contains the field; 0 for fields of the step itself. */
  readonly hopIndex: number
}

/** Fields that need no proof in an operation without rows in the table. */
const FIELDS_WITHOUT_PROOF: readonly string[] = ['op', 'input', 'output', 'hops', 'tokenIn']

/**
 * Returns the proof of a field of an operation without rows: `unproven`, except for fields of the token flow and flags.
 */
function defaultProof(field: string, value: unknown): Proof {
  if (field === 'tokenOut' || field === 'zeroForOne') return 'flow'
  return typeof value === 'boolean' ? 'with-pool' : 'unproven'
}

/** Returns the fields of a step and of its hops that need a proof. */
export function fieldsOf(step: Step): readonly StepField[] {
  const proofs: Readonly<Record<string, Proof>> | undefined = fieldProofs[step.op]
  const fieldsIn = (values: object, hopIndex: number): readonly StepField[] =>
    Object.entries(values).flatMap(([field, value]) => {
      const proof = proofs
        ? proofs[field]
        : FIELDS_WITHOUT_PROOF.includes(field)
          ? undefined
          : defaultProof(field, value)
      return proof === undefined || typeof value === 'object' ? [] : [{ op: step.op, field, proof, value, hopIndex }]
    })
  return [...fieldsIn(step, 0), ...('hops' in step ? step.hops.flatMap(fieldsIn) : [])]
}

const ZERO = `0x${'0'.repeat(40)}`
const ADDRESS_LENGTH = 42

/**
 * Returns the address that a field contains: the value, or the first 20 bytes of a pool id. Returns undefined for the
 * zero address and for numbers.
 */
export function addressIn({ value }: Pick<StepField, 'value'>): string | undefined {
  const address = String(value).slice(0, ADDRESS_LENGTH)
  return address.length === ADDRESS_LENGTH && address !== ZERO ? address : undefined
}

/**
 * Returns every contract that a step names: pools, vaults, managers, hooks, wrappers, intermediate tokens, and the pool
 * to which the step sends its output.
 */
export function contractsIn(step: Step): readonly string[] {
  const { output } = step
  return [
    ...fieldsOf(step).flatMap((field) => addressIn(field) ?? []),
    ...(output.kind === 'address' ? [output.address] : []),
  ]
}
