/** Caches the list of a chain's tokens, and searches it by symbol, name, and address. */
import type { Address } from '@sluice/chains'
import { isAddress, toAddress } from '@sluice/chains'
import type { ListSource, TokenListEntry, TokenLister } from './token-list.ts'

/**
 * Lifetime of a list in milliseconds: depths change slowly, and building a list takes milliseconds on a large chain.
 */
const KEEP_MS = 30_000
/** Lifetime of a list that was built while pools of the chain's own tokens were still being discovered. */
const KEEP_PARTIAL_MS = 2_000

/** A list of tokens as of one block. */
export type Catalog = {
  readonly tokens: readonly TokenListEntry[]
  /** Unix time in milliseconds at which the list was built. */
  readonly madeAt: number
  readonly block: number
}

/** A list, and the time until which it is used (`performance.now()`). */
type CachedCatalog = { readonly catalog: Promise<Catalog>; readonly expiresAt: number }

/** Source of a list. `isComplete` is true if the view holds all pools of the chain's own tokens. */
export type CatalogSource = ListSource & { readonly isComplete: boolean }

export class TokenCatalog {
  private readonly lister: TokenLister
  private cachedCatalog: CachedCatalog | undefined

  constructor(lister: TokenLister) {
    this.lister = lister
  }

  /** Tokens of the chain's file, whose pools a list needs. */
  get registry(): readonly Address[] {
    return [...this.lister.registry.keys()]
  }

  /** Returns the whole list. @param source - provides the pools if a list has to be built @throws RpcError */
  async load(source: () => Promise<CatalogSource>): Promise<Catalog> {
    if (!this.cachedCatalog || this.cachedCatalog.expiresAt < performance.now())
      this.cachedCatalog = { catalog: this.build(source), expiresAt: Infinity }
    return this.cachedCatalog.catalog
  }

  /**
   * Returns the tokens whose symbol or name contains the text, in the order of the list. If the text is an address,
   * returns the token at this address.
   *
   * @throws RpcError
   */
  async search(text: string, source: (extraTokens?: readonly Address[]) => Promise<CatalogSource>): Promise<Catalog> {
    const catalog = await this.load(source)
    if (isAddress(text)) {
      const address = toAddress(text)
      const catalogToken = catalog.tokens.find((token) => token.address === address)
      // `source` also discovers the pools of an unlisted token.
      const match = catalogToken ?? (await this.lister.unlistedEntry(address, await source([address])))
      return { ...catalog, tokens: match ? [match] : [] }
    }
    const query = text.trim().toLowerCase()
    const containsQuery = (text: string) => text.toLowerCase().includes(query)
    return {
      ...catalog,
      tokens: catalog.tokens.filter(({ symbol, name }) => containsQuery(symbol) || containsQuery(name)),
    }
  }

  private async build(source: () => Promise<CatalogSource>): Promise<Catalog> {
    try {
      const listSource = await source()
      const tokens = await this.lister.list(listSource)
      const catalog = { tokens, madeAt: Date.now(), block: listSource.view.snapshot.block.number }
      const keepMs = listSource.isComplete ? KEEP_MS : KEEP_PARTIAL_MS
      this.cachedCatalog = { catalog: Promise.resolve(catalog), expiresAt: performance.now() + keepMs }
      return catalog
    } catch (error) {
      this.cachedCatalog = undefined
      throw error
    }
  }
}
