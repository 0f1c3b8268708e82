/** Keyboard movement through a list of options. */

/**
 * Returns the index of the option that a key moves to. The list wraps around: the first option follows the last.
 *
 * @param activeIndex - index of the active option
 * @param count - number of options
 * @returns undefined if the key moves to no option
 */
export function optionAfterKey(key: string, activeIndex: number, count: number): number | undefined {
  if (count === 0) return undefined
  const target = { ArrowDown: activeIndex + 1, ArrowUp: activeIndex - 1, Home: 0, End: count - 1 }[key]
  return target === undefined ? undefined : (target + count) % count
}
