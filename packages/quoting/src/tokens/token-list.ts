/**
 * Lists a chain's tokens for users to choose from: the tokens of the chain's file, and tokens with enough liquidity.
 */
import { type Address, type Chain, listedTokens, NATIVE, type Token, ZERO_ADDRESS } from '@sluice/chains'
import type { TokenFacts } from '@sluice/liquidity'
import type { PriceBook } from '@sluice/pricing'
import { inSlices, type Rpc, type Steps } from '@sluice/rpc'
import type { ChainView } from '../view/view.ts'
import { lookAlikeKey } from './look-alike.ts'
import { MAX_SYMBOL_LENGTH, type TokenNames } from './names.ts'

/** Minimum USD value of liquidity for listing a token that is not in the chain's file. */
const MIN_DEPTH_USD = 10_000
/**
 * Maximum listed tokens that are not in the chain's file, deepest first. Limited because the name of each must be read.
 */
const MAX_FOUND = 2_000

/**
 * Reason for which a token is in the list. `found`: not in the chain's file, but with enough liquidity. `unlisted`:
 * with too little liquidity, but requested by its address.
 */
export type Origin = 'native' | 'registry' | 'found' | 'unlisted'

/** A token of the list. */
export type TokenListEntry = {
  readonly address: Address
  readonly name: string
  readonly symbol: string
  readonly decimals: number
  readonly depthUsd: number | null
  readonly origin: Origin
  /** Token of the chain's file whose symbol equals, or looks like, the symbol of this token. */
  readonly copyOf: Address | undefined
}

export type ListSource = { readonly view: ChainView; readonly rpc: Rpc }

type Options = { readonly chain: Chain; readonly facts: TokenFacts; readonly names: TokenNames }
type Candidate = { readonly address: Address; readonly depthUsd: number | null; readonly origin: Origin }

export class TokenLister {
  /** Tokens of the chain's file, in its order. */
  readonly registry: ReadonlyMap<Address, Token>
  private readonly options: Options
  private readonly addressByLookAlikeKey: ReadonlyMap<string, Address>

  constructor(options: Options) {
    const { chain } = options
    this.options = options
    const tokens = listedTokens(chain)
    this.registry = new Map(tokens.map((token) => [token.address, token]))
    this.addressByLookAlikeKey = new Map(
      [...tokens, { symbol: chain.nativeCurrency.symbol, address: chain.wrappedNative?.address ?? NATIVE }]
        .reverse()
        .map(({ symbol, address }) => [lookAlikeKey(symbol), address]),
    )
  }

  /**
   * Lists the native token, then all other tokens, deepest liquidity first. @throws RpcError if names cannot be read
   */
  async list({ view, rpc }: ListSource): Promise<readonly TokenListEntry[]> {
    const book = view.prices()
    const { chain, names } = this.options
    const candidates: Candidate[] = []
    for (const address of await inSlices('token list', this.unlistedTokens(view))) {
      const depthUsd = await book.depthUsd(address)
      if (depthUsd !== null && depthUsd >= MIN_DEPTH_USD) candidates.push({ address, depthUsd, origin: 'found' })
    }
    const registryCandidates: Candidate[] = []
    if (chain.wrappedNative) registryCandidates.push(await this.candidateOf(NATIVE, 'native', book))
    for (const address of this.registry.keys())
      registryCandidates.push(await this.candidateOf(address, 'registry', book))
    const allCandidates = [...registryCandidates, ...candidates.sort(deepestFirst).slice(0, MAX_FOUND)]
    const addresses = allCandidates.map(({ address }) => address).filter((address) => address !== NATIVE)
    await names.read(addresses, rpc)
    return allCandidates.flatMap((candidate) => this.listedEntry(candidate) ?? []).sort(deepestFirst)
  }

  /**
   * Returns a token by its address, also if it is not on the list. Undefined if the address is not a token, or if it
   * lacks a symbol or decimals.
   */
  async unlistedEntry(address: Address, { view, rpc }: ListSource): Promise<TokenListEntry | undefined> {
    const { facts, names } = this.options
    if (address === NATIVE || address === ZERO_ADDRESS) return undefined
    await facts.check([address], rpc, { priority: 'lookup' })
    if (facts.isToken(address) !== true) return undefined
    await names.read([address], rpc)
    const depthUsd = await view.prices().depthUsd(address)
    return this.listedEntry({
      address,
      depthUsd,
      origin: depthUsd !== null && depthUsd >= MIN_DEPTH_USD ? 'found' : 'unlisted',
    })
  }

  /**
   * Returns the sanitized symbol of a token, from the chain's file or else from the token's contract; undefined if the
   * token has no symbol.
   */
  symbolOf(address: Address): string | undefined {
    const { chain, names } = this.options
    if (address === NATIVE || address === ZERO_ADDRESS) return chain.nativeCurrency.symbol
    const symbol = this.registry.get(address)?.symbol ?? names.get(address)?.symbol ?? ''
    return symbol.replaceAll(' ', '').slice(0, MAX_SYMBOL_LENGTH) || undefined
  }

  private async candidateOf(address: Address, origin: Origin, book: PriceBook): Promise<Candidate> {
    return { address, origin, depthUsd: await book.depthUsd(address) }
  }

  private *unlistedTokens({ snapshot }: ChainView): Steps<readonly Address[]> {
    const addresses = new Set<Address>()
    for (const { tokens } of snapshot.pools.values()) {
      for (const token of tokens) if (token !== ZERO_ADDRESS && !this.registry.has(token)) addresses.add(token)
      yield
    }
    return [...addresses]
  }

  private listedEntry({ address, depthUsd, origin }: Candidate): TokenListEntry | undefined {
    const { chain, facts, names } = this.options
    if (origin === 'native') {
      const { name, symbol, decimals } = chain.nativeCurrency
      return { address, depthUsd, origin, name, symbol, decimals, copyOf: undefined }
    }
    const symbol = this.symbolOf(address)
    const decimals = this.registry.get(address)?.decimals ?? facts.decimals(address)
    if (symbol === undefined || decimals === undefined) return undefined
    const copiedToken = origin === 'registry' ? undefined : this.addressByLookAlikeKey.get(lookAlikeKey(symbol))
    return {
      address,
      depthUsd,
      origin,
      name: names.get(address)?.name ?? symbol,
      symbol,
      decimals,
      copyOf: copiedToken,
    }
  }
}

function deepestFirst(a: Pick<Candidate, 'depthUsd' | 'origin'>, b: Pick<Candidate, 'depthUsd' | 'origin'>): number {
  if ((a.origin === 'native') !== (b.origin === 'native')) return a.origin === 'native' ? -1 : 1
  return (b.depthUsd ?? -1) - (a.depthUsd ?? -1)
}
