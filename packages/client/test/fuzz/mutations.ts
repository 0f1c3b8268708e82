/** Random mutations of honest transactions: one byte, field, step, envelope value or promised amount. */
import { decodeGuardSwap, encodeGuardSwap, type GuardSwap } from '@sluice/bindings/guard'
import { decodeProgram, encodeProgram, ProgramError, type Step } from '@sluice/program'
import type { Hex, Route } from '../../src/index.ts'
import type { Random } from './random.ts'

export type Mutation = { readonly kind: 'byte' | 'field' | 'step' | 'envelope' | 'promise'; readonly route: Route }

/** Applies one random mutation. @param addresses - accounts, tokens, pools and contracts of the chain, and an unknown address */
export function mutate(route: Route, addresses: readonly Hex[], random: Random): Mutation {
  const roll = random.below(100)
  if (roll < 45) return { kind: 'byte', route: withData(route, otherBytes(route.tx.data, random)) }
  if (roll < 63) return { kind: 'field', route: withOrder(route, (order) => otherField(order, addresses, random)) }
  if (roll < 95) return { kind: 'step', route: withSteps(route, addresses, random) }
  if (roll < 98) return { kind: 'envelope', route: { ...route, tx: otherEnvelope(route, addresses, random) } }
  return { kind: 'promise', route: smallerPromise(route, random) }
}

const withData = (route: Route, data: Hex): Route => ({ ...route, tx: { ...route.tx, data } })

function withOrder(route: Route, change: (order: GuardSwap) => Partial<GuardSwap>): Route {
  const order = decodeGuardSwap(route.tx.data, BigInt(route.tx.value))
  const changed = { ...order, ...change(order) }
  const isNamed = changed.direct || changed.feePpm > 0n || !/^0x0+$/.test(changed.wrapper)
  return withData(route, encodeGuardSwap({ ...(isNamed && { recipient: route.tx.from }), ...changed }))
}

function otherBytes(data: Hex, random: Random): Hex {
  const bytes = Buffer.from(data.slice(2), 'hex')
  const at = random.below(bytes.length)
  const one = Buffer.from([random.below(256)])
  const pieces = random.of([
    ...Array.from({ length: 5 }, () => [bytes.subarray(0, at), one, bytes.subarray(at + 1)]),
    // A single flipped bit makes small changes of flags and counts.
    [bytes.subarray(0, at), Buffer.from([bytes[at]! ^ (1 << random.below(8))]), bytes.subarray(at + 1)],
    [bytes.subarray(0, at), one, bytes.subarray(at)],
    [bytes.subarray(0, at), bytes.subarray(at + 1)],
    [bytes, Buffer.alloc(random.of([1, 32]), random.of([0, 255]))],
    [bytes.subarray(0, at)],
  ])
  return `0x${Buffer.concat(pieces).toString('hex')}`
}

const LARGEST = 2n ** 256n - 1n

function otherNumber(value: bigint, random: Random): bigint {
  const near = [value + 1n, value - 1n, value * 2n, value / 2n, value + value / 1000n, value - value / 1000n]
  const far = [0n, 1n, LARGEST, BigInt(random.bytes(random.of([1, 4, 16])))]
  return random.of([...near, ...far].filter((number) => number >= 0n && number <= LARGEST))
}

function otherField(order: GuardSwap, addresses: readonly Hex[], random: Random): Partial<GuardSwap> {
  const fields = Object.keys({ recipient: '', ...order }).filter((key) => key !== 'program' && key !== 'value')
  const name = random.of(fields as (keyof GuardSwap)[])
  const value = order[name]
  if (order.permit && name === 'permit') return { permit: otherPermit(order.permit, random)! }
  if (typeof value === 'boolean') return { [name]: !value }
  if (typeof value === 'string' || name === 'recipient') return { [name]: random.of(addresses) }
  return { [name]: otherNumber(value as bigint, random) }
}

/** Changes the signature, deadline, amount, nonce or kind of a permit, or removes it. */
function otherPermit(permit: NonNullable<GuardSwap['permit']>, random: Random): GuardSwap['permit'] {
  const { deadline } = permit
  // ethers rejects an s in the upper half.
  const signature: Hex = `0x${random.bytes(32).slice(2)}00${random.bytes(31).slice(2)}1b`
  const [amount, nonce] = ['amount' in permit ? permit.amount : 0n, 'nonce' in permit ? permit.nonce : 0n]
  return random.of<GuardSwap['permit']>([
    undefined,
    { ...permit, signature },
    { ...permit, deadline: deadline + 1n },
    { kind: 'permit2', amount: amount + 1n, nonce, deadline, signature: permit.signature },
    { kind: 'permit2', amount: amount / 2n, nonce, deadline, signature: permit.signature },
    { kind: 'permit2', amount, nonce: nonce + 1n, deadline, signature: permit.signature },
    { kind: 'permit2', amount, nonce, deadline, signature: '0x' },
    { kind: 'eip2612', amount, deadline, signature: permit.signature },
    { kind: 'dai', nonce, deadline, signature: permit.signature },
  ])
}

