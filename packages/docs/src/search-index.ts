/** Builds the index of the search: one document for each section of a page. */
import MiniSearch from 'minisearch'
import type { Rendered } from './markdown.ts'
import type { Page } from './pages.ts'
import { INDEX_OPTIONS, type SearchDocument } from './site/search.ts'

/** Characters of a section that are searched. Longer sections are tables of figures. */
const MAX_CHARACTERS = 6_000
/** Characters of a section that a result shows. */
const EXCERPT = 140

export function searchIndex(pages: readonly RenderedPage[]): string {
  const search = new MiniSearch<SearchDocument>(INDEX_OPTIONS)
  search.addAll(pages.flatMap(documentsOf))
  return JSON.stringify(search)
}

type RenderedPage = Page & { readonly rendered: Rendered }

function documentsOf(page: RenderedPage): SearchDocument[] {
  const { name, rendered } = page
  // Rows of tables that are linked to are found by themselves too.
  const rows = rendered.html.matchAll(/<tr>\s*<td><a id="([^"]+)">.*?<\/tr>/gs)
  const ofRows = [...rows].map(([row, id]) => documentOf(page, `#${id}`, id!, id!, row))
  const parts = rendered.html.split(/(?=<h[123] id=")/)
  const ofParts = parts.flatMap((part) => {
    const id = /^<h[123] id="([^"]*)"/.exec(part)?.[1]
    const heading = rendered.headings.find((each) => each.id === id)
    if (heading === undefined) return []
    const text = part.replace(/^<h.*?<\/h\d>/s, '')
    const isTop = heading === rendered.headings[0]
    const names = isTop ? `${name} ${heading.text}` : heading.text
    return [documentOf(page, isTop ? '' : `#${heading.id}`, names, heading.text, text)]
  })
  return [...ofParts, ...ofRows]
}

function documentOf(
  { path, title, name, section }: RenderedPage,
  anchor: string,
  heading: string,
  shown: string,
  html: string,
): SearchDocument {
  const text = plain(html).slice(0, MAX_CHARACTERS)
  const excerpt = text.slice(0, EXCERPT)
  const place = anchor === '' ? section : `${section} · ${name}`
  return { id: `${path}.html${anchor}`, page: `${title} ${name}`, heading, text, shown, place, excerpt }
}

/** Text of HTML that this package has written. */
function plain(html: string): string {
  return html
    .replace(/<svg.*?<\/svg>|<details class="source">.*?<\/details>/gs, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#x27;', "'")
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ')
    .trim()
}
