/** Credentials in URLs. */

/**
 * Returns the user and the password of a URL. A percent sign that encodes no character stands for itself.
 *
 * `URL` encodes further characters (`=`, `^`), so the other encoded characters are decoded next to such a sign, too.
 */
export function urlCredentials({ username, password }: URL): { readonly username: string; readonly password: string } {
  return { username: decodePart(username), password: decodePart(password) }
}

/**
 * Returns the `Authorization` header for the user and password of a URL; undefined if the URL has neither. Infura's
 * secrets are passwords without a user.
 *
 * @see RFC 7617
 */
export function basicAuthorization(url: URL): string | undefined {
  const { username, password } = urlCredentials(url)
  if (username === '' && password === '') return undefined
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
}

function decodePart(text: string): string {
  return text.replaceAll(/(%[0-9a-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded)
    } catch {
      return encoded
    }
  })
}
