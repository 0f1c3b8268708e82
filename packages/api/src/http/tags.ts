/** Entity tags (RFC 9110, section 8.8.3): a client that has the current body gets 304 without a body. */
import { createHash } from 'node:crypto'
import type { Request } from 'express'

/** Returns the strong tag of a body. */
export function tagOf(body: string | Buffer): string {
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
}

/** Returns the weak tag for a content encoding of the same body, whose bytes differ. */
export function weakTag(tag: string): string {
  return `W/${tag}`
}

/**
 * Returns true if `If-None-Match` lists the tag. Unlike Express's `fresh`, ignores `Cache-Control: no-cache`. Browsers
 * and Node.js send that header with every `If-None-Match` that a script sets, and it only asks caches to validate with
 * the service.
 */
export function hasTag({ headers }: Request, tag: string): boolean {
  const clientTag = headers['if-none-match']
  if (clientTag === undefined) return false
  return clientTag
    .split(',')
    .some((candidate) => candidate.trim() === '*' || candidate.trim().replace(/^W\//, '') === tag)
}