function withSteps(route: Route, addresses: readonly Hex[], random: Random): Route {
  return withOrder(route, ({ program, tokenIn }) => {
    const steps = decodeProgram(program, tokenIn as Hex)
    // The encoder rejects some changes, so try others; byte mutations cover invalid programs.
    for (let tries = 0; tries < 20; tries++) {
      try {
        return { program: encodeProgram(otherSteps(steps, addresses, random)) }
      } catch (error) {
        if (!(error instanceof ProgramError)) throw error
      }
    }
    return { program: '0x' }
  })
}

function otherSteps(steps: readonly Step[], addresses: readonly Hex[], random: Random): readonly Step[] {
  const at = random.below(steps.length)
  const replaced = (step: Step) => steps.map((old, index) => (index === at ? step : old))
  switch (random.below(8)) {
    case 0:
      return steps.filter((_, index) => index !== at)
    case 1:
      return [...steps.slice(0, at), steps[at]!, ...steps.slice(at)]
    case 2:
      return [...steps.filter((_, index) => index !== at), steps[at]!]
    case 3:
      return [...steps.slice(0, at), siphon(steps[at]!, addresses, random), ...steps.slice(at)]
    default:
      return replaced(otherValue(steps[at]!, addresses, random) as Step)
  }
}

/** Creates a step that diverts part of the input to a random address. */
function siphon({ tokenIn }: Step, addresses: readonly Hex[], random: Random): Step {
  const [pool, vault] = [random.of(addresses), random.of(addresses)]
  const input = random.of([
    { kind: 'pull', amount: 1_000n },
    { kind: 'share', share: 1 << 20 },
  ] as const)
  const output = random.of([{ kind: 'address', address: random.of(addresses) }, { kind: 'recipient' }] as const)
  const poolId: Hex = `0x${pool.slice(2).padEnd(64, '0')}`
  return random.of<Step>([
    { op: 'uniswap-v2', tokenIn, input, output, pool, zeroForOne: true, feePpm: 3_000 },
    { op: 'uniswap-v3', tokenIn, input, output, pool, zeroForOne: false },
    { op: 'balancer-v2', tokenIn, input, output, vault, hops: [{ poolId, tokenOut: tokenIn }] },
    { op: 'erc4626', tokenIn, input, output, tokenOut: pool, deposit: true },
  ])
}

/** Changes one random leaf of a value. */
function otherValue(value: unknown, addresses: readonly Hex[], random: Random): unknown {
  if (typeof value === 'boolean') return !value
  if (typeof value === 'bigint') return otherNumber(value, random)
  if (typeof value === 'number') return Number(otherNumber(BigInt(value), random) % 2n ** 24n)
  if (Array.isArray(value)) {
    if (value.length > 1 && random.below(4) === 0) return value.slice(0, -1)
    const at = random.below(value.length)
    return value.map((item, index) => (index === at ? otherValue(item, addresses, random) : item))
  }
  if (typeof value === 'string') return value.length === 66 ? random.bytes(32) : random.of(addresses)
  const [name, old] = random.of(
    Object.entries(value as object).filter(([name]) => !['op', 'kind', 'variant'].includes(name)),
  )
  if (name === 'output' && random.below(2) === 0)
    return {
      ...(value as object),
      output: random.of<unknown>([
        { kind: 'executor' },
        { kind: 'recipient' },
        { kind: 'address', address: random.of(addresses) },
      ]),
    }
  if (name === 'input' && random.below(2) === 0)
    return {
      ...(value as object),
      input: random.of<unknown>([
        { kind: 'rest' },
        { kind: 'pullAll' },
        { kind: 'atPool' },
        { kind: 'share', share: 1 << 23 },
      ]),
    }
  if (typeof old === 'object' && Object.keys(old).length === 1 && 'kind' in old)
    return { ...(value as object), [name]: { kind: 'rest' } }
  return { ...(value as object), [name]: otherValue(old, addresses, random) }
}

function otherEnvelope({ tx }: Route, addresses: readonly Hex[], random: Random): Route['tx'] {
  return random.of([
    { ...tx, to: random.of(addresses) },
    { ...tx, from: random.of(addresses) },
    { ...tx, value: otherNumber(BigInt(tx.value), random).toString() },
  ])
}

/** Lowers the quoted output and the minimum output consistently. */
function smallerPromise(route: Route, random: Random): Route {
  const toAmount = random.of([1n, BigInt(route.toAmount) / 2n, (BigInt(route.toAmount) * 99n) / 100n])
  const minOutput = (toAmount * 995n) / 1000n || 1n
  return { ...withOrder(route, () => ({ minOutput })), toAmount: toAmount.toString() }
}
