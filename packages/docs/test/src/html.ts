/** A strict HTML checker: every element is closed in order, attributes are quoted, and text is escaped. */

const VOID = new Set(['meta', 'link', 'br', 'img', 'input', 'hr'])
const TAG = /<(\/?)([a-zA-Z][\w-]*)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>/y
const TEXT = /(?:[^<>&]|&(?:#\d+|#x[\da-f]+|[a-z]\w+);)+/y

/** @returns the first defect with its place; empty for a well-formed page */
export function defects(html: string): string[] {
  const body = html.replace(/^<!DOCTYPE html>\s*/, '')
  if (body === html) return ['no document type']
  const open: string[] = []
  for (let at = 0; at < body.length; ) {
    TAG.lastIndex = at
    TEXT.lastIndex = at
    const tag = TAG.exec(body)
    const match = tag ?? TEXT.exec(body)
    if (!match) return [`at ${at}: ${body.slice(Math.max(0, at - 40), at + 60)}`]
    at += match[0].length
    if (!tag) continue
    const [, isClosing, name, , isEmpty] = tag
    if (isClosing) {
      const last = open.pop()
      if (last !== name) return [`</${name}> closes <${last}>: ${body.slice(Math.max(0, at - 80), at)}`]
    } else if (!isEmpty && !VOID.has(name!)) open.push(name!)
  }
  return open.map((name) => `<${name}> stays open`)
}

/** Returns the addresses that a page links to or loads. */
export function linksOf(html: string): string[] {
  return [...html.matchAll(/ (?:href|src|data-search|data-index)="([^"]*)"/g)].map(([, link]) => unescaped(link!))
}

export function textOfHtml(html: string): string {
  return unescaped(html.replace(/<[^>]*>/g, ' '))
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", '#x27': "'" }

function unescaped(text: string): string {
  return text.replace(/&(\w+|#\w+);/g, (whole, name: string) => ENTITIES[name] ?? whole)
}
