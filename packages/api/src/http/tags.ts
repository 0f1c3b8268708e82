/** Entity tags (RFC 9110, section 8.8.3), with which a client that has the current body gets 304 and no body. */
import { createHash } from 'node:crypto'
import type { Request } from 'express'

export function tagOf(body: string | Buffer): string {
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
}

/** Tag of the same body in a content encoding, whose bytes differ. */
export function weakTag(tag: string): string {
  return `W/${tag}`
}

/**
 * True when `If-None-Match` lists the tag. Unlike Express's `fresh`, ignores `Cache-Control: no-cache`: browsers and Node.js send
 * it with every `If-None-Match` that a script sets, and it only tells caches to validate with the service.
 */
export function hasTag({ headers }: Request, tag: string): boolean {
  const held = headers['if-none-match']
  if (held === undefined) return false
  return held.split(',').some((each) => each.trim() === '*' || each.trim().replace(/^W\//, '') === tag)
}
