/** Quotes at past blocks: what a swap would have paid there. */
import type { Chain } from '@sluice/chains'
import { buildGraph, type Graph } from '@sluice/routing'
import { type BlockHeader, estimateL1FeePerByte, type Rpc } from '@sluice/rpc'
import { Bounded } from '@sluice/simulation'
import type { SwapContracts } from '../chain/contracts.ts'
import { checkDeadline } from '../deadline.ts'
import { LaterGas } from '../gas/later-gas.ts'
import { Simulator } from '../simulation/simulator.ts'
import { Answers } from '../view/answers.ts'
import { memo, once } from '../view/once.ts'
import type { ListPools, PastBlocks, PastState } from '../view/past-blocks.ts'
import type { ChainView } from '../view/view.ts'
import type { Quote } from './finalize.ts'
import { type Work, withSignal } from './ports.ts'
import { endsOf, type QuotingParts, quoteAtView } from './quote-at-view.ts'
import { keyOf, type QuoteRequest } from './request.ts'
import { SingleFlight } from './single-flight.ts'

type Options = Omit<QuotingParts, 'gasLessons' | 'gasProber' | 'laterGas' | 'simulate' | 'clock' | 'onMade'> & {
  readonly chain: Chain
  readonly contracts: SwapContracts
  readonly blocks: PastBlocks
  readonly gasLessons: Pick<QuotingParts['gasLessons'], 'at'>
  readonly gasProber: Pick<QuotingParts['gasProber'], 'isRunning'>
  /** Node that pools are read and routes simulated by. */
  readonly rpc: () => Rpc
  /** Node that has the code of contracts, where the other one stands in the midst of a block. */
  readonly codesRpc: () => Rpc
  readonly listPools: ListPools
}

/** A block with the parts that all of its quotes share. */
type Shared = { readonly view: ChainView; readonly parts: QuotingParts }

export class PastQuoter {
  private readonly options: Options
  private readonly flights = new SingleFlight<Quote>()
  private readonly shared = new WeakMap<PastState['snapshot'], Shared>()

  constructor(options: Options) {
    this.options = options
  }

  /**
   * The quote that was best at the end of a block, simulated at that block by contracts that need not have existed yet. Nothing that
   * is found out there changes quotes of the newest block.
   *
   * @throws QuotingError `NO_STATE` if the node does not have the block or its state; MarketError `BUSY` if too many wait; what
   *   quoting throws
   */
  async quote(block: number, request: QuoteRequest, work: Work): Promise<Quote> {
    const { chain, blocks, listPools } = this.options
    const { signal } = work
    const rpc = this.options.rpc()
    const ends = endsOf(request, chain)
    const state = await work.time('state', () => blocks.poolsAt(block, ends, { rpc, listPools, signal }))
    const { view, parts } = this.partsAt(state, rpc)
    const { hash, timestamp } = view.snapshot.block
    checkDeadline(request.deadline, timestamp)
    // Pools that the block has changed are not known: all may have.
    const now = { rpc, touched: { has: () => true } }
    return this.flights.run(`${hash}${keyOf(request)}`, signal, (shared) =>
      quoteAtView(view, request, withSignal(work, shared), parts, now),
    )
  }

  private partsAt(state: PastState, rpc: Rpc): Shared {
    const known = this.shared.get(state.snapshot)
    if (known) return known
    const { chain, contracts, tokens, simulation, gasLessons, gasProber } = this.options
    const { block } = state.snapshot
    const at = { blockHash: block.hash }
    const gasPrice = once(() => simulation.fees.pastGasPrice(rpc, block))
    const codes = once(() => contracts.missingCodes(this.options.codesRpc(), at))
    const simulator = new Simulator({ now: () => ({ rpc, market: state.market }), context: simulation })
    const view: ChainView = {
      snapshot: state.snapshot,
      groups: new Bounded(1),
      answers: new Answers(),
      graph: lazy(() => buildGraph(state.snapshot)),
      prices: () => state.prices,
      gasPriceWei: gasPrice,
      l1FeePerByteWei: once(async () => estimateL1FeePerByte(rpc, chain.l1FeeModel, await gasPrice(), at)),
      poolsPending: () => state.poolsPending,
      codeOf: memo((account) => rpc.getCode(account, at)),
      assertDeployed: async () => void (await codes()),
    }
    const parts: QuotingParts = {
      ...this.options,
      clock: clockOf(block),
      // Whoever trades at a past block can choose one where a token taxed: the newest block is not judged by that.
      tokens: {
        facts: tokens.facts,
        taxes: tokens.taxes.copy(),
        standings: { trust: (level) => tokens.standings.trust(level), learn: () => {}, blame: () => {} },
      },
      simulate: async (request, avoid) =>
        simulator.run({ ...request, codes: await codes(), gasPrice: request.gasPrice ?? (await gasPrice()) }, avoid),
      gasLessons: { at: (timestamp) => gasLessons.at(timestamp), observeAt: () => {} },
      gasProber: {
        get isRunning() {
          return gasProber.isRunning
        },
        want: async () => {},
      },
      laterGas: new LaterGas(),
      onMade: () => {},
    }
    const shared = { view, parts }
    this.shared.set(state.snapshot, shared)
    return shared
  }
}

/** Deadlines follow the block's own time. */
const clockOf =
  ({ timestamp }: BlockHeader) =>
  () =>
    timestamp * 1_000

function lazy(build: () => Graph): () => Graph {
  let graph: Graph | undefined
  return () => {
    graph ??= build()
    return graph
  }
}
