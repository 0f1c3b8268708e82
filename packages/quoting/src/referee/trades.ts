/** The trades of a transaction, by what its accounts have more or less of afterwards. */
import { type Address, NATIVE } from '@sluice/chains'
import type { Changes, FlowLog } from './flows.ts'
import { namedOwners } from './settlement.ts'

/** Amounts that somebody gave and received, base units. */
export type Trade = {
  readonly trader: Address
  /** Account that the output went to: mostly the trader's own. */
  readonly recipient: Address
  readonly tokenIn: Address
  readonly tokenOut: Address
  /** All that left the trader, the fees that others took of it included. */
  readonly amountIn: bigint
  /** All that reached the recipient. */
  readonly amountOut: bigint
  /** Accounts that received some of either token and gave nothing: fees, as far as can be told. */
  readonly fees: readonly { readonly account: Address; readonly token: Address; readonly amount: bigint }[]
}

export type Reading =
  | { readonly kind: 'swap'; readonly trades: readonly Trade[] }
  /** The native token for its wrapper, or back: there is nothing to judge. */
  | { readonly kind: 'wrap' }
  | { readonly kind: 'transfer' | 'nothing' | 'several'; readonly reason: string }

export type TradeContext = {
  readonly sender: Address
  /** Author of the block, who is paid by senders as well. */
  readonly miner: Address
  readonly wrapper: Address | null
  /** Accounts without code, or with code by delegation (EIP-7702): people rather than pools. */
  readonly people: ReadonlySet<Address>
  readonly logs: readonly FlowLog[]
}

type Sides = {
  readonly given: readonly (readonly [Address, bigint])[]
  readonly got: readonly (readonly [Address, bigint])[]
}

export function readTrades(changes: Changes, context: TradeContext): Reading {
  const { sender, wrapper } = context
  const { given, got } = sidesOf(changes, sender)
  if (given.length === 0) return relayed(changes, context)
  if (given.length > 1) {
    return {
      kind: 'several',
      reason: `the sender gave ${given.length} tokens: ${given.map(([token]) => token).join(', ')}`,
    }
  }
  const [[tokenIn, amountIn]] = given as [[Address, bigint]]
  if (got.length > 1) {
    return {
      kind: 'several',
      reason: `the sender received ${got.length} tokens: ${got.map(([token]) => token).join(', ')}`,
    }
  }
  const own = got[0] && { recipient: sender, tokenOut: got[0][0], amountOut: got[0][1] }
  const output = own ?? receiverOf(changes, tokenIn, context)
  if ('kind' in output) return output
  if (wrapper && isWrap(tokenIn, output.tokenOut, wrapper)) return { kind: 'wrap' }
  const trade = { trader: sender, tokenIn, amountIn, ...output }
  return { kind: 'swap', trades: [{ ...trade, fees: feesOf(changes, trade, context) }] }
}

const isWrap = (one: Address, other: Address, wrapper: Address) =>
  (one === NATIVE && other === wrapper) || (one === wrapper && other === NATIVE)

function sidesOf(changes: Changes, account: Address): Sides {
  const own = [...(changes.get(account) ?? [])]
  return {
    given: own.flatMap(([token, amount]) => (amount < 0n ? [[token, -amount] as const] : [])),
    got: own.filter(([, amount]) => amount > 0n),
  }
}

/** Accounts that gave nothing, with what they received. */
function* receivers(changes: Changes, { miner, wrapper }: TradeContext) {
  for (const account of changes.keys()) {
    const { given, got } = sidesOf(changes, account)
    if (given.length === 0 && account !== miner && account !== wrapper)
      for (const [token, amount] of got) yield { account, token, amount }
  }
}

type Output = Pick<Trade, 'recipient' | 'tokenOut' | 'amountOut'>

/** The account that received the output in place of the sender: of those that received most of the only token that came out. */
function receiverOf(
  changes: Changes,
  tokenIn: Address,
  context: TradeContext,
): Output | Exclude<Reading, { kind: 'swap' }> {
  const all = [...receivers(changes, context)]
  const others = all.filter(({ token }) => token !== tokenIn)
  const tokens = [...new Set(others.map(({ token }) => token))]
  if (tokens.length > 1)
    return { kind: 'several', reason: `others received ${tokens.length} tokens: ${tokens.join(', ')}` }
  const [first] = others.toSorted((a, b) => (a.amount < b.amount ? 1 : -1))
  if (first) return { recipient: first.account, tokenOut: first.token, amountOut: first.amount }
  return all.length > 0
    ? { kind: 'transfer', reason: 'a token was sent and nothing came back' }
    : { kind: 'nothing', reason: 'the sender gave a token for which nobody received another one' }
}

/** Trades of those who did not send the transaction: orders that a solver settles, or operations that a relayer sends. */
function relayed(changes: Changes, context: TradeContext): Reading {
  const owners = new Set([...context.people, ...namedOwners(context.logs)])
  const trades = [...owners].flatMap((trader): Trade[] => {
    const { given, got } = sidesOf(changes, trader)
    if (given.length !== 1 || got.length !== 1) return []
    const [[tokenIn, amountIn], [tokenOut, amountOut]] = [given[0]!, got[0]!]
    return [{ trader, recipient: trader, tokenIn, amountIn, tokenOut, amountOut, fees: [] }]
  })
  if (trades.length > 0) return { kind: 'swap', trades }
  const gaveOnly = [...owners].filter((account) => sidesOf(changes, account).given.length > 0)
  if (gaveOnly.length > 0)
    return { kind: 'several', reason: 'the sender gave nothing, and no other account gave one token for another' }
  const isByContracts = [...changes.keys()].some((account) => sidesOf(changes, account).given.length > 0)
  return {
    kind: 'nothing',
    reason: isByContracts ? 'only contracts gave tokens, which are not told apart from pools' : 'nobody gave a token',
  }
}

function feesOf(changes: Changes, trade: Omit<Trade, 'fees'>, context: TradeContext): Trade['fees'] {
  const { trader, recipient, tokenIn, tokenOut } = trade
  return [...receivers(changes, context)].filter(
    ({ account, token }) => account !== trader && account !== recipient && (token === tokenIn || token === tokenOut),
  )
}
