/**
 * Determines why the service rejected trades, by experiments on the node: transfers of the tokens, trades of other
 * sizes, and trades after the balances of pools are raised.
 */
import { IERC20__factory } from '@sluice/bindings'
import { loadRegistry, NATIVE } from '@sluice/chains'
import { readState } from '@sluice/devnet'
import type { Trade } from '../lib/trades.ts'
import { fund, wallet } from '../lib/wallet.ts'
import { rounded } from '../record.ts'
import { type Outcome, requestQuote, type ServiceUnderTest, withRevert } from './trade.ts'

/** Descriptions of the reasons for the page. */
export const REASONS = {
  untransferable:
    'missing state: a plain transfer of one unit fails, of the output from all of its pools, or of the input from the wallet that the node funded',
  holdings:
    'missing state: pools hold less than their recorded ticks or reserves pay, which is impossible on chain; answered with larger balances',
  depth: 'lack of liquidity: answered with `maxPriceImpact=100`; the price impact is above the default limit of 15 %',
  drained:
    'lack of liquidity: a smaller trade is answered; this one crosses so many ticks that no transaction has enough gas',
  limit:
    'limit of the token: it refuses the plain transfer of the amount, by the wallet or from each of its pools, or a second one for a fee',
  unit: 'amount: less than one unit of the output; a larger trade is answered',
  fault: 'unexplained: assumed to be a fault of the service',
} as const
export type Reason = keyof typeof REASONS

/** Smaller trades divide the amount by these numbers, and larger trades multiply it by them. Ascending. */
const DIVISORS = [10n, 100n, 1_000n, 10_000n, 1_000_000n]
const erc20 = IERC20__factory.createInterface()
const { pools } = readState('ethereum')
const CHAIN_ID = 1
/** The wrapped native token. Its balances are not raised, because pools hold enough of it. */
const weth = loadRegistry().chain(CHAIN_ID)!.wrappedNative!.address.toLowerCase()
/**
 * Factor by which the balances of pools are raised, to test if a balance is too small. The balances of Uniswap V2 pairs
 * are set to their reserves instead, because a pair counts a surplus as input.
 */
const BALANCE_FACTOR = 1_000_000n
/** Selector of `getReserves()`. A pool that implements it is treated as a Uniswap V2 pair. */
const GET_RESERVES = '0x0902f1ac'
/** Maximum number of pools per trade whose balances are raised. */
const MAX_POOLS = 40

export type Refusal = Extract<Outcome, { readonly kind: 'refused' }>
export type ExplainedRefusal = {
  readonly trade: Trade
  readonly code: string
  readonly message: string
  readonly reason: Reason
}

export async function explainRefusal(
  service: ServiceUnderTest,
  trade: Trade,
  refusal: Refusal,
): Promise<ExplainedRefusal> {
  const { code, message } = refusal
  return { trade, code, message, reason: await reasonOf(service, trade, refusal) }
}

async function reasonOf(service: ServiceUnderTest, trade: Trade, { code, message }: Refusal): Promise<Reason> {
  if (code === 'AMOUNT_TOO_SMALL')
    return (await isAnyAmountAnswered(
      service,
      trade,
      DIVISORS.map((factor) => trade.amount * factor),
    ))
      ? 'unit'
      : 'fault'
  if (code === 'PRICE_IMPACT' || code === 'VALUE_LOSS') {
    const unlimitedAnswer = await requestQuote(service, trade, { maxPriceImpact: '100' })
    return 'code' in unlimitedAnswer ? reasonOf(service, trade, { kind: 'refused', ...unlimitedAnswer }) : 'depth'
  }
  if (trade.dst !== NATIVE && !(await canLeavePools(service, trade.dst, 1n))) return 'untransferable'
  if (trade.src !== NATIVE && !(await canLeaveWallet(service, trade, 1n))) return 'untransferable'
  if (trade.src !== NATIVE && !(await canLeaveWallet(service, trade, trade.amount))) return 'limit'
  if (trade.dst !== NATIVE && !(await canLeavePools(service, trade.dst, trade.sameUsdOut))) return 'limit'
  if (await isAnsweredWithFullPools(service, trade)) return 'holdings'
  // With an integrator fee, the output goes through the Guard. Tokens with a cooldown reject this second transfer.
  if (trade.hasFee && (await isAnyAmountAnswered(service, { ...trade, hasFee: false }, [trade.amount]))) return 'limit'
  const smallerAmounts = DIVISORS.map((divisor) => trade.amount / divisor).filter((amount) => amount > 0n)
  if (message.endsWith(OUT_OF_GAS) && (await isAnyAmountAnswered(service, trade, smallerAmounts))) return 'drained'
  return 'fault'
}

/** Message of the service if a route needs more gas than a transaction may have. */
const OUT_OF_GAS = 'it takes more gas than a transaction may'

async function isAnyAmountAnswered(
  service: ServiceUnderTest,
  trade: Trade,
  amounts: readonly bigint[],
): Promise<boolean> {
  for (const amount of amounts)
    if (!('code' in (await requestQuote(service, { ...trade, amount }, { maxPriceImpact: '100' })))) return true
  return false
}

const poolsOf = (token: string) =>
  pools.filter(({ tokens }) => tokens.some((tradedToken) => tradedToken === token)).map(({ address }) => address)

/**
 * Returns false if pools hold the token, but none of them can transfer it to the wallet. The tested amount is the given
 * one, or the pool's balance if that is smaller.
 */
