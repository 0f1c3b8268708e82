/** Keyboard movement through a list of options. */

/**
 * Returns the option that a key moves to. The list has no end: after the last option comes the first.
 *
 * @param activeIndex - active option
 * @param count - number of options
 * @returns undefined if the key does not move, or if there are no options
 */
export function optionAfterKey(key: string, activeIndex: number, count: number): number | undefined {
  if (count === 0) return undefined
  const target = { ArrowDown: activeIndex + 1, ArrowUp: activeIndex - 1, Home: 0, End: count - 1 }[key]
  return target === undefined ? undefined : (target + count) % count
}
