/** Filters on liquidity sources by family and DEX. */
import { WRAPPER_FAMILY } from '@sluice/liquidity'

/** A filter on sources. Sets contain names of families or DEXes in lower case, except `executable`. */
export type SourceFilter = {
  /** Ids of the families in whose pools the deployed Executor can swap; all if absent. */
  readonly executable?: ReadonlySet<string>
  /** If present, only these sources are used. `exclude` takes precedence. */
  readonly include?: ReadonlySet<string>
  /** These sources are not used. */
  readonly exclude?: ReadonlySet<string>
}

/** The pools of one family deployed by one DEX. */
export type Source = { readonly family: string; readonly dex: string }

/** Returns the reason why a source must not be used, or null if it may be. */
export function refusalOf({ family, dex }: Source, { executable, include, exclude }: SourceFilter): string | null {
  const isNamed = (names: ReadonlySet<string>) => names.has(family.toLowerCase()) || names.has(dex.toLowerCase())
  if (executable && !executable.has(family)) return `this chain's Executor cannot swap in pools of the family ${family}`
  // The wrapper of the native token is always included, since it only converts two forms of one asset.
  if (include && family !== WRAPPER_FAMILY && !isNamed(include)) return 'not among the sources to include'
  if (exclude && isNamed(exclude)) return 'among the sources to exclude'
  return null
}
