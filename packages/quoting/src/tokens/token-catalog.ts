/** The list of tokens as it is asked for: kept for a while, searched by symbol, name and address. */
import type { Address } from '@sluice/chains'
import { isAddress, toAddress } from '@sluice/chains'
import type { ListedToken, ListSource, TokenLister } from './token-list.ts'

/** Depths move slowly; a list is some milliseconds of work on a large chain. */
const KEEP_MS = 30_000
/** Life of a list made while pools of the chain's own tokens are still looked for. */
const KEEP_PARTIAL_MS = 2_000

export type Catalog = {
  readonly tokens: readonly ListedToken[]
  /** Milliseconds of Unix time at which the list was made, and the block that it is of. */
  readonly madeAt: number
  readonly block: number
}

type Kept = { readonly catalog: Promise<Catalog>; readonly until: number }

/** @param isWhole - whether all pools of the chain's own tokens are in the view */
export type CatalogSource = ListSource & { readonly isWhole: boolean }

export class TokenCatalog {
  private readonly lister: TokenLister
  private kept: Kept | undefined

  constructor(lister: TokenLister) {
    this.lister = lister
  }

  /** The chain's own tokens, which a list needs the pools of. */
  get registry(): readonly Address[] {
    return [...this.lister.registry.keys()]
  }

  /** @param source - asked for when a list has to be made @throws RpcError */
  async whole(source: () => Promise<CatalogSource>): Promise<Catalog> {
    if (!this.kept || this.kept.until < Date.now()) this.kept = { catalog: this.make(source), until: Infinity }
    return this.kept.catalog
  }

  /** Those whose symbol or name holds the text, or the one of that address, in the order of the list. @throws RpcError */
  async search(text: string, source: (also?: readonly Address[]) => Promise<CatalogSource>): Promise<Catalog> {
    const catalog = await this.whole(source)
    if (isAddress(text)) {
      const address = toAddress(text)
      const listed = catalog.tokens.find((token) => token.address === address)
      // Its pools are looked for, as everywhere else.
      const found = listed ?? (await this.lister.unlisted(address, await source([address])))
      return { ...catalog, tokens: found ? [found] : [] }
    }
    const wanted = text.trim().toLowerCase()
    const holds = (told: string) => told.toLowerCase().includes(wanted)
    return { ...catalog, tokens: catalog.tokens.filter(({ symbol, name }) => holds(symbol) || holds(name)) }
  }

  private async make(source: () => Promise<CatalogSource>): Promise<Catalog> {
    try {
      const found = await source()
      const tokens = await this.lister.list(found)
      const catalog = { tokens, madeAt: Date.now(), block: found.view.snapshot.block.number }
      const keepMs = found.isWhole ? KEEP_MS : KEEP_PARTIAL_MS
      this.kept = { catalog: Promise.resolve(catalog), until: Date.now() + keepMs }
      return catalog
    } catch (error) {
      this.kept = undefined
      throw error
    }
  }
}
