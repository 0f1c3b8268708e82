/** HTTP Basic authentication from the credentials in a URL. */

/**
 * Returns the `Authorization` header for the user and password of a URL; undefined if the URL has neither. Infura's
 * secrets are passwords without a user. A percent sign that encodes no character stands for itself.
 *
 * @see RFC 7617
 */
export function basicAuthorization({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined
  return `Basic ${Buffer.from(`${decodePart(username)}:${decodePart(password)}`).toString('base64')}`
}

function decodePart(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
