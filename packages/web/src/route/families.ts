/**
 * Groups pool families by their pricing mechanism. The families of a group share a color, because people can
 * distinguish only a few colors.
 */
import { type Mechanism, ops } from '@sluice/program'

/** Names of the groups in the legend of the diagram. */
export const groupTitles: Readonly<Record<Mechanism, string>> = {
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
const mechanismByName: ReadonlyMap<string, Mechanism> = new Map(
  ops.flatMap(({ name, families = [], mechanism }) => [name, ...families].map((name) => [name, mechanism])),
)

/** Returns the group of a family or an operation. Unknown families look like wrappers, whose color is gray. */
export function groupOf(family: string): Mechanism {
  return mechanismByName.get(family) ?? 'wrap'
}
