/**
 * Quotes at past blocks, for `LiveChain.quoteAtBlock` and for the referee, which judges mined swaps. A view is the
 * chain's state at one block.
 */
import type { Chain } from '@sluice/chains'
import { buildGraph, type Graph } from '@sluice/routing'
import { type BlockHeader, estimateL1FeePerByte, type Rpc } from '@sluice/rpc'
import { BoundedMap } from '@sluice/simulation'
import type { ChainContracts } from '../chain/contracts.ts'
import { checkDeadline } from '../deadline.ts'
import { ContractBalanceReader } from '../gas/contract-balances.ts'
import { LaterGas } from '../gas/later-gas.ts'
import { Simulator } from '../simulation/simulator.ts'
import { memoizeByKey, once } from '../view/memoize.ts'
import type { ListPools, PastBlocks, PastState } from '../view/past-blocks.ts'
import { ResponseCache } from '../view/response-cache.ts'
import { balanceReader } from '../view/sender-balance.ts'
import type { ChainView } from '../view/view.ts'
import { FaultyPools } from './faulty-pools.ts'
import { FaultyTokens } from './faulty-tokens.ts'
import type { SwapQuote } from './finalize.ts'
import { type QuotingContext, withSignal } from './ports.ts'
import { endTokensOf, type QuotingParts, quoteAtView } from './quote-at-view.ts'
import { cacheKeyOf, type QuoteRequest } from './request.ts'
import { SingleFlight } from './single-flight.ts'

type Options = Omit<
  QuotingParts,
  | 'gasLessons'
  | 'gasProber'
  | 'laterGas'
  | 'contractBalances'
  | 'faultyPools'
  | 'faultyTokens'
  | 'simulate'
  | 'clock'
  | 'arePricesTested'
  | 'onQuote'
> & {
  readonly chain: Chain
  readonly contracts: ChainContracts
  /** Contracts for blocks whose EVM cannot run `contracts`; undefined if there are none. */
  readonly loadOlderContracts: () => Promise<ChainContracts | undefined>
  readonly blocks: PastBlocks
  readonly gasLessons: Pick<QuotingParts['gasLessons'], 'correctionsAt'>
  readonly gasProber: Pick<QuotingParts['gasProber'], 'isRunning'>
  /** Returns the node that reads pools and simulates routes. */
  readonly getRpc: () => Rpc
  /**
   * Returns the node that reads contract code. The node of `getRpc` may answer with the state in the middle of a block.
   */
  readonly getCodesRpc: () => Rpc
  readonly listPools: ListPools
}

/** The view of a block, and the parts that all quotes of the block share. */
type BlockParts = { readonly view: ChainView; readonly parts: QuotingParts }

export class PastQuoter {
  private readonly options: Options
  private readonly quotesInFlight = new SingleFlight<SwapQuote>()
  private readonly partsBySnapshot = new WeakMap<PastState['snapshot'], BlockParts>()
  private readonly contractsBySnapshot = new WeakMap<PastState['snapshot'], ChainContracts>()

  constructor(options: Options) {
    this.options = options
  }

  /**
   * Quotes a request at the end of a block. If our contracts were not deployed at that block, the simulation adds their
   * code. Nothing learned here changes quotes of the newest block.
   *
   * @throws QuotingError `NO_STATE` if the node lacks the block or its state; errors of `quoteAtView`; MarketError
   *   `BUSY` if too many requests are queued
   */
  async quote(block: number, request: QuoteRequest, requestContext: QuotingContext): Promise<SwapQuote> {
    const { chain, blocks, listPools } = this.options
    const { signal } = requestContext
    const rpc = this.options.getRpc()
    const pairTokens = endTokensOf(request, chain)
    const state = await requestContext.time('state', () =>
      blocks.poolsAt(block, pairTokens, { rpc, listPools, signal }),
    )
    const { view: sharedView, parts } = this.partsAt(state, rpc, await this.contractsAt(state))
    // Each pair of a block has its own search for pools, which may end without a new snapshot.
    const view: ChainView = { ...sharedView, poolsPending: () => state.poolsPending }
    const { hash, timestamp } = view.snapshot.block
    checkDeadline(request.deadline, timestamp)
    // It is unknown which pools the block changed, so all count as changed.
    const nodeState = { rpc, touchedPools: { has: () => true } }
    return this.quotesInFlight.run(`${hash}${cacheKeyOf(request)}`, signal, (sharedSignal) =>
      quoteAtView(view, request, withSignal(requestContext, sharedSignal), parts, nodeState),
    )
  }

