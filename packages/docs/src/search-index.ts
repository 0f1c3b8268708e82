/** Builds the search index of the site. Each section of a page is a document of the index. */
import MiniSearch from 'minisearch'
import type { RenderedMarkdown } from './markdown.ts'
import type { Page } from './pages.ts'
import { INDEX_OPTIONS, type SearchDocument } from './site/search.ts'

/** Maximum number of characters of a section in the index. Only tables of numbers are longer. */
const MAX_SECTION_CHARACTERS = 6_000
/** Maximum number of characters of a section that a search result shows. */
const MAX_EXCERPT_CHARACTERS = 140

export function buildSearchIndex(pages: readonly RenderedPage[]): string {
  const search = new MiniSearch<SearchDocument>(INDEX_OPTIONS)
  search.addAll(pages.flatMap(documentsOf))
  return JSON.stringify(search)
}

type RenderedPage = Page & { readonly rendered: RenderedMarkdown }

function documentsOf(page: RenderedPage): SearchDocument[] {
  const { name, rendered } = page
  // Each table row with an anchor, such as an environment variable, is a document of its own.
  const rows = rendered.html.matchAll(/<tr>\s*<td><a id="([^"]+)">.*?<\/tr>/gs)
  const rowDocuments = [...rows].map(([row, id]) => documentOf(page, `#${id}`, id!, id!, row))
  const htmlSections = rendered.html.split(/(?=<h[123] id=")/)
  const sectionDocuments = htmlSections.flatMap((section) => {
    const id = /^<h[123] id="([^"]*)"/.exec(section)?.[1]
    const heading = rendered.headings.find((candidate) => candidate.id === id)
    if (heading === undefined) return []
    const text = section.replace(/^<h.*?<\/h\d>/s, '')
    const isTop = heading === rendered.headings[0]
    const names = isTop ? `${name} ${heading.text}` : heading.text
    return [documentOf(page, isTop ? '' : `#${heading.id}`, names, heading.text, text)]
  })
  return [...sectionDocuments, ...rowDocuments]
}

function documentOf(
  { path, title, name, section }: RenderedPage,
  anchor: string,
  heading: string,
  shownHeading: string,
  html: string,
): SearchDocument {
  const text = toPlainText(html).slice(0, MAX_SECTION_CHARACTERS)
  const excerpt = text.slice(0, MAX_EXCERPT_CHARACTERS)
  const shownPath = anchor === '' ? section : `${section} · ${name}`
  return {
    id: `${path}.html${anchor}`,
    pageNames: `${title} ${name}`,
    heading,
    text,
    shownHeading,
    shownPath,
    excerpt,
  }
}

/** Returns the text of HTML that this package generated. */
function toPlainText(html: string): string {
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
