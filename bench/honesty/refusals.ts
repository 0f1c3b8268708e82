/** Reasons of refusals, found without the service's own words where the node can say: by transfers alone, and by other sizes. */
import { IERC20__factory } from '@sluice/bindings'
import { NATIVE } from '@sluice/chains'
import { readState } from '@sluice/devnet'
import { rounded } from '../record.ts'
import type { Trade } from './draw.ts'
import { ask, type Outcome, type Place } from './trade.ts'
import { wallet } from './wallet.ts'

/** By reason, what the page says of it. */
export const REASONS = {
  untransferable:
    'missing state: the token refuses a transfer of one unit out of each of its pools, by limits that were not recorded',
  ticks:
    'missing state: a smaller trade is answered; a concentrated pool holds less than its recorded ticks pay, which no pool on chain does',
  depth: 'lack of liquidity: answered with `maxPriceImpact=100`; the price impact is above the default limit of 15 %',
  limit: 'limit of the token: a smaller trade is answered, or the token refuses the bare transfer of the amount',
  unit: 'amount: less than one unit of the output; a larger trade is answered',
  fault: 'not explained: a fault of the service until shown otherwise',
} as const
export type Reason = keyof typeof REASONS

/** Parts of the amount that are tried, larger ones first. */
const PARTS = [10n, 100n, 1_000n, 10_000n, 1_000_000n]
const erc20 = IERC20__factory.createInterface()
const { pools } = readState('ethereum')

export type Refusal = Extract<Outcome, { readonly kind: 'refused' }>
export type ExplainedRefusal = {
  readonly trade: Trade
  readonly code: string
  readonly message: string
  readonly reason: Reason
}

export async function explainRefusal(place: Place, trade: Trade, refusal: Refusal): Promise<ExplainedRefusal> {
  const { code, message } = refusal
  return { trade, code, message, reason: await reasonOf(place, trade, refusal) }
}

async function reasonOf(place: Place, trade: Trade, { code, message }: Refusal): Promise<Reason> {
  if (code === 'AMOUNT_TOO_SMALL')
    return (await isAnswered(
      place,
      trade,
      PARTS.map((part) => trade.amount * part),
    ))
      ? 'unit'
      : 'fault'
  if (code === 'PRICE_IMPACT' || code === 'VALUE_LOSS') {
    const unlimited = await ask(place, trade, { maxPriceImpact: '100' })
    return 'code' in unlimited ? reasonOf(place, trade, { kind: 'refused', ...unlimited }) : 'depth'
  }
  for (const token of [trade.src, trade.dst])
    if (token !== NATIVE && !(await isTransferable(place, token))) return 'untransferable'
  const smaller = PARTS.map((part) => trade.amount / part).filter((amount) => amount > 0n)
  // Uniswap V3's word for a transfer that fails.
  if (await isAnswered(place, trade, smaller)) return message.endsWith(': TF') ? 'ticks' : 'limit'
  return trade.src === NATIVE || (await isTransferable(place, trade.src, trade.amount)) ? 'fault' : 'limit'
}

async function isAnswered(place: Place, trade: Trade, amounts: readonly bigint[]): Promise<boolean> {
  for (const amount of amounts)
    if (!('code' in (await ask(place, { ...trade, amount }, { maxPriceImpact: '100' })))) return true
  return false
}

/** False when pools have the token, and it lets none of them send the amount, or all that the pool has, to the wallet. */
async function isTransferable({ node }: Place, token: string, amount = 1n): Promise<boolean> {
  const holders = pools.filter(({ tokens }) => tokens.some((one) => one === token)).map(({ address }) => address)
  for (const from of holders) {
    const held = await node.balance(token, from)
    const data = erc20.encodeFunctionData('transfer', [wallet, held < amount ? held : amount])
    const call = node.request('eth_call', [{ from, to: token, data }, 'latest'])
    const isAllowed = await call.then(
      () => true,
      () => false,
    )
    if (held > 0n && isAllowed) return true
  }
  return holders.length === 0
}

export type RefusalSummary = ReturnType<typeof refusalSummary>

export function refusalSummary(trades: number, unfunded: number, refusals: readonly ExplainedRefusal[]) {
  const funded = trades - unfunded
  const answered = funded - refusals.length
  // What no service can answer from this state.
  const stateless = refusals.filter(({ reason }) => reason === 'untransferable' || reason === 'ticks').length
  return {
    ...{ trades, unfunded, answered },
    answeredPercent: percent(answered, funded),
    answeredPercentOfKnownState: percent(answered, funded - stateless),
    routedPercent: percent(answered + refusals.filter(({ reason }) => reason === 'depth').length, funded),
    refused: refusalTable(refusals),
    faults: refusals
      .filter(({ reason }) => reason === 'fault')
      .map(({ code, message, trade: { src, dst, usd } }) => ({ code, message, src, dst, usd })),
  }
}

const percent = (part: number, whole: number) => rounded((part / whole) * 100)

/** Refusals by code and reason, the most frequent first. */
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
    .map(({ tokens, ...row }) => ({ ...row, tokens: mostFrequent(tokens) }))
}

function mostFrequent(tokens: ReadonlyMap<string, number>): readonly string[] {
  return [...tokens]
    .sort(([, a], [, b]) => b - a)
    .slice(0, 3)
    .map(([token]) => token)
}
