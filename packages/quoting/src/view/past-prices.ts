/** Prices at blocks of the past, for whoever draws a chart: each block's pools are read for it alone, where the node has its state. */
import { type Address, type Chain, NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import { createMarket, type Market, MarketError, type TokenFacts } from '@sluice/liquidity'
import { Prices } from '@sluice/pricing'
import { abortable, type BlockHeader, type BlockRef, type Rpc, RpcError, Semaphore } from '@sluice/rpc'
import { Bounded, type StateCount } from '@sluice/simulation'
import { QuotingError } from '../errors.ts'

/** Blocks that are remembered at a time, each with the pools of the tokens that were asked for. */
const MAX_BLOCKS = 8
/** Requests at a time, of which one is read and the others wait: a block takes seconds where nothing of it is known. */
const MAX_WAITING = 4

type Past = { readonly block: BlockHeader; readonly market: Market; readonly prices: Prices }

export class PastPrices {
  private readonly chain: Chain
  private readonly facts: TokenFacts | undefined
  /** By hash. */
  private readonly known = new Bounded<string, Past>(MAX_BLOCKS, { onEvict: ({ market }) => void market.stop() })
  private readonly turns = new Semaphore(1)
  private waiting = 0

  /** @param facts - what is known of tokens already, which does not change from block to block */
  constructor(chain: Chain, facts?: TokenFacts) {
    this.chain = chain
    this.facts = facts
  }

  /**
   * Prices as they were at the end of a block.
   *
   * @throws QuotingError `NO_STATE` where the node does not have the block or its state; MarketError `BUSY` where too many wait
   */
  async at(
    number: BlockRef,
    tokens: readonly Address[],
    rpc: Rpc,
    signal?: AbortSignal,
  ): Promise<Omit<Past, 'market'>> {
    if (this.waiting >= MAX_WAITING) throw new MarketError('BUSY', 'too many ask for prices of the past')
    this.waiting++
    // Once begun it goes on where the caller gives up: who asks again finds what was read. Not begun, it is left.
    const read = async () => {
      signal?.throwIfAborted()
      return this.read(number, tokens, rpc)
    }
    const work = this.turns.run(read).finally(() => this.waiting--)
    work.catch(() => {})
    return abortable(work, signal)
  }

  /** Blocks in memory. */
  get count(): StateCount {
    return this.known.count
  }

  /** Forgets all blocks. */
  async close(): Promise<void> {
    const all = [...this.known.values()]
    this.known.clear()
    await Promise.all(all.map(({ market }) => market.stop()))
  }

  private async read(number: BlockRef, tokens: readonly Address[], rpc: Rpc): Promise<Past> {
    const past = await this.open(number, rpc)
    const { hubs, wrappedNative } = this.chain
    const wrapper = wrappedNative?.address
    const own = tokens.flatMap((token) => (token === NATIVE || token === ZERO_ADDRESS ? (wrapper ?? []) : token))
    const snapshot = await past.market.ensureGroups([hubs, ...own.map((token) => [token])])
    await past.prices.follow(snapshot)
    return past
  }

  private async open(number: BlockRef, rpc: Rpc): Promise<Past> {
    const block = await rpc.getBlock(number)
    if (!block) throw new QuotingError('NO_STATE', `the node has no block ${number}`)
    const known = this.known.get(block.hash)
    if (known) return known
    const past = await this.begin(block, rpc)
    this.known.set(block.hash, past)
    return past
  }

  private async begin(block: BlockHeader, rpc: Rpc): Promise<Past> {
    await assertState(this.chain, block, rpc)
    const market = createMarket({
      chain: this.chain,
      rpc: headedBy(rpc, block),
      ...(this.facts && { facts: this.facts }),
    })
    const prices = new Prices(this.chain, { decimals: (token) => market.tokens.decimals(token) })
    return { block, market, prices }
  }
}

/** Nodes that prune tell it by an error; without state, pools would seem not to be there. */
async function assertState({ hubs }: Chain, { hash, number }: BlockHeader, rpc: Rpc): Promise<void> {
  const [hub] = hubs
  if (!hub) return
  try {
    await rpc.getCode(hub, { blockHash: hash })
  } catch (error) {
    if (!(error instanceof RpcError) || !error.ofBlock) throw error
    throw new QuotingError('NO_STATE', `the node does not have the state of block ${number} any more`)
  }
}

/** A node that ends at a block. */
function headedBy(rpc: Rpc, head: BlockHeader): Rpc {
  return {
    chainId: rpc.chainId,
    request: (method, params, options) => rpc.request(method, params, options),
    call: (request, block, options) => rpc.call(request, block, options),
    callWithHead: (request, block, options) => rpc.callWithHead(request, block, options),
    getBlock: async (block, options) => (block === 'latest' ? head : rpc.getBlock(block, options)),
    getLogs: (filter, options) => rpc.getLogs(filter, options),
    getCode: (address, block, options) => rpc.getCode(address, block, options),
    gasPrice: (options) => rpc.gasPrice(options),
    health: () => rpc.health(),
    close: () => {},
  }
}
