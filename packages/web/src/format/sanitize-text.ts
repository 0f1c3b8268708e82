/** Sanitizes untrusted text for display. */

/** Maximum number of characters shown of a name. */
const MAX_SHOWN_CHARS = 80

/**
 * Makes untrusted text safe to show. The result has at most 80 characters. It has no invisible characters, no line
 * breaks, no combining marks, and no characters that change the writing direction.
 */
export function sanitizeText(text: string): string {
  const shownText = text
    .slice(0, 8 * MAX_SHOWN_CHARS)
    .replace(/[\p{C}\p{Z}\p{Mn}\p{Me}\u115f\u1160\u2800\u3164\uffa0]+/gu, ' ')
    .trim()
  return shownText.length > MAX_SHOWN_CHARS ? `${shownText.slice(0, MAX_SHOWN_CHARS - 1)}…` : shownText
}
