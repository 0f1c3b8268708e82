/** Pools and prices at the end of one past block. A market finds pools and reads their states. */
import { type Address, type Chain, listedTokens, NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import {
  createMarket,
  type IndexedMarket,
  type Pool,
  type PoolEntry,
  RedemptionCache,
  type TokenFacts,
} from '@sluice/liquidity'
import { Prices } from '@sluice/pricing'
import { type BlockHeader, type BlockRef, type Rpc, RpcError, rpcWith } from '@sluice/rpc'
import { QuotingError } from '../errors.ts'
import { readHoldings, tokensToCheck } from './holdings.ts'

/** Maximum tokens of a request that are checked at a time. */
const MAX_CONCURRENT_CHECKS = 8
/** Maximum rounds of checks per request: after a check, a price may depend on other tokens. */
const MAX_ROUNDS = 3
/**
 * Maximum milliseconds that a quote waits for pools that are discovered in the background. A larger `settleMs` replaces
 * it. The wait starts after the known pools of the quote's tokens are read.
 */
const QUOTE_SETTLE_MS = 2_000

/** Pools that only a search of past logs finds, from the market of the newest block, which searches the logs. */
export type ListedPools = {
  readonly pools: readonly PoolEntry[]
  /** False while the logs are still being searched. */
  readonly isComplete: boolean
}

/** Tests whether a token can be sold to a pool at a block; null if that is unknown. @throws RpcError */
export type TestPastSale = (
  token: Address,
  pool: Pool,
  source: { readonly rpc: Rpc; readonly block: BlockRef },
) => Promise<boolean | null>

/** Settings that all past blocks of a chain share. */
export type PastBlockOptions = {
  /**
   * Tests sales of unlisted tokens (outside the chain's file) before prices that depend on them are served. No tests if
   * absent.
   */
  readonly testSale?: TestPastSale
  /** Known token facts, which do not change between blocks. */
  readonly facts?: TokenFacts
  /**
   * Maximum wait in milliseconds for pools that are discovered in the background. If all are found in this time,
   * results at a block are reproducible. A service does not wait, because scanning all past logs of a chain takes
   * minutes. Default 0.
   */
  readonly settleMs?: number
}

/** Pools and prices at the end of a past block, read from a market whose head is that block. */
export class PastBlock {
  readonly block: BlockHeader
  readonly market: IndexedMarket
  readonly prices: Prices
  private readonly chain: Chain
  private readonly options: PastBlockOptions
  private readonly redemptions: RedemptionCache
  /** Tokens of the chain's file. For other tokens, the depth of a pool is capped at the balance that the pool holds. */
  private readonly listedTokenSet: ReadonlySet<Address>
  /** Unlisted tokens whose balances were read and whose sale was tested. */
  private readonly checkedTokens = new Set<Address>()
  /** Tokens that could not be sold at this block. */
  private readonly unsellableTokens = new Set<Address>()
  /** Tokens whose pools were read. */
  private readonly pricedTokens = new Set<Address>()
  /** Token pairs whose pools were read. */
  private readonly readPairs = new Set<string>()
  private readCount = 0
  private isEvicted = false

  private constructor(chain: Chain, block: BlockHeader, market: IndexedMarket, options: PastBlockOptions) {
    this.chain = chain
    this.block = block
    this.market = market
    this.options = options
    this.listedTokenSet = new Set(listedTokens(chain).map(({ address }) => address))
    this.redemptions = new RedemptionCache(chain)
    this.prices = new Prices(chain, {
      decimals: (token) => market.tokens.decimals(token),
      isUnsellable: (token) => this.unsellableTokens.has(token),
      redemptions: (token) => this.redemptions.readingsOf(token),
    })
  }

  /**
   * Creates a past block without pools.
   *
   * @throws QuotingError `NO_STATE` if the node does not have the state of the block; RpcError
   */
  static async open(
    chain: Chain,
    block: BlockHeader,
    rpc: Rpc,
    { searchesLogs, ...options }: PastBlockOptions & { readonly searchesLogs: boolean },
  ): Promise<PastBlock> {
    await assertState(chain, block, rpc)
    const { facts } = options
    const market = createMarket({ chain, rpc: rpcWithHead(rpc, block), ...(facts && { facts }), searchesLogs })
    return new PastBlock(chain, block, market, options)
  }

  /** Runs a read. The market is not stopped while a read runs. */
  async use(read: () => Promise<void>): Promise<void> {
    this.readCount++
    try {
      await read()
    } finally {
      this.readCount--
      this.stopIfUnused()
    }
  }

  /** Stops the market once no read runs. */
  evict(): void {
    this.evictAfterRead()
    this.stopIfUnused()
  }

  /** Stops the market after the next read. */
  evictAfterRead(): void {
    this.isEvicted = true
  }

  private stopIfUnused(): void {
    if (this.isEvicted && this.readCount === 0) void this.market.stop()
  }

  /**
   * True if the prices of the tokens were read, and depend on no unchecked token. A pool that was added after the read
   * may have created a dependency on an unchecked token.
   */
  hasPrices(tokens: readonly Address[]): boolean {
    return tokens.every((token) => this.pricedTokens.has(token) && !this.dependsOnUnchecked(token))
  }

  /** True if the price of a token depends on an unlisted token that was not checked, or on too many. */
  dependsOnUnchecked(token: Address): boolean {
    return this.prices.intermediatesOf(token)?.some((intermediate) => !this.checkedTokens.has(intermediate)) ?? true
  }

  /**
   * Reads the pools, redemption rates, and balances that decide the prices of some tokens, and runs test sales.
   *
   * @throws RpcError if the node fails
   */
  async readPrices(tokens: readonly Address[], rpc: Rpc): Promise<void> {
    const { market, block, prices } = this
    const { hubs, wrappedNative } = this.chain
    const wrappedAddress = wrappedNative?.address
    const erc20Tokens = tokens.flatMap((token) =>
      token === NATIVE || token === ZERO_ADDRESS ? (wrappedAddress ?? []) : token,
    )
    await market.ensureGroups([hubs, ...erc20Tokens.map((token) => [token])])
    const realTokens = erc20Tokens.filter((token) => market.tokens.isToken(token) === true)
    const underlyingTokens = await this.redemptions.readShares(realTokens, {
      rpc,
      block,
      holderOf: (share) => prices.holderOf(share),
    })
    await market.ensureGroups(underlyingTokens.filter((token) => token !== ZERO_ADDRESS).map((token) => [token]))
    await prices.follow(await market.whenIdle(this.options.settleMs ?? 0))
    await this.checkTokens(erc20Tokens, rpc)
    // A token whose facts could not be read has no price yet; the next request reads them again.
    const isKnown = (token: Address) =>
      token === NATIVE || token === ZERO_ADDRESS || market.tokens.isToken(token) !== undefined
    for (const token of tokens.filter(isKnown)) this.pricedTokens.add(token)
  }

  /**
   * Checks the unlisted tokens among `tokens`, and the unlisted tokens on which their prices depend. A check reads the
   * balances of the token's pools, and tests whether the token could be sold at the block.
   *
   * @throws RpcError if balances cannot be read
   */
  private async checkTokens(tokens: readonly Address[], rpc: Rpc): Promise<void> {
    const { prices, checkedTokens } = this
    const source = { snapshot: this.market.snapshot(), prices, rpc }
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const intermediates = tokens.flatMap((token) => prices.intermediatesOf(token) ?? [])
      const dueTokens = [...new Set([...tokensToCheck(tokens, this.listedTokenSet, prices), ...intermediates])].filter(
        (token) => !checkedTokens.has(token),
      )
      if (dueTokens.length === 0) return
      for (let k = 0; k < dueTokens.length; k += MAX_CONCURRENT_CHECKS)
        await Promise.all(
          dueTokens.slice(k, k + MAX_CONCURRENT_CHECKS).map(async (token) => {
            await Promise.all([readHoldings(token, source), this.checkSale(token, rpc)])
            checkedTokens.add(token)
          }),
        )
    }
  }

  /** Tests a sale to the pools that decide the token's price. A token counts as sellable if the node cannot test it. */
  private async checkSale(token: Address, rpc: Rpc): Promise<void> {
    const { testSale } = this.options
    if (!testSale) return
    const source = { rpc, block: { blockHash: this.block.hash } }
    const results = await Promise.all(
      this.prices.decidingPoolsOf(token).map((pool) =>
        testSale(token, pool, source).catch((error: unknown) => {
          if (error instanceof RpcError) return null
          throw error
        }),
      ),
    )
    if (!results.includes(false)) return
    this.unsellableTokens.add(token)
    await this.prices.updateSellability(token)
  }

  /** True if the search for the pools of a token pair is complete, and the pools were read. */
  hasPools(pairTokens: readonly [Address, Address]): boolean {
    return this.readPairs.has(keyOf(pairTokens))
  }

  /**
   * Reads the pools for swaps between two tokens.
   *
   * @param listedPools - undefined if the market of this block searches past logs itself
   * @throws RpcError
   */
  async readPools(pairTokens: readonly [Address, Address], listedPools: ListedPools | undefined): Promise<void> {
    const { market, prices } = this
    if (listedPools) await market.addFoundPools(listedPools.pools)
    await market.ensureGroups([this.chain.hubs, pairTokens])
    await prices.follow(await market.whenIdle(Math.max(this.options.settleMs ?? 0, QUOTE_SETTLE_MS)))
    // A search of past logs takes minutes. Until it ends, the pair counts as read when the pools found so far are read.
    const isReadComplete = market.cacheCounts().queued?.entries === 0 || !isScanned(market)
    if (isReadComplete && listedPools?.isComplete !== false) this.readPairs.add(keyOf(pairTokens))
  }
}

const keyOf = (pairTokens: readonly [Address, Address]): string => [...pairTokens].sort().join()

/** True unless past logs are still being searched for pools. */
export const isScanned = (market: Pick<IndexedMarket, 'health'>): boolean =>
  (market.health().scan?.state ?? 'done') === 'done'

/**
 * Throws if the node has pruned the block's state. Without this check, all pools of the block would seem not to exist.
 */
async function assertState({ hubs }: Chain, { number }: BlockHeader, rpc: Rpc): Promise<void> {
  const [hub] = hubs
  if (!hub) return
  try {
    // Read by number: the client then reports a missing state at once. By hash, the client would assume that the node
    // has not received the block yet, and try again.
    await rpc.getCode(hub, number)
  } catch (error) {
    if (!(error instanceof RpcError) || !error.mayDependOnBlock) throw error
    throw new QuotingError('NO_STATE', `the node does not have the state of block ${number} any more`)
  }
}

/** Wraps a node so that its head is the given block. */
const rpcWithHead = (rpc: Rpc, head: BlockHeader): Rpc =>
  rpcWith(rpc, {
    getBlock: async (block, options) => (block === 'latest' ? head : rpc.getBlock(block, options)),
    close: () => {},
  })
