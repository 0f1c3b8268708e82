/**
 * Copies a text to the clipboard.
 *
 * @returns false if the browser refuses, or if the page has no clipboard because its origin is not secure
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}
