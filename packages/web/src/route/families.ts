/** Groups of pool families by mechanism. Users can distinguish only a few colors, so families share them. */
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

/** Mechanisms by family name and by operation name, since some families share an operation. */
const byName: ReadonlyMap<string, Mechanism> = new Map(
  ops.flatMap(({ name, families = [], mechanism }) => [name, ...families].map((name) => [name, mechanism])),
)

/** Returns the mechanism of a family; unknown families use the style of wrappers, which has no hue. */
export function groupOf(family: string): Mechanism {
  return byName.get(family) ?? 'wrap'
}
