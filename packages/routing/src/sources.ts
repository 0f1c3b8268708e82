/** Sources of liquidity that a request may use. */
import { WRAPPER_FAMILY } from '@sluice/liquidity'

/** Names are of families and DEXes, in lower case; either kind names a source. */
export type SourceFilter = {
  /** Families that the Executor in use can swap in; all when absent. */
  readonly executable?: ReadonlySet<string>
  /** Only these; all when absent. */
  readonly include?: ReadonlySet<string>
  readonly exclude?: ReadonlySet<string>
}

/** The pools of one family that one DEX deployed. */
export type Source = { readonly family: string; readonly dex: string }

/** Why a source may not be used; null where it may. */
export function refusalOf({ family, dex }: Source, { executable, include, exclude }: SourceFilter): string | null {
  const named = (names: ReadonlySet<string>) => names.has(family.toLowerCase()) || names.has(dex.toLowerCase())
  if (executable && !executable.has(family)) return `this chain's Executor cannot swap in pools of the family ${family}`
  // A wrapper joins two forms of one asset; it is no source that a caller would name to be let through.
  if (include && family !== WRAPPER_FAMILY && !named(include)) return 'not among the sources to include'
  if (exclude && named(exclude)) return 'among the sources to exclude'
  return null
}
