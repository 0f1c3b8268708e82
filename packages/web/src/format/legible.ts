/** Cleans untrusted text for display. */

/** Maximum number of characters shown of a name. */
const MAX_LENGTH = 80

/**
 * Makes untrusted text safe to show. The result has at most 80 characters, and no characters that reverse the writing,
 * are invisible or blank, stack, or break the line.
 */
export function legible(text: string): string {
  const shownText = text
    .slice(0, 8 * MAX_LENGTH)
    .replace(/[\p{C}\p{Z}\p{Mn}\p{Me}\u115f\u1160\u2800\u3164\uffa0]+/gu, ' ')
    .trim()
  return shownText.length > MAX_LENGTH ? `${shownText.slice(0, MAX_LENGTH - 1)}…` : shownText
}
