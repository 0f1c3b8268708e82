/** Finds the fields of a route that nothing proves to be safe, by the table in fields.ts. */
import { opOf, type Step, type TrustedList, tradesOf } from '@sluice/program'
import { WORD } from './calls.ts'
import type { PoolFactory, SwapContracts } from './contracts.ts'
import { addressIn, fieldsOf, type StepField } from './fields.ts'
import { keccak256 } from './keccak.ts'
import type { Hex, SwapLeg } from './types.ts'

/** Fee tiers of Uniswap V3 and its forks, in ppm. Pools of other tiers are unproven. */
const FEE_TIERS: readonly number[] = [100, 200, 300, 400, 500, 2_500, 3_000, 10_000]
/** Maximum fee of a pair for which no factory fee is known. */
const MAX_FEE_PPM = 10_000
/** Characters of a 32-byte pool id as hex text. */
const ID_LENGTH = 66

/** An unproven field of a step. */
export type Unproven = {
  /** Operation and field, such as `curve.pool`. */
  readonly field: string
  /** Address, pool id or number. */
  readonly value: string
  /** Pool of the trade: its address, or its id if a singleton (one contract that holds many pools) holds it. */
  readonly pool: string
  /**
   * True if the value is an address or a pool id, whose contract can run any code. False for numbers, which can set the
   * price.
   */
  readonly isContract: boolean
}

type ProofContracts = Pick<SwapContracts, 'factories' | 'wrapper'> & Partial<SwapContracts>

/**
 * Finds the unproven fields of a route. The table in fields.ts defines the proof that each field needs. A field needs
 * no proof if its name, address or pool id is in `contracts.pools`.
 *
 * @param legs - one leg per trade of the steps, in order
 * @param tokens - tokens of the request
 */
export function unprovenFields(
  steps: readonly Step[],
  legs: readonly SwapLeg[],
  contracts: ProofContracts,
  tokens: readonly string[],
): readonly Unproven[] {
  const acceptedPools = contracts.pools ?? []
  const unproven: Unproven[] = []
  let nextLegIndex = 0
  for (const [index, step] of steps.entries()) {
    const trades = tradesOf(step, keccak256)
    // If the first step wraps a part of the native input, the route lists no leg for it.
    const isLeg = step.op !== 'wrap' || index > 0 || legs[nextLegIndex]?.pool.toLowerCase() === trades[0]?.pool
    for (const field of fieldsOf(step)) {
      const { pool = '' } = trades[field.hopIndex] ?? {}
      const leg = isLeg ? legs[nextLegIndex + field.hopIndex] : undefined
      if (isProven(step, field, leg, contracts, tokens)) continue
      const entry = {
        ...{ field: `${step.op}.${field.field}`, value: String(field.value), pool },
        ...{ isContract: typeof field.value === 'string' },
      }
      // A pool id is derived from the contracts of the pool, so a caller who accepts the id also accepts the contracts.
      // A pool's address implies no other contract.
      const names = [
        entry.field,
        entry.value,
        addressIn(field) ?? '',
        pool.length === ID_LENGTH && entry.isContract ? pool : '',
      ]
      if (!names.some((name) => includesAddress(name, acceptedPools))) unproven.push(entry)
    }
    if (isLeg) nextLegIndex += trades.length
  }
  return unproven
}

function isProven(
  step: Step,
  field: StepField,
  leg: SwapLeg | undefined,
  contracts: ProofContracts,
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
      return !isShareToken(step, field) || includesAddress(value, tokens)
    case 'no-code':
      return addressIn(field) === undefined
    case 'fee': {
      const pool = 'pool' in step ? step.pool : ''
      const factory = leg && factoryOf(contracts.factories, step.op, pool, leg)
      return factory?.feePpm === undefined ? Number(value) <= MAX_FEE_PPM : Number(value) === factory.feePpm
    }
    case 'unproven':
      // SyncSwap pools without a vault have the zero address in this field. It runs no code.
      return typeof field.value === 'string' && addressIn(field) === undefined
    default:
      return true
  }
}

/**
 * Returns true if the field is the share token of a vault. The code of this token executes the deposit or redemption.
 */
function isShareToken(step: Step, { field }: StepField): boolean {
  const isDeposit = ('deposit' in step && step.deposit) || (step.op === 'rate-wrapper' && step.wrap)
  return (field === 'tokenOut') === isDeposit
}

/** Returns true if the value is the chain's wrapper, or is in the chain's list for the operation. */
export function isRegistered({ op, field, proof, value }: StepField, contracts: ProofContracts): boolean {
  if (proof === 'wrapper') return includesAddress(String(value), contracts.wrapper ? [contracts.wrapper] : [])
  const { singleton, trustedIn } = opOf({ op })
  const list = field === singleton ? contracts[trustedIn as TrustedList] : contracts.infinityManagers
  return includesAddress(String(value), list ?? [])
}

/**
 * Finds the factory that could have deployed the pool for the tokens of a leg. Only factories for this operation count.
 */
export function factoryOf(
  factories: readonly PoolFactory[],
  op: Step['op'],
  pool: string,
  leg: Pick<SwapLeg, 'tokenIn' | 'tokenOut'>,
): PoolFactory | undefined {
  const kinds: readonly string[] = Object.values(opOf({ op }).salts ?? {})
  return factories.find(
    (factory) => kinds.includes(factory.kind) && poolsOfFactory(factory, leg).includes(pool.toLowerCase() as Hex),
  )
}

/** Computes the addresses of all pools that a factory can deploy for two tokens: one, or one per fee tier. */
export function poolsOfFactory(
  { kind, deployer, initCodeHash }: PoolFactory,
  { tokenIn, tokenOut }: Pick<SwapLeg, 'tokenIn' | 'tokenOut'>,
): readonly Hex[] {
  const [token0, token1] = [tokenIn, tokenOut].map((token) => token.slice(2).toLowerCase()).sort() as [string, string]
  const salts =
    kind === 'uniswap-v2'
      ? [keccak256(`0x${token0}${token1}`)]
      : FEE_TIERS.map((fee) => keccak256(`0x${[token0, token1, fee.toString(16)].map(toWord).join('')}`))
  return salts.map((salt) => create2(deployer, salt, initCodeHash))
}

function create2(deployer: string, salt: Hex, initCodeHash: string): Hex {
  const packedHex = [deployer, salt, initCodeHash].map((text) => text.slice(2).toLowerCase()).join('')
  return `0x${keccak256(`0xff${packedHex}`).slice(-40)}`
}

function toWord(digits: string): string {
  return digits.padStart(WORD, '0')
}

/** Returns true if the list contains the address in any case. */
export function includesAddress(address: string, list: readonly string[]): boolean {
  return list.some((candidate) => candidate.toLowerCase() === address.toLowerCase())
}
