/** Entity tags (RFC 9110, section 8.8.3). A client that already has the current body gets status 304 without a body. */
import { createHash } from 'node:crypto'
import type { Request } from 'express'

/** Returns the strong entity tag of a body. */
export function tagOf(body: string | Buffer): string {
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
}

/** Returns the weak tag for a compressed form of the same body, because its bytes differ. */
export function weakTag(tag: string): string {
  return `W/${tag}`
}

/**
 * Returns true if `If-None-Match` lists the tag. Unlike Express's `fresh`, this ignores `Cache-Control: no-cache`.
 * Browsers and Node.js add that header to every request whose `If-None-Match` a script has set. The header only asks
 * caches in between to check with the service.
 */
export function hasTag({ headers }: Request, tag: string): boolean {
  const clientTag = headers['if-none-match']
  if (clientTag === undefined) return false
  return clientTag
    .split(',')
    .some((candidate) => candidate.trim() === '*' || candidate.trim().replace(/^W\//, '') === tag)
}
