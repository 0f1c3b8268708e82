/** Prices at blocks of the past, for whoever draws a chart: each block's pools are read for it alone, where the node has its state. */
import { type Address, type Chain, listedTokens, NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import { createMarket, type IndexedMarket, MarketError, Redemptions, type TokenFacts } from '@sluice/liquidity'
import { Prices } from '@sluice/pricing'
import { abortable, type BlockHeader, type BlockRef, onAbort, type Rpc, RpcError, Semaphore } from '@sluice/rpc'
import { Bounded, type StateCount } from '@sluice/simulation'
import { QuotingError } from '../errors.ts'
import { readHoldings, unlistedOf } from './holdings.ts'

/** Blocks that are remembered at a time, each with the pools of the tokens that were asked for. */
const MAX_BLOCKS = 8
/** Blocks that are read at a time: mostly the node is waited for. */
const AT_ONCE = 2
/** Requests that may wait for their block at a time: a chart's, with some to spare. Those for what is known wait for nothing. */
const MAX_WAITING = 80
/** Milliseconds after which whoever waits would have given up: what would begin later by all that was learned is turned away at once. */
const MAX_WAIT_MS = 6_000
/** Milliseconds that a block takes as long as none was read, and weight of the newest one read. */
const FIRST_GUESS_MS = 200
const NEWEST = 0.2

type Past = {
  readonly block: BlockHeader
  readonly market: IndexedMarket
  readonly redemptions: Redemptions
  readonly prices: Prices
  /** Tokens that were looked for. */
  readonly asked: Set<Address>
}

/** Work under way, with whoever waits for it. */
type Reading = { callers: number; readonly work: Promise<Past> }

export class PastPrices {
  private readonly chain: Chain
  private readonly facts: TokenFacts | undefined
  /** Tokens that the chain's file lists: the balances of their pools are not read. */
  private readonly listed: ReadonlySet<Address>
  /** By hash. */
  private readonly known = new Bounded<string, Past>(MAX_BLOCKS, { onEvict: ({ market }) => void market.stop() })
  private readonly turns = new Semaphore(AT_ONCE)
  /** By block and tokens. */
  private readonly reading = new Map<string, Reading>()
  /** By hash. */
  private readonly opening = new Map<string, Promise<Past>>()
  private readonly settleMs: number
  private readMs = FIRST_GUESS_MS

  /**
   * @param facts - token facts that are known already; they do not change from block to block
   * @param settleMs - longest wait for pools that are found in the background: one block has one answer if that is enough. A service
   *   does not wait, because past logs of a whole chain take minutes
   */
  constructor(chain: Chain, { facts, settleMs = 0 }: { facts?: TokenFacts; settleMs?: number } = {}) {
    this.chain = chain
    this.facts = facts
    this.settleMs = settleMs
    this.listed = new Set(listedTokens(chain).map(({ address }) => address))
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
  ): Promise<Pick<Past, 'block' | 'prices'>> {
    const key = `${number} ${[...new Set(tokens)].sort().join()}`
    const reading = this.reading.get(key) ?? this.begin(key, number, tokens, rpc)
    reading.callers++
    const leave = onAbort(signal, () => reading.callers--)
    return abortable(reading.work, signal).finally(leave)
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

  private begin(key: string, number: BlockRef, tokens: readonly Address[], rpc: Rpc): Reading {
    const { size } = this.reading
    if (size >= MAX_WAITING || (size / AT_ONCE) * this.readMs > MAX_WAIT_MS)
      throw new MarketError('BUSY', 'too many ask for prices of the past')
    const isWanted = () => reading.callers > 0
    const work = this.find(number, tokens, rpc, isWanted).finally(() => this.reading.delete(key))
    const reading: Reading = { callers: 0, work }
    this.reading.set(key, reading)
    work.catch(() => {})
    return reading
  }

  /** Once begun it goes on where all callers give up: who asks again finds what was read. Not begun, it is left. */
  private async find(number: BlockRef, tokens: readonly Address[], rpc: Rpc, isWanted: () => boolean): Promise<Past> {
    const block = await rpc.getBlock(number)
    if (!block) throw new QuotingError('NO_STATE', `the node has no block ${number}`)
    const known = this.known.get(block.hash)
    if (known && tokens.every((token) => known.asked.has(token))) return known
    const askedAt = performance.now()
    return this.turns.run(async () => {
      const isLate = performance.now() - askedAt > MAX_WAIT_MS
      if (isLate || !isWanted()) throw new MarketError('BUSY', 'too many ask for prices of the past')
      const startedAt = performance.now()
      const past = await this.read(block, tokens, rpc)
      this.readMs += NEWEST * (performance.now() - startedAt - this.readMs)
      return past
    })
  }

  private async read(block: BlockHeader, tokens: readonly Address[], rpc: Rpc): Promise<Past> {
    const past = await this.open(block, rpc)
    const { hubs, wrappedNative } = this.chain
    const wrapper = wrappedNative?.address
    const own = tokens.flatMap((token) => (token === NATIVE || token === ZERO_ADDRESS ? (wrapper ?? []) : token))
    await past.market.ensureGroups([hubs, ...own.map((token) => [token])])
    const { market, redemptions, prices } = past
    const real = own.filter((token) => market.tokens.isToken(token) === true)
    const parts = await redemptions.seek(real, { rpc, block, holderOf: (share) => prices.holderOf(share) })
    const found = await market.ensureGroups(parts.filter((it) => it !== ZERO_ADDRESS).map((part) => [part]))
    await prices.follow(this.settleMs > 0 ? await market.settled(this.settleMs) : found)
    const source = { snapshot: market.snapshot(), prices, rpc }
    await Promise.all(unlistedOf(own, this.listed, prices).map((token) => readHoldings(token, source)))
    for (const token of tokens) past.asked.add(token)
    return past
  }

  private async open(block: BlockHeader, rpc: Rpc): Promise<Past> {
    const { hash } = block
    const known = this.known.get(hash)
    if (known) return known
    const opening = this.opening.get(hash) ?? this.make(block, rpc).finally(() => this.opening.delete(hash))
    this.opening.set(hash, opening)
    const past = await opening
    this.known.set(hash, past)
    return past
  }

  private async make(block: BlockHeader, rpc: Rpc): Promise<Past> {
    await assertState(this.chain, block, rpc)
    const market = createMarket({
      chain: this.chain,
      rpc: headedBy(rpc, block),
      ...(this.facts && { facts: this.facts }),
    })
    const redemptions = new Redemptions(this.chain)
    const prices = new Prices(this.chain, {
      decimals: (token) => market.tokens.decimals(token),
      redemptions: (token) => redemptions.of(token),
    })
    return { block, market, redemptions, prices, asked: new Set() }
  }
}

/** Nodes that prune tell it by an error; without state, pools would seem not to be there. */
async function assertState({ hubs }: Chain, { number }: BlockHeader, rpc: Rpc): Promise<void> {
  const [hub] = hubs
  if (!hub) return
  try {
    // By number: later blocks are known, so that a node without the state is not one that will have it in a moment.
    await rpc.getCode(hub, number)
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
    simulateV1: (simulation, block, options) => rpc.simulateV1(simulation, block, options),
    getBlock: async (block, options) => (block === 'latest' ? head : rpc.getBlock(block, options)),
    getLogs: (filter, options) => rpc.getLogs(filter, options),
    getCode: (address, block, options) => rpc.getCode(address, block, options),
    gasPrice: (options) => rpc.gasPrice(options),
    health: () => rpc.health(),
    close: () => {},
  }
}
