/** Compares the built site with its Markdown: links, Markdown copies, well-formed HTML, search, and diagrams. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, extname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { SECTIONS } from '../src/navigation.ts'
import { root, sitePath } from '../src/pages.ts'
import { defects, linksOf, textOfHtml } from './src/html.ts'

const dist = join(import.meta.dirname, '../dist')
const filesIn = (dir: string, extension: string): string[] =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && extname(entry.name) === extension)
    .map(({ parentPath, name }) => relative(dir, join(parentPath, name)).replaceAll('\\', '/'))
    .toSorted()
const read = (path: string) => readFileSync(join(dist, path), 'utf8')
const sources = SECTIONS.flatMap(({ pages }) => pages.map(([source]) => source))
const pages = filesIn(dist, '.html')
/** Folder of the service, the parent of the site's folder. */
const SERVICE = join(dist, '..')

// Auditors read docs/audit/ in the repository, next to the code.
test('every file of docs/ outside of docs/audit/ is a page', () => {
  const written = filesIn(join(root, 'docs'), '.md').map((path) => `docs/${path}`)
  const published = written.filter((path) => !path.startsWith('docs/audit/'))
  expect(new Set(sources).size).toBe(sources.length)
  expect(sources.filter((path) => path.startsWith('docs/')).toSorted()).toEqual(published)
})

test('exactly the expected pages exist', () => {
  expect(pages).toEqual(sources.map((source) => `${sitePath(source)}.html`).toSorted())
  expect(filesIn(dist, '.md')).toEqual(pages.map((path) => path.replace('.html', '.md')))
})

