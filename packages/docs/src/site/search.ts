/** Search of the site in the browser. The page loads this module and the index at the first use. */
import MiniSearch from 'minisearch'

export type SearchDocument = {
  /** Address relative to the root of the site. */
  readonly id: string
  readonly page: string
  readonly heading: string
  readonly text: string
  /** Heading shown in a result. */
  readonly shown: string
  /** Section and page shown in a result. */
  readonly place: string
  readonly excerpt: string
}
export type SiteSearchResult = Pick<SearchDocument, 'id' | 'shown' | 'place' | 'excerpt'>

export const INDEX_OPTIONS = {
  fields: ['page', 'heading', 'text'],
  storeFields: ['shown', 'place', 'excerpt'],
  /** Splits text into words. Indexes names such as `NO_ROUTE` both as a whole and in parts. */
  tokenize: (text: string): string[] => {
    const words = text.split(/[^\p{L}\p{N}_]+/u).filter((word) => word !== '')
    return words.flatMap((word) =>
      word.includes('_') ? [word, ...word.split('_').filter((part) => part !== '')] : [word],
    )
  },
}
/** Words that a search ignores, because they do not describe the subject of a question. */
const STOP_WORDS = new Set(
  'a an and are as at be by can do does for from get has have how i if in is it my of on or that the this to what when where which who why will with you your'.split(
    ' ',
  ),
)

/**
 * Opens the search.
 *
 * @param index - JSON written by the build
 */
export function openSearch(index: string): (question: string, limit: number) => readonly SiteSearchResult[] {
  const search = MiniSearch.loadJSON<SearchDocument>(index, INDEX_OPTIONS)
  return (question, limit) => {
    const results = search.search(question, {
      prefix: (term, k, terms) => k === terms.length - 1 || term.length > 4,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
      boost: { page: 3, heading: 4 },
      processTerm: (term) => (STOP_WORDS.has(term.toLowerCase()) ? null : term.toLowerCase()),
      maxFuzzy: 2,
    })
    return results.slice(0, limit) as unknown as readonly SiteSearchResult[]
  }
}
