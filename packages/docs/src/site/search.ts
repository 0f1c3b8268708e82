/** Search of the site in the browser. A page loads this module and the index when the user first uses the search. */
import MiniSearch from 'minisearch'

/** A section of a page in the search index. */
export type SearchDocument = {
  /** Address relative to the root of the site. */
  readonly id: string
  /** Title of the page, and its name in the menu. */
  readonly pageNames: string
  /** Heading of the section, as searched. */
  readonly heading: string
  readonly text: string
  /** Heading as shown in a result. */
  readonly shownHeading: string
  /** Section of the menu, and page, as shown in a result. */
  readonly shownPath: string
  /** Beginning of the text, as shown in a result. */
  readonly excerpt: string
}
export type SiteSearchResult = Pick<SearchDocument, 'id' | 'shownHeading' | 'shownPath' | 'excerpt'>

/** Options of the index, which must be equal when the build writes it and when the browser reads it. */
export const INDEX_OPTIONS = {
  fields: ['pageNames', 'heading', 'text'],
  storeFields: ['shownHeading', 'shownPath', 'excerpt'],
  /** Splits text into words. Indexes names such as `NO_ROUTE` both as a whole and in parts. */
  tokenize: (text: string): string[] => {
    const words = text.split(/[^\p{L}\p{N}_]+/u).filter((word) => word !== '')
    return words.flatMap((word) =>
      word.includes('_') ? [word, ...word.split('_').filter((part) => part !== '')] : [word],
    )
  },
}
/** Words that a search ignores, because they do not name the subject of a question. */
const STOP_WORDS = new Set(
  'a an and are as at be by can do does for from get has have how i if in is it my of on or that the this to what when where which who why will with you your'.split(
    ' ',
  ),
)

/**
 * Loads the index.
 *
 * @param index - JSON that the build wrote
 * @returns a function that returns the best results for a question
 */
export function openSearch(index: string): (question: string, limit: number) => readonly SiteSearchResult[] {
  const search = MiniSearch.loadJSON<SearchDocument>(index, INDEX_OPTIONS)
  return (question, limit) => {
    const results = search.search(question, {
      prefix: (term, k, terms) => k === terms.length - 1 || term.length > 4,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
      boost: { pageNames: 3, heading: 4 },
      processTerm: (term) => (STOP_WORDS.has(term.toLowerCase()) ? null : term.toLowerCase()),
      maxFuzzy: 2,
    })
    return results.slice(0, limit) as unknown as readonly SiteSearchResult[]
  }
}
