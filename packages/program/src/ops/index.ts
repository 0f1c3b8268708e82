/** The operations of the Executor, and look-ups by opcode, name, and family. */
import { aaveGsm } from './aave-gsm.ts'
import { aaveV3 } from './aave-v3.ts'
import { ambient } from './ambient.ts'
import { balancerV1 } from './balancer-v1.ts'
import { balancerV2 } from './balancer-v2.ts'
import { balancerV3 } from './balancer-v3.ts'
import { curve } from './curve.ts'
import { dodoV2 } from './dodo-v2.ts'
import { ekubo } from './ekubo.ts'
import { erc4626 } from './erc4626.ts'
import { eulerSwap } from './euler-swap.ts'
import { fluidDex } from './fluid-dex.ts'
import { iziswap } from './iziswap.ts'
import { kyberClassic } from './kyber-classic.ts'
import { kyberElastic } from './kyber-elastic.ts'
import { liquidityBook } from './liquidity-book.ts'
import { litePsm } from './lite-psm.ts'
import { maverickV2 } from './maverick-v2.ts'
import type { Op, OpShape, PoolSalt, StepOf } from './op.ts'
import { pancakeInfinity } from './pancake-infinity.ts'
import { propAmm } from './prop-amm.ts'
import { psm3 } from './psm3.ts'
import { rateWrapper } from './rate-wrapper.ts'
import { solidly } from './solidly.ts'
import { syncswap } from './syncswap.ts'
import { uniswapV2 } from './uniswap-v2.ts'
import { uniswapV3 } from './uniswap-v3.ts'
import { uniswapV4 } from './uniswap-v4.ts'
import { woofiV2 } from './woofi-v2.ts'
import { unwrap, wrap } from './wrapped-native.ts'

const opDefinitions = [
  uniswapV2,
  uniswapV3,
  wrap,
  unwrap,
  uniswapV4,
  solidly,
  curve,
  balancerV2,
  balancerV3,
  liquidityBook,
  erc4626,
  rateWrapper,
  dodoV2,
  pancakeInfinity,
  iziswap,
  syncswap,
  kyberClassic,
  woofiV2,
  fluidDex,
  litePsm,
  ekubo,
  balancerV1,
  aaveGsm,
  aaveV3,
  eulerSwap,
  ambient,
  propAmm,
  kyberElastic,
  maverickV2,
  psm3,
]

type StepOfEach<O> = O extends OpShape ? StepOf<O> : never

/** Instruction of the Executor: a swap in one pool or one singleton, or a wrap. One union member per operation. */
export type Step = StepOfEach<(typeof opDefinitions)[number]>

type TrustedListOf<O> = O extends { readonly trustedIn: infer List extends string } ? List : never

/** Names of the lists of trusted contracts that hold the pools of a family. */
export type TrustedList = TrustedListOf<(typeof opDefinitions)[number]>

/** Operations, indexed by opcode. */
export const ops: readonly Op[] = opDefinitions as readonly unknown[] as readonly Op[]

const opByName: ReadonlyMap<string, Op> = new Map(ops.map((op) => [op.name, op]))
const opByCode: ReadonlyMap<number, Op> = new Map(ops.map((op) => [op.code, op]))

/** Returns the operation of a step. */
export function opOf({ op }: Pick<Step, 'op'>): Op {
  return opByName.get(op)!
}

/** Pool families that the operations swap in, in opcode order. */
export const executableFamilies: readonly string[] = [...new Set(ops.flatMap(familiesOf))]

const prepayableFamilies: ReadonlySet<string> = new Set(
  ops.filter(({ canBePrepaid }) => canBePrepaid).flatMap(familiesOf),
)

/**
 * Returns true for a family whose pools measure what they received, so that the previous step can pay a pool directly.
 */
export function acceptsPrepayment(family: string): boolean {
  return prepayableFamilies.has(family)
}

const singletonFamilies: ReadonlySet<string> = new Set(
  ops.filter(({ singleton, hops }) => singleton && hops).flatMap(familiesOf),
)

/** Returns true for a family whose pools share one contract, so that consecutive swaps in it are hops of one step. */
export function usesSingleton(family: string): boolean {
  return singletonFamilies.has(family)
}

/** Names of all trusted lists, in opcode order. */
export const trustedLists = [...new Set(ops.flatMap(({ trustedIn }) => trustedIn ?? []))] as readonly TrustedList[]

/** Returns the name of the trusted list for a family; undefined if it has none. */
export function trustedListOf(family: string): TrustedList | undefined {
  return ops.find((op) => familiesOf(op).includes(family))?.trustedIn as TrustedList | undefined
}

/**
 * Returns the salt format from which pool addresses of a family are derived; undefined if they are not derived or the
 * format is unknown.
 */
export function saltOf(family: string): PoolSalt | undefined {
  return ops.flatMap(({ salts }) => salts?.[family] ?? [])[0]
}

function familiesOf({ name, families = [name] }: Op): readonly string[] {
  return families
}

/** Returns the operation with an opcode; undefined if there is none. */
export function opOfCode(code: number): Op | undefined {
  return opByCode.get(code)
}
