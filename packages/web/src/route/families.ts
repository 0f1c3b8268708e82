/** Families in eight groups by mechanism: that many hues can be told apart, and the name says the rest. */
import { type Mechanism, ops } from '@sluice/program'

export const groups: Readonly<Record<Mechanism, string>> = {
  concentrated: 'Concentrated',
  product: 'Constant product',
  singleton: 'Uniswap V4',
  stable: 'Curve',
  weighted: 'Balancer',
  bins: 'Liquidity Book',
  pmm: 'DODO',
  wrap: 'Wrapper',
}

/** By the names of families, and by those of operations, which some families share. */
const byName: ReadonlyMap<string, Mechanism> = new Map(
  ops.flatMap(({ name, families = [], mechanism }) => [name, ...families].map((known) => [known, mechanism])),
)

/** A family that is not known yet gets no hue. */
export function groupOf(family: string): Mechanism {
  return byName.get(family) ?? 'wrap'
}
