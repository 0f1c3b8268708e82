import { groupOf } from './families.ts'

/** The colour of a family, hatched for wrappers; its name stands beside it. */
export function Swatch({ family }: { readonly family: string }) {
  const group = groupOf(family)
  return <span className={`sw f-${group} ${group === 'wrap' ? 'sw--wrap' : ''}`} aria-hidden="true" />
}