describe.each(pages)('%s', (path) => {
  const html = read(path)

  test('is well-formed, without an inline script or style', () => {
    expect(defects(html)).toEqual([])
    expect(html).not.toMatch(/<style|\sstyle="|\son\w+="|<script(?![^>]* src=)[^>]*>|javascript:/)
    expect(html.match(/<h1[ >]/g)?.length).toBeGreaterThan(0)
    const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
    expect(ids.length).toBe(new Set(ids).size)
  })

  test.each(['html', 'md'])('has working links and anchors: %s', (kind) => {
    const ownPath = path.replace('html', kind)
    const links = kind === 'html' ? linksOf(html) : markdownLinks(read(ownPath))
    const dead = links.filter((link) => !resolves(link, ownPath))
    expect(dead).toEqual([])
    if (kind === 'html') expect(links.length).toBeGreaterThan(50)
  })

  test('contains the text of its Markdown', () => {
    const words = (text: string) => text.match(/[\p{L}\p{N}]{4,}/gu) ?? []
    const shown = new Set(words(textOfHtml(html)))
    const twin = read(path.replace('.html', '.md'))
      .replace(/<!--.*?-->/gs, '')
      .replace(/<[^>]*>/g, ' ')
      .replace(/&\w+;/g, ' ')
      .replace(/\]\([^)]*\)/g, '] ')
      .replace(/^```\w*/gm, '')
    expect(words(twin).filter((word) => !shown.has(word))).toEqual([])
  })
})

/** Returns true for an external address, and for an existing file of the site that has the anchor. */
function resolves(link: string, from: string): boolean {
  if (/^(https?|mailto):/.test(link)) return true
  if (link.startsWith('/')) return false
  const [path, anchor] = link.split('#') as [string, string?]
  const file = path === '' ? join(dist, from) : join(dist, dirname(from), path)
  if (join(file, '.') === SERVICE) return true
  if (!existsSync(file) || relative(dist, file).startsWith('..')) return false
  if (anchor === undefined) return true
  const page = readFileSync(file.replace(/\.md$/, '.html'), 'utf8')
  return page.includes(` id="${anchor}"`)
}

/** Returns the links of Markdown outside of code. */
function markdownLinks(text: string): string[] {
  const prose = text.replace(/^```.*?^```/gms, '').replace(/`[^`\n]*`/g, '')
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link!)
}

test('a dead link, an open element, and unescaped text are detected', () => {
  expect(resolves('nothing.html', 'index.html')).toBe(false)
  expect(resolves('guides/quote.html#nothing', 'index.html')).toBe(false)
  expect(resolves('../../index.html', 'index.html')).toBe(false)
  expect(resolves('/docs/index.html', 'index.html')).toBe(false)
  expect(defects('<!DOCTYPE html><p><b>x</p></b>')).not.toEqual([])
  expect(defects('<!DOCTYPE html><p>a < b</p>')).not.toEqual([])
  expect(defects('<!DOCTYPE html><p>a & b</p>')).not.toEqual([])
  expect(defects('<!DOCTYPE html><p>a')).not.toEqual([])
  expect(defects('<!DOCTYPE html><p title=x>a</p>')).not.toEqual([])
})

describe('search', async () => {
  const asset = (name: string) => readdirSync(join(dist, 'assets')).find((file) => file.startsWith(`${name}-`))!
  const library = await import(pathToFileURL(join(dist, 'assets', asset('search'))).href)
  const search = library.openSearch(read(`assets/${asset('index')}`))

  test.each([
    ['how do I get a quote', 'guides/quote.html'],
    ['approve a token with permit2', 'guides/approve-and-permit.html'],
    ['exact output', 'guides/exact-output.html'],
    ['environment variables configuration', 'run/configuration.html'],
    ['server-sent events stream', 'guides/streams.html'],
    ['NO_ROUTE', 'errors.html'],
    ['dual bound optimality gap', 'understand/routing.html'],
    ['upgrade without dropped requests', 'operations.html'],
    ['add a chain', 'adding-a-chain.html'],
    ['what can a hostile executor take', 'understand/guard.html'],
    ['prices of tokens in USD', 'guides/prices.html'],
    ['smart account batch', 'guides/smart-accounts.html'],
    ['which DEX families are supported', 'dexes.html'],
    ['aprove tokn', 'guides/approve-and-permit.html'],
  ])('%s', (question, page) => {
    const results: { readonly id: string }[] = search(question, 5)
    expect(results[0]?.id.split('#')[0], JSON.stringify(results.map(({ id }) => id))).toBe(page)
  })

  test('finds nothing for nonsense', () => expect(search('xqzzyv', 5)).toEqual([]))
})

describe('diagrams', () => {
  const drawn = sources.flatMap((source) => {
    const text = readFileSync(join(root, source), 'utf8')
    return [...text.matchAll(/^```mermaid\n(.*?)^```/gms)].map(([, code], k) => ({ source, code: code!, k }))
  })
  test('the diagrams of swap, custody, quote, modules, and scaling exist', () =>
    expect(drawn.map(({ source }) => source)).toEqual([
      ...['docs/understand/scaling.md', 'docs/understand/swap.md', 'docs/understand/swap.md'],
      ...['docs/understand/quote.md', 'docs/understand/modules.md'],
    ]))

  test.each(drawn)('$source, $k: has every label of its source', ({ source, code, k }) => {
    const html = read(`${sitePath(source)}.html`)
    const svg = [...html.matchAll(/<svg class="diagram".*?<\/svg>/gs)][k]![0]
    const shown = [...svg.matchAll(/<text[^>]*>(.*?)<\/text>/gs)].map(([, text]) => textOfHtml(text!)).join('\n')
    const labels = labelsOf(code)
    expect(labels.length).toBeGreaterThan(8)
    for (const label of labels) expect(shown).toContain(label)
    expect(svg).not.toMatch(/style|@import|https?:\/\/(?!www\.w3\.org)/)
  })
})

/** Returns the names of nodes and the texts of arrows in either kind of diagram. */
function labelsOf(code: string): string[] {
  const patterns = code.startsWith('sequence')
    ? [/ as (.+)$/gm, /->>\w+: (.+)$/gm]
    : [/\w(?:\(\[|\[\(|\{\{|\[)([^\]})]+)/g, /-->\|([^|]+)\|/g, / -- (.+?) --> /g, / -\. (.+?) \.-> /g]
  const plain = code.startsWith('sequence') ? [] : [...code.matchAll(/(?:^ {2}|--> )([a-z]+)(?= -->|$)/gm)]
  const named = new Set([...code.matchAll(/(\w+)(?:\(\[|\[\(|\{\{|\[)/g)].map(([, id]) => id))
  return [
    ...patterns.flatMap((pattern) => [...code.matchAll(pattern)].map(([, label]) => label!.trim())),
    ...plain.map(([, id]) => id!).filter((id) => !named.has(id)),
  ]
}

test('llms.txt lists every page, and llms-full.txt contains them', () => {
  const index = read('llms.txt')
  for (const source of sources) expect(index).toContain(`](${sitePath(source)}.md)`)
  const whole = read('llms-full.txt')
  for (const path of pages) expect(whole).toContain(read(path.replace('.html', '.md')).trim())
})
