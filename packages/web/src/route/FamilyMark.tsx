/** The color mark of a pool family, such as Uniswap V3 pools. */
import { groupOf } from './families.ts'

/** Shows the color of a family, hatched for wrappers. Callers show the name next to it. */
export function FamilyMark({ family }: { readonly family: string }) {
  const group = groupOf(family)
  return <span className={`sw f-${group} ${group === 'wrap' ? 'sw--wrap' : ''}`} aria-hidden="true" />
}