  private async contractsAt({ snapshot }: PastState): Promise<ChainContracts> {
    const { contracts, getCodesRpc } = this.options
    const knownContracts = this.contractsBySnapshot.get(snapshot)
    if (knownContracts) return knownContracts
    const olderContracts = await this.options.loadOlderContracts()
    const canRun = !olderContracts || (await contracts.canRunAt(getCodesRpc(), { blockHash: snapshot.block.hash }))
    const runnableContracts = canRun ? contracts : olderContracts
    this.contractsBySnapshot.set(snapshot, runnableContracts)
    return runnableContracts
  }

  private partsAt(state: PastState, rpc: Rpc, contracts: ChainContracts): BlockParts {
    const knownParts = this.partsBySnapshot.get(state.snapshot)
    if (knownParts) return knownParts
    const { chain, tokens, simulation, gasLessons, gasProber } = this.options
    const { block } = state.snapshot
    const blockRef = { blockHash: block.hash }
    const gasPrice = once(() => simulation.fees.pastGasPrice(rpc, block))
    const codes = once(() => contracts.missingCodes(this.options.getCodesRpc(), blockRef))
    const simulator = new Simulator({ getParts: () => ({ rpc, market: state.market }), context: simulation })
    const view: ChainView = {
      snapshot: state.snapshot,
      groups: new BoundedMap(1),
      responses: new ResponseCache(),
      graph: lazyGraph(() => buildGraph(state.snapshot)),
      prices: () => state.prices,
      gasPriceWei: gasPrice,
      l1FeePerByteWei: once(async () => estimateL1FeePerByte(rpc, chain.l1FeeModel, await gasPrice(), blockRef)),
      poolsPending: () => state.poolsPending,
      codeOf: memoizeByKey((account) => rpc.getCode(account, blockRef)),
      balanceOf: balanceReader(rpc, blockRef),
      assertDeployed: async () => void (await codes()),
    }
    const parts: QuotingParts = {
      ...this.options,
      contracts,
      clock: fixedClock(block),
      // A copy, because a caller can choose a block at which a token had another tax. Quotes of the newest block must
      // not use that tax.
      tokens: {
        facts: tokens.facts,
        taxes: tokens.taxes.copy(),
        trustTracker: {
          trust: (level) => tokens.trustTracker.trust(level),
          recordTaxes: () => {},
          recordFailure: () => {},
        },
      },
      simulate: async (request, poolAddresses) =>
        simulator.run(
          { ...request, codes: await codes(), gasPrice: request.gasPrice ?? (await gasPrice()) },
          poolAddresses,
        ),
      gasLessons: { correctionsAt: (timestamp) => gasLessons.correctionsAt(timestamp), observeAt: () => {} },
      gasProber: {
        get isRunning() {
          return gasProber.isRunning
        },
        queueTokens: async () => {},
        measureNow: async () => false,
      },
      laterGas: new LaterGas(),
      contractBalances: new ContractBalanceReader(),
      // Pools that fail today may have worked at a past block.
      faultyPools: new FaultyPools(),
      faultyTokens: new FaultyTokens(),
      // Past quotes run no test sales of tokens; only past prices do. So a loss of value refuses a quote only if its
      // prices depend on no token that needs a test.
      arePricesTested: async (pricedTokens, { prices }) =>
        pricedTokens.every((token) => prices().intermediatesOf(token)?.length === 0),
      onQuote: () => {},
    }
    const blockParts = { view, parts }
    this.partsBySnapshot.set(state.snapshot, blockParts)
    return blockParts
  }
}

/** Returns a clock that always shows the block's timestamp in milliseconds, so that deadlines count from the block. */
const fixedClock =
  ({ timestamp }: BlockHeader) =>
  () =>
    timestamp * 1_000

function lazyGraph(build: () => Graph): () => Graph {
  let graph: Graph | undefined
  return () => {
    graph ??= build()
    return graph
  }
}
