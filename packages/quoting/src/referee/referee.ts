/**
 * Judges a mined swap of any router: compares the paid output with the best possible output at the same state. Called
 * by `LiveChain.judge`.
 *
 * Terms: A gap is a fact that a verdict lacks, because it could not be read. The position of a transaction is the state
 * after the earlier transactions of its block.
 */
import { type Address, type Chain, type Hex, NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import { type RequestOptions, type Rpc, RpcError } from '@sluice/rpc'
import { QuotingError } from '../errors.ts'
import { NEUTRAL_SENDER } from '../neutral-sender.ts'
import type { SwapQuote } from '../quote/finalize.ts'
import type { QuotingContext } from '../quote/ports.ts'
import { type QuoteRequest, quoteRequest } from '../quote/request.ts'
import { withBalances } from './balances.ts'
import type { GapCode, VerdictGap } from './codes.ts'
import { boundOf, bpsBelow, gasInOutput } from './figures.ts'
import { type Changes, changesOf, recordedNativeFlows, type TokenTransfer, tokenFlows } from './flows.ts'
import { midBlockRpc } from './mid-block.ts'
import {
  callOf,
  type MinedBlock,
  type MinedReceipt,
  type NeighborReceipts,
  type ResimulationResult,
  readBlock,
  readNeighbors,
  readReceipt,
  resimulate,
  traceNative,
} from './mined.ts'
import { findSandwich, type SandwichAttack } from './sandwich.ts'
import { withoutGasDeposits } from './settlement.ts'
import { type AccountTrade, readTrades, type TradeReading } from './trades.ts'
import type { JudgedTrade, SwapVerdict, TradeComparison } from './verdict.ts'

/**
 * Quotes at the end of a past block. `rpc` may also answer with the state in the middle of the block after it.
 *
 * @throws errors of LiveChain.quoteAtBlock
 */
type QuoteWithRpc = (rpc: Rpc, block: number, request: QuoteRequest, quoteContext: QuotingContext) => Promise<SwapQuote>

export type RefereePorts = { readonly chain: Chain; readonly rpc: Rpc; readonly quoteWithRpc: QuoteWithRpc }

/** Maximum trades of one transaction that are judged; a batch may settle dozens. */
const MAX_TRADES = 4
/** Maximum earlier transactions of the block that run again to reach the state at the transaction's position. */
const MAX_EARLIER_TRANSACTIONS = 250
/** Maximum accounts that gave a token and whose code is read. */
const MAX_ACCOUNTS = 200
/** Start of the code of an account that delegates to a contract (EIP-7702). */
const DELEGATION = '0xef0100'

/**
 * Judges a mined transaction.
 *
 * @throws RpcError if the node fails
 */
export async function judgeTransaction(
  hash: Hex,
  ports: RefereePorts,
  requestContext: QuotingContext,
): Promise<SwapVerdict> {
  const options = { signal: requestContext.signal }
  const { rpc } = ports
  const emptyVerdict = { hash, mined: null, trades: [], sandwich: null, gaps: [] }
  const receipt = await requestContext.time('transaction', () => readReceipt(rpc, hash, options))
  if (receipt === undefined) {
    const reason = { code: 'UNKNOWN_TRANSACTION', message: 'the node does not know the transaction' } as const
    return { ...emptyVerdict, outcome: 'unknown', reason }
  }
  if (receipt === 'pending')
    return {
      ...emptyVerdict,
      outcome: 'pending',
      reason: { code: 'NOT_MINED', message: 'the transaction is not mined' },
    }
  if (!receipt.succeeded) {
    const reason = { code: 'REVERTED', message: 'the transaction reverted: nothing was swapped' } as const
    return { ...emptyVerdict, outcome: 'reverted', reason, mined: minedFields(receipt) }
  }
  return new SwapReferee(receipt, ports, requestContext, options).judge()
}

const minedFields = ({ block, blockHash, index, from, to, gasUsed, gasPriceWei, costWei }: MinedReceipt) => {
  return { block, blockHash, index, from, to, gasUsed, gasPriceWei, costWei }
}

class SwapReferee {
  private readonly minedReceipt: MinedReceipt
  private readonly ports: RefereePorts
  private readonly requestContext: QuotingContext
  private readonly options: RequestOptions
  private readonly gaps: VerdictGap[] = []
  /** Transactions of the block that run before the judged transaction. */
  private earlierTransactions: MinedBlock['transactions'] = []

  constructor(
    minedReceipt: MinedReceipt,
    ports: RefereePorts,
    requestContext: QuotingContext,
    options: RequestOptions,
  ) {
    this.minedReceipt = minedReceipt
    this.ports = ports
    this.requestContext = requestContext
    this.options = options
  }

  async judge(): Promise<SwapVerdict> {
    const { minedReceipt: mined, options, requestContext, gaps } = this
    const { rpc } = this.ports
    const block = await requestContext.time('block', () => readBlock(rpc, mined, options))
    const resimulation = await requestContext.time('position', () => this.runInPosition(block))
    const flows = withoutGasDeposits(await this.readFlows(block, resimulation), mined.logs)
    const changes = this.correctChanges(changesOf(flows), resimulation)
    const tokensToSender = new Set(flows.flatMap(({ to, token }) => (to === mined.from ? [token] : [])))
    const reading = await this.readTradesOf(changes, block, tokensToSender)
    const verdict = { hash: mined.hash, mined: minedFields(mined), gaps }
    if (reading.kind !== 'swap') {
      const { kind, code, reason } = reading
      return { ...verdict, outcome: kind, reason: { code, message: reason }, trades: [], sandwich: null }
    }
    const [sandwich, trades] = await Promise.all([
      requestContext.time('neighbors', () => this.detectSandwich(changes, block)),
      this.compare(reading.trades, block, resimulation),
    ])
    return { ...verdict, outcome: 'swap', reason: null, trades, sandwich }
  }

  private addGap(code: GapCode, message: string): void {
    this.gaps.push({ code, message })
  }

  /**
   * Replaces amounts from the logs by measured balance changes, if the simulation has the same status and logs as the
   * mined transaction.
   */
  private correctChanges(changes: Changes, resimulation: ResimulationResult | undefined): Changes {
    if (resimulation?.isAsMined && resimulation.balances) return withBalances(changes, resimulation.balances)
    this.addGap(
      'BALANCES',
      'balances before and after it: the node cannot simulate it, so amounts are those of its logs',
    )
    return changes
  }

  private get wrappedNative(): Address | null {
    return this.ports.chain.wrappedNative?.address ?? null
  }

  /**
   * Simulates the transaction after all earlier transactions of its block. If the node refuses to simulate contract
   * creations, they are skipped.
   */
  private async runInPosition(block: MinedBlock): Promise<ResimulationResult | undefined> {
    const { index } = this.minedReceipt
    if (index > MAX_EARLIER_TRANSACTIONS) return undefined
    this.earlierTransactions = block.transactions.slice(0, index)
    const result = await this.runAfter(block, this.earlierTransactions)
    const calls = this.earlierTransactions.filter(({ to }) => to !== null)
    if (result || calls.length === index) return result
    this.earlierTransactions = calls
    const resultWithoutCreations = await this.runAfter(block, calls)
    if (resultWithoutCreations)
      this.addGap(
        'CREATIONS_SKIPPED',
        `what ${index - calls.length} creations of contracts before it did: the node does not simulate them`,
      )
    return resultWithoutCreations
  }

  private runAfter(
    block: MinedBlock,
    earlierTransactions: MinedBlock['transactions'],
  ): Promise<ResimulationResult | undefined> {
    return resimulate(this.ports.rpc, this.minedReceipt, block, {
      earlierTransactions: earlierTransactions,
      wrappedNative: this.wrappedNative,
      options: this.options,
    })
  }

  /**
   * Reads token transfers from the receipt's logs. Reads native transfers from the first available source: a trace, the
   * logs of a chain that logs native transfers, a simulation that ends like the receipt, or the sender's balances.
   */
  private async readFlows(
    { miner, transactions }: MinedBlock,
    resimulation: ResimulationResult | undefined,
  ): Promise<readonly TokenTransfer[]> {
    const { minedReceipt: mined, options, wrappedNative } = this
    const { rpc } = this.ports
    const tokenTransfers = tokenFlows(mined.logs, wrappedNative)
    const nativeTrace = await this.requestContext.time('trace', () => traceNative(rpc, mined.hash, options))
    const nativeTransfers = nativeTrace ?? recordedNativeFlows(mined.logs)
    if (nativeTransfers) return [...tokenTransfers, ...nativeTransfers]
    if (resimulation?.isAsMined)
      return [...tokenTransfers, ...resimulation.flows.filter(({ token }) => token === NATIVE)]
    const { from, block, costWei } = mined
    const isOnlyOfSender =
      transactions.filter((other) => other.from.toLowerCase() === from).length === 1 && from !== miner
    if (!isOnlyOfSender) {
      this.addGap(
        'NATIVE_MOVES',
        'moves of the native token: the node neither traces nor simulates, and the sender has more in this block',
      )
      return tokenTransfers
    }
    const [before, after] = await Promise.all([block - 1, block].map((number) => this.readBalance(from, number)))
    if (before === undefined || after === undefined) {
      this.addGap(
        'NATIVE_MOVES',
        'moves of the native token: the node neither traces nor simulates, and has no state of the block any more',
      )
      return tokenTransfers
    }
    this.addGap(
      'NATIVE_MOVES_OF_OTHERS',
      "moves of the native token between other accounts: the node does not trace, so the sender's balance is used",
    )
    const amount = after - before + costWei
    if (amount === 0n) return tokenTransfers
    const [giver, receiver] = amount < 0n ? [from, ZERO_ADDRESS] : [ZERO_ADDRESS, from]
    return [...tokenTransfers, { token: NATIVE, from: giver, to: receiver, amount: amount < 0n ? -amount : amount }]
  }

  /** Reads a native balance; undefined if the node has no state of the block. */
  private async readBalance(account: Address, block: number): Promise<bigint | undefined> {
    const params = [account, `0x${block.toString(16)}`]
    const text = await this.ports.rpc
      .request<Hex>('eth_getBalance', params, this.options)
      .catch(undefinedIfStateMissing)
    if (text === undefined) return undefined
    if (!/^0x[0-9a-fA-F]+$/.test(text)) throw new RpcError('BAD_ANSWER', 'eth_getBalance: not a number')
    return BigInt(text)
  }

  /** Reads codes at the transaction's block, or at the newest block if the node lacks the state of that block. */
  private async readCodes(accounts: readonly Address[]): Promise<readonly Hex[]> {
    const { rpc } = this.ports
    const codesAt = (block: number | 'latest') =>
      Promise.all(accounts.map((account) => rpc.getCode(account, block, this.options)))
    const codes = await codesAt(this.minedReceipt.block).catch(undefinedIfStateMissing)
    if (codes) return codes
    this.addGap(
      'CODE_AT_BLOCK',
      'which accounts had code then: the node has no state of the block any more, so the newest block is used',
    )
    return codesAt('latest')
  }

  private async readTradesOf(
    changes: Changes,
    { miner }: MinedBlock,
    tokensToSender: ReadonlySet<Address>,
  ): Promise<TradeReading> {
    const { from: sender, logs } = this.minedReceipt
    const context = { sender, miner, logs, tokensToSender, wrappedNative: this.wrappedNative }
    const senderGaveNothing = ![...(changes.get(sender)?.values() ?? [])].some((amount) => amount < 0n)
    const givers = [...changes].flatMap(([account, ownChanges]) =>
      [...ownChanges.values()].some((amount) => amount < 0n) && account !== sender ? [account] : [],
    )
    const candidates = senderGaveNothing ? givers.slice(0, MAX_ACCOUNTS) : []
    const codes = await this.readCodes(candidates)
    const externalAccounts = candidates.filter((_, k) => codes[k] === '0x' || codes[k]!.startsWith(DELEGATION))
    return readTrades(changes, { ...context, externalAccounts: new Set(externalAccounts) })
  }

  private async detectSandwich(ownChanges: Changes, block: MinedBlock): Promise<SandwichAttack | null> {
    const { minedReceipt: mined, options, wrappedNative } = this
    const neighbors = await readNeighbors(this.ports.rpc, mined, block, options).catch(
      (error: unknown): NeighborReceipts => {
        if (!(error instanceof RpcError) || error.code === 'ABORTED') throw error
        return { receipts: [], isComplete: false }
      },
    )
    const { receipts, isComplete } = neighbors
    if (!isComplete)
      this.addGap(
        'NEIGHBORS',
        receipts.length > 0
          ? `a sandwich by transactions that are not next to it: only ${receipts.length - 1} neighbors could be read`
          : 'a sandwich: its neighbors could not be read',
      )
    const changesIn = ({ logs }: MinedReceipt) => changesOf(tokenFlows(logs, wrappedNative))
    const succeededNeighbors = receipts
      .filter(({ succeeded }) => succeeded)
      .map((receipt) => ({ ...receipt, changes: changesIn(receipt) }))
    // Use the changes from the victim's logs, as for its neighbors. Fall back to `ownChanges`, which include native
    // transfers.
    const victim = succeededNeighbors.find(({ hash }) => hash === mined.hash) ?? { ...mined, changes: ownChanges }
    return findSandwich(victim, succeededNeighbors)
  }

  private async compare(
    trades: readonly AccountTrade[],
    block: MinedBlock,
    resimulation: ResimulationResult | undefined,
  ): Promise<readonly JudgedTrade[]> {
    const { minedReceipt: mined, requestContext } = this
    const { rpc } = this.ports
    if (trades.length > MAX_TRADES)
      this.addGap('MORE_TRADES', `all but ${MAX_TRADES} of its ${trades.length} trades, which are not judged`)
    const hasPositionState = mined.index === 0 || resimulation?.isAsMined === true
    if (!hasPositionState)
      this.addGap(
        'POSITION_STATE',
        `the state in its position, behind ${mined.index} transactions of the block: ${
          resimulation ? 'it ends otherwise when it is simulated there' : 'the node cannot simulate it there'
        }`,
      )
    const parentResult =
      mined.index === 0 ? resimulation : await requestContext.time('parent', () => this.runAfter(block, []))
    if (!parentResult)
      this.addGap(
        'OUTPUT_AT_PARENT',
        'what it would have paid at the end of the block before: the node cannot simulate it',
      )
    const earlierCalls = this.earlierTransactions.map(callOf)
    const { parent, environment } = block
    const positionRpc = mined.index > 0 && hasPositionState && midBlockRpc(rpc, { parent, earlierCalls, environment })
    const judgedTrades: JudgedTrade[] = []
    for (const trade of trades.slice(0, MAX_TRADES)) {
      const comparisons: TradeComparison[] = []
      const states = [
        ...(positionRpc ? [{ state: 'position', at: positionRpc } as const] : []),
        { state: mined.index === 0 ? 'position' : 'parent', at: rpc } as const,
      ]
      for (const { state, at: stateRpc } of states) {
        const comparison = await requestContext.time(state, () => this.compareAt(state, stateRpc, trade))
        if (comparison) comparisons.push(comparison)
      }
      judgedTrades.push({
        ...trade,
        paidAtParent: outputOf(parentResult, trade),
        ...netOutputField(trade, mined, comparisons),
        comparisons,
      })
    }
    return judgedTrades
  }

  private async compareAt(
    state: TradeComparison['state'],
    rpc: Rpc,
    trade: AccountTrade,
  ): Promise<TradeComparison | undefined> {
    const { minedReceipt: mined } = this
    const { tokenIn, tokenOut, amountIn } = trade
    const request = quoteRequest({
      ...{ tokenIn, tokenOut, amountIn, from: NEUTRAL_SENDER, gasPriceWei: mined.gasPriceWei },
      maxPriceImpactPpm: 1_000_000n,
    })
    try {
      return comparisonOf(
        state,
        trade,
        await this.ports.quoteWithRpc(rpc, mined.block - 1, request, this.requestContext),
        mined,
      )
    } catch (error) {
      const isNodeError = error instanceof RpcError && error.code !== 'ABORTED'
      if (!(error instanceof QuotingError) && !isNodeError) throw error
      const placeText = state === 'position' ? 'in its position' : 'at the end of the block before'
      this.addGap(isStateMissing(error) ? 'NO_STATE' : 'NO_QUOTE', `the best ${placeText}: ${error.message}`)
      return undefined
    }
  }
}

/** True if the node lacks a state that the quote needs; nodes report that in several ways. */
const isStateMissing = (error: QuotingError | RpcError) =>
  error instanceof RpcError ? error.mayDependOnBlock : error.code === 'NO_STATE'

/** Returns undefined if the node lacks the block or its state; throws any other error. */
function undefinedIfStateMissing(error: unknown): undefined {
  if (!(error instanceof RpcError) || !error.mayDependOnBlock) throw error
}

function comparisonOf(
  state: TradeComparison['state'],
  trade: Pick<AccountTrade, 'amountOut' | 'trader'>,
  quote: SwapQuote,
  minedReceipt: Pick<MinedReceipt, 'from' | 'costWei'>,
): TradeComparison {
  const { id, amountOut, netAmountOut, gasCostWei, poolsPending, route } = quote
  const paidGasOut = trade.trader === minedReceipt.from ? gasInOutput(minedReceipt.costWei, quote) : null
  const bound = route.optimalityGapBps === null ? null : boundOf(amountOut, route.optimalityGapBps)
  return {
    state,
    best: {
      id,
      amountOut,
      netAmountOut,
      gasCostWei,
      poolsPending,
      route,
      pools: route.legs.map(({ pool }) => pool.id),
    },
    bound,
    leftBps: bpsBelow(trade.amountOut, amountOut),
    leftAtMostBps: bound === null ? null : bpsBelow(trade.amountOut, bound),
    leftNetBps:
      paidGasOut === null || netAmountOut === null ? null : bpsBelow(trade.amountOut - paidGasOut, netAmountOut),
  }
}

function netOutputField(
  trade: AccountTrade,
  { from, costWei }: MinedReceipt,
  [firstComparison]: readonly TradeComparison[],
): Pick<JudgedTrade, 'netAmountOut'> {
  const gasOut = firstComparison && trade.trader === from ? gasInOutput(costWei, firstComparison.best) : null
  return { netAmountOut: gasOut === null ? null : trade.amountOut - gasOut }
}

/** Returns the output of the same trade in a simulation; null if the transaction failed there. */
function outputOf(resimulation: ResimulationResult | undefined, { recipient, tokenOut }: AccountTrade): bigint | null {
  if (!resimulation?.succeeded) return null
  const changes = withBalances(changesOf(resimulation.flows), resimulation.balances ?? [])
  const receivedAmount = changes.get(recipient)?.get(tokenOut) ?? 0n
  return receivedAmount > 0n ? receivedAmount : null
}
