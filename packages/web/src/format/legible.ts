/** Longest that a name is shown. */
const MOST = 80

/**
 * A text of somebody else as it may stand on a page: no character that turns the writing round, hides, stacks, or ends the line, and
 * not without end.
 */
export function legible(text: string): string {
  const shown = text
    .slice(0, 8 * MOST)
    .replace(/[\p{C}\p{Z}\p{Mn}\p{Me}]+/gu, ' ')
    .trim()
  return shown.length > MOST ? `${shown.slice(0, MOST - 1)}…` : shown
}