async function canLeavePools(service: ServiceUnderTest, token: string, amount: bigint): Promise<boolean> {
  const holders = poolsOf(token)
  for (const from of holders) {
    const balance = await service.node.balance(token, from)
    if (balance > 0n && (await canTransfer(service, token, from, wallet, balance < amount ? balance : amount)))
      return true
  }
  return holders.length === 0
}

/** Returns false if the token has pools, but the wallet cannot transfer the amount to any of them. */
function canLeaveWallet(
  service: ServiceUnderTest,
  { src, amount: requestedAmount }: Trade,
  amount: bigint,
): Promise<boolean> {
  return withRevert(service.node, async () => {
    if (!(await fund(service.node, src, requestedAmount, service.guard))) return false
    const receivers = poolsOf(src)
    for (const to of receivers) if (await canTransfer(service, src, wallet, to, amount)) return true
    return receivers.length === 0
  })
}

async function canTransfer(
  { node }: ServiceUnderTest,
  token: string,
  from: string,
  to: string,
  amount: bigint,
): Promise<boolean> {
  const data = erc20.encodeFunctionData('transfer', [to, amount])
  return node.request('eth_call', [{ from, to: token, data }, 'latest']).then(
    () => true,
    () => false,
  )
}

/**
 * Returns true if the service finds a route after the balances of the pools of both tokens are raised to at least the
 * amounts that their ticks and reserves require.
 */
function isAnsweredWithFullPools(service: ServiceUnderTest, trade: Trade): Promise<boolean> {
  const { node } = service
  return withRevert(node, async () => {
    const tradedTokens = [trade.src, trade.dst].filter((token) => token !== NATIVE && token !== weth)
    const tradedPools = pools
      .filter(({ tokens }) => tokens.some((token) => tradedTokens.includes(token)))
      .slice(0, MAX_POOLS)
    for (const { address, tokens } of tradedPools) {
      const reserves = await reservesOf(node, address)
      for (const [side, token] of tokens.entries()) {
        const balance = await node.balance(token, address).catch(() => 0n)
        const fullBalance = reserves ? reserves[side]! : balance * BALANCE_FACTOR
        if (balance >= fullBalance && balance > 0n) continue
        await node.request('anvil_dealERC20', [address, token, `0x${fullBalance.toString(16)}`]).catch(() => undefined)
      }
    }
    const isFunded = await fund(node, trade.src, trade.amount, service.guard)
    const block = Number(await node.request<string>('eth_blockNumber', []))
    return (
      isFunded && !('code' in (await requestQuote(service, trade, { maxPriceImpact: '100', minimumBlock: `${block}` })))
    )
  })
}

/** Returns the reserves of a Uniswap V2 pair; undefined for other pools. */
async function reservesOf(
  node: ServiceUnderTest['node'],
  pool: string,
): Promise<readonly [bigint, bigint] | undefined> {
  const answer = await node.request<string>('eth_call', [{ to: pool, data: GET_RESERVES }, 'latest']).catch(() => '0x')
  if (answer.length < 130) return undefined
  return [BigInt(answer.slice(0, 66)), BigInt(`0x${answer.slice(66, 130)}`)]
}

export type RefusalSummary = ReturnType<typeof summarizeRefusals>

export function summarizeRefusals(trades: number, unfunded: number, refusals: readonly ExplainedRefusal[]) {
  const fundedCount = trades - unfunded
  const answeredCount = fundedCount - refusals.length
  // No service could quote these trades: the state lacks storage or liquidity, or a token restricts transfers.
  const missingStateCount = countOf(refusals, ['untransferable', 'holdings'])
  const illiquidCount = countOf(refusals, ['depth', 'drained'])
  const tokenLimitCount = countOf(refusals, ['limit', 'unit'])
  return {
    ...{ trades, unfunded, answered: answeredCount },
    answeredPercent: percent(answeredCount, fundedCount),
    answeredPercentOfKnownState: percent(answeredCount, fundedCount - missingStateCount),
    /** Percentage of quoted trades among those that the state, the liquidity, and the tokens allow. */
    answeredPercentOfPossible: percent(
      answeredCount,
      fundedCount - missingStateCount - illiquidCount - tokenLimitCount,
    ),
    routedPercent: percent(answeredCount + countOf(refusals, ['depth']), fundedCount),
    refused: refusalTable(refusals),
    faults: refusals
      .filter(({ reason }) => reason === 'fault')
      .map(({ code, message, trade: { src, dst, usd } }) => ({ code, message, src, dst, usd })),
  }
}

const countOf = (refusals: readonly ExplainedRefusal[], reasons: readonly Reason[]) =>
  refusals.filter(({ reason }) => reasons.includes(reason)).length

const percent = (part: number, whole: number) => rounded((part / whole) * 100)

/** Returns the rejections by code and reason, most frequent first. */
function refusalTable(refusals: readonly ExplainedRefusal[]) {
  const rows = new Map<string, { code: string; reason: Reason; trades: number; tokens: Map<string, number> }>()
  for (const { code, reason, trade } of refusals) {
    const row = rows.get(`${code} ${reason}`) ?? { code, reason, trades: 0, tokens: new Map() }
    rows.set(`${code} ${reason}`, row)
    row.trades++
    for (const token of [trade.src, trade.dst]) row.tokens.set(token, (row.tokens.get(token) ?? 0) + 1)
  }
  return [...rows.values()]
    .sort((a, b) => b.trades - a.trades)
    .map(({ tokens, ...row }) => ({ ...row, tokens: byFrequency(tokens) }))
}

function byFrequency(tokens: ReadonlyMap<string, number>): readonly string[] {
  return [...tokens]
    .sort(([, a], [, b]) => b - a)
    .slice(0, 3)
    .map(([token]) => token)
}
