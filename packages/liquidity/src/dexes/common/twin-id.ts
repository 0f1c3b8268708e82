/** Converts between the ids of exact families and of their sampled twins (`sampled-twin.ts`). */

/** Suffix of a twin's id. */
const SUFFIX = '-sampled'

/** Returns the id of a family's sampled twin, whether or not the family has one. */
export const twinIdOf = (family: string): string => family + SUFFIX

/** Returns the id of the exact family of a twin; null for any other family. */
export const exactIdOf = (family: string): string | null =>
  family.endsWith(SUFFIX) ? family.slice(0, -SUFFIX.length) : null
