/** Every operation that the Executor knows, by its code. */
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
import { liquidityBook } from './liquidity-book.ts'
import { litePsm } from './lite-psm.ts'
import type { Op, OpShape, PoolSalt, StepOf } from './op.ts'
import { pancakeInfinity } from './pancake-infinity.ts'
import { propAmm } from './prop-amm.ts'
import { rateWrapper } from './rate-wrapper.ts'
import { solidly } from './solidly.ts'
import { syncswap } from './syncswap.ts'
import { uniswapV2 } from './uniswap-v2.ts'
import { uniswapV3 } from './uniswap-v3.ts'
import { uniswapV4 } from './uniswap-v4.ts'
import { woofiV2 } from './woofi-v2.ts'
import { unwrap, wrap } from './wrapped-native.ts'

const table = [
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
]

type StepOfEach<O> = O extends OpShape ? StepOf<O> : never

/** One instruction of the Executor: a swap in one pool or one singleton, or a wrap. One member an operation. */
export type Step = StepOfEach<(typeof table)[number]>

type TrustedListOf<O> = O extends { readonly trustedIn: infer List extends string } ? List : never

/** Lists of a chain's contracts that hold the pools of a family. */
export type TrustedList = TrustedListOf<(typeof table)[number]>

/** By their codes. */
export const ops: readonly Op[] = table as readonly unknown[] as readonly Op[]

const byName: ReadonlyMap<string, Op> = new Map(ops.map((op) => [op.name, op]))
const byCode: ReadonlyMap<number, Op> = new Map(ops.map((op) => [op.code, op]))

export function opOf({ op }: Pick<Step, 'op'>): Op {
  return byName.get(op)!
}

/** Families of pools that the operations swap in, in the order of their codes. */
export const executableFamilies: readonly string[] = [...new Set(ops.flatMap(familiesOf))]

const prepaidFamilies: ReadonlySet<string> = new Set(ops.filter(({ prepaid }) => prepaid).flatMap(familiesOf))

/** True for a family whose pools measure what they were sent, and so can be paid by the step before. */
export function isPrepaid(family: string): boolean {
  return prepaidFamilies.has(family)
}

const singletonFamilies: ReadonlySet<string> = new Set(
  ops.filter(({ singleton, hops }) => singleton && hops).flatMap(familiesOf),
)

/** True for a family whose pools share one contract, in which hops that follow each other are joined. */
export function isSingleton(family: string): boolean {
  return singletonFamilies.has(family)
}

/** In the order of the operations' codes. */
export const trustedLists = [...new Set(ops.flatMap(({ trustedIn }) => trustedIn ?? []))] as readonly TrustedList[]

/** The list that names the contract which holds a family's pools; undefined where none does. */
export function trustedListOf(family: string): TrustedList | undefined {
  return ops.find((op) => familiesOf(op).includes(family))?.trustedIn as TrustedList | undefined
}

/** Form of the salt by which the addresses of a family's pools follow; undefined where they do not, or it is not known. */
export function saltOf(family: string): PoolSalt | undefined {
  return ops.flatMap(({ salts }) => salts?.[family] ?? [])[0]
}

function familiesOf({ name, families = [name] }: Op): readonly string[] {
  return families
}

export function opAt(code: number): Op | undefined {
  return byCode.get(code)
}
