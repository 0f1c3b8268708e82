/** Fields of a route that nothing proves, by the table in `fields.ts`. */
import { opOf, type Step, type TrustedList, tradesOf } from '@sluice/program'
import { WORD } from './calls.ts'
import type { PoolFactory, SwapContracts } from './contracts.ts'
import { addressIn, fieldsOf, type StepField } from './fields.ts'
import { keccak256 } from './keccak.ts'
import type { Hex, SwapLeg } from './types.ts'

/** Fee tiers of Uniswap V3 and its forks, in parts per million. A pool of another tier counts as unproven. */
const FEE_TIERS: readonly number[] = [100, 200, 300, 400, 500, 2_500, 3_000, 10_000]
/** Highest fee of a pair whose factory does not state one. */
const MAX_FEE_PPM = 10_000
const ID_LENGTH = 66

/** A field that nothing proves. */
export type Unproven = {
  /** Operation and field, such as `curve.pool`. */
  readonly field: string
  /** Address, id or number. */
  readonly value: string
  /** Pool of the trade: an address, or an id inside a singleton. */
  readonly pool: string
  /** The field runs code: false for numbers, which set the price. */
  readonly isContract: boolean
}

type Known = Pick<SwapContracts, 'factories' | 'wrapper'> & Partial<SwapContracts>

/**
 * Finds the fields of a route that nothing proves. Each field's proof is its row in `fieldProofs`.
 * Fields whose name, address or pool id is in `contracts.pools` are accepted.
 *
 * @param legs - one per trade of the steps, in order
 * @param tokens - tokens of the request
 */
export function unprovenFields(
  steps: readonly Step[],
  legs: readonly SwapLeg[],
  contracts: Known,
  tokens: readonly string[],
): readonly Unproven[] {
  const accepted = contracts.pools ?? []
  const found: Unproven[] = []
  let next = 0
  for (const [index, step] of steps.entries()) {
    const trades = tradesOf(step, keccak256)
    // The first step may wrap a part of native input, which is not a leg of the route.
    const isLeg = step.op !== 'wrap' || index > 0 || legs[next]?.pool.toLowerCase() === trades[0]?.pool
    for (const field of fieldsOf(step)) {
      const { pool = '' } = trades[field.hop] ?? {}
      const leg = isLeg ? legs[next + field.hop] : undefined
      if (holds(step, field, leg, contracts, tokens)) continue
      const entry = {
        ...{ field: `${step.op}.${field.field}`, value: String(field.value), pool },
        ...{ isContract: typeof field.value === 'string' },
      }
      // An id is a hash of everything that its pool runs; an address stands for itself alone.
      const names = [
        entry.field,
        entry.value,
        addressIn(field) ?? '',
        pool.length === ID_LENGTH && entry.isContract ? pool : '',
      ]
      if (!names.some((name) => isIn(name, accepted))) found.push(entry)
    }
    if (isLeg) next += trades.length
  }
  return found
}

function holds(
  step: Step,
  field: StepField,
  leg: SwapLeg | undefined,
  contracts: Known,
  tokens: readonly string[],
): boolean {
  const value = String(field.value).toLowerCase()
  switch (field.proof) {
    case 'factory':
      return leg !== undefined && factoryOf(contracts.factories, step.op, value, leg) !== undefined
    case 'registry':
    case 'wrapper':
      return isRegistered(field, contracts)
    case 'request':
      return !runsAsPool(step, field) || isIn(value, tokens)
    case 'no-code':
      return addressIn(field) === undefined
    case 'fee': {
      const pool = 'pool' in step ? step.pool : ''
      const factory = leg && factoryOf(contracts.factories, step.op, pool, leg)
      return factory?.feePpm === undefined ? Number(value) <= MAX_FEE_PPM : Number(value) === factory.feePpm
    }
    case 'unproven':
      // SyncSwap's pools that keep their tokens name no vault.
      return typeof field.value === 'string' && addressIn(field) === undefined
    default:
      return true
  }
}

/** The share token whose own code a deposit or redemption runs. */
function runsAsPool(step: Step, { field }: StepField): boolean {
  const isInto = ('deposit' in step && step.deposit) || (step.op === 'rate-wrapper' && step.wrap)
  return (field === 'tokenOut') === isInto
}

/** True for the chain's wrapper, and for a contract in the chain's list for its operation. */
export function isRegistered({ op, field, proof, value }: StepField, contracts: Known): boolean {
  if (proof === 'wrapper') return isIn(String(value), contracts.wrapper ? [contracts.wrapper] : [])
  const { singleton, trustedIn } = opOf({ op })
  const list = field === singleton ? contracts[trustedIn as TrustedList] : contracts.infinityManagers
  return isIn(String(value), list ?? [])
}

/** The factory that made a pool for the tokens of a leg, by the salts of the operation alone. */
export function factoryOf(
  factories: readonly PoolFactory[],
  op: Step['op'],
  pool: string,
  leg: Pick<SwapLeg, 'tokenIn' | 'tokenOut'>,
): PoolFactory | undefined {
  const kinds: readonly string[] = Object.values(opOf({ op }).salts ?? {})
  return factories.find(
    (factory) => kinds.includes(factory.kind) && poolsMadeBy(factory, leg).includes(pool.toLowerCase() as Hex),
  )
}

/** Addresses of all pools that a factory can have made for two tokens: one, or one for each fee tier. */
export function poolsMadeBy(
  { kind, deployer, initCodeHash }: PoolFactory,
  { tokenIn, tokenOut }: Pick<SwapLeg, 'tokenIn' | 'tokenOut'>,
): readonly Hex[] {
  const [token0, token1] = [tokenIn, tokenOut].map((token) => token.slice(2).toLowerCase()).sort() as [string, string]
  const salts =
    kind === 'uniswap-v2'
      ? [keccak256(`0x${token0}${token1}`)]
      : FEE_TIERS.map((fee) => keccak256(`0x${[token0, token1, fee.toString(16)].map(word).join('')}`))
  return salts.map((salt) => create2(deployer, salt, initCodeHash))
}

function create2(deployer: string, salt: Hex, initCodeHash: string): Hex {
  const packed = [deployer, salt, initCodeHash].map((text) => text.slice(2).toLowerCase()).join('')
  return `0x${keccak256(`0xff${packed}`).slice(-40)}`
}

function word(digits: string): string {
  return digits.padStart(WORD, '0')
}

export function isIn(address: string, list: readonly string[]): boolean {
  return list.some((one) => one.toLowerCase() === address.toLowerCase())
}
