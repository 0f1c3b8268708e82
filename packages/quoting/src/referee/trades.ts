/** Reads the trades of a transaction from the balance changes of accounts. */
import { type Address, NATIVE } from '@sluice/chains'
import type { ReasonCode } from './codes.ts'
import type { Changes, FlowLog } from './flows.ts'
import { namedOwners } from './settlement.ts'

/** Amounts that an account gave and received, in base units. */
export type AccountTrade = {
  readonly trader: Address
  /** Account that received the output; usually the trader itself. */
  readonly recipient: Address
  readonly tokenIn: Address
  readonly tokenOut: Address
  /** Total that left the trader, including fees that other accounts took. */
  readonly amountIn: bigint
  /** Total that reached the recipient. */
  readonly amountOut: bigint
  /** Accounts that received some of either token and gave nothing: probably fees. */
  readonly fees: readonly { readonly account: Address; readonly token: Address; readonly amount: bigint }[]
}

/** A transaction without a swap that can be judged, with the reason. */
export type UnjudgedTransaction = {
  readonly kind: 'wrap' | 'transfer' | 'nothing' | 'several'
  readonly code: ReasonCode
  readonly reason: string
}

/** The trades of a transaction, or the reason why it has none. */
export type TradeReading = { readonly kind: 'swap'; readonly trades: readonly AccountTrade[] } | UnjudgedTransaction

export type TradeContext = {
  readonly sender: Address
  /** Block builder or miner, whom a sender may pay within the transaction. */
  readonly miner: Address
  readonly wrappedNative: Address | null
  /** Accounts without code, or with delegated code (EIP-7702): people rather than pools. */
  readonly externalAccounts: ReadonlySet<Address>
  readonly logs: readonly FlowLog[]
  /** Tokens that the sender received, even if it gave more of them. */
  readonly tokensToSender: ReadonlySet<Address>
}

/** The net changes of an account: `inputs` that it gave and `outputs` that it received, as [token, positive amount]. */
type Sides = {
  readonly inputs: readonly (readonly [Address, bigint])[]
  readonly outputs: readonly (readonly [Address, bigint])[]
}

const unjudgedTransaction = (
  kind: UnjudgedTransaction['kind'],
  code: ReasonCode,
  reason: string,
): UnjudgedTransaction => ({
  kind,
  code,
  reason,
})
const tokenListText = (side: Sides['inputs']) => `${side.length} tokens: ${side.map(([token]) => token).join(', ')}`

/** Reads the trades of a transaction from the changes of its accounts. */
export function readTrades(changes: Changes, context: TradeContext): TradeReading {
  const { sender, wrappedNative } = context
  const { inputs, outputs } = sidesOf(changes, sender)
  const [input] = inputs
  if (!input) return readOrders(changes, context)
  if (inputs.length > 1)
    return unjudgedTransaction('several', 'SEVERAL_INPUTS', `the sender gave ${tokenListText(inputs)}`)
  if (outputs.length > 1)
    return unjudgedTransaction('several', 'SEVERAL_OUTPUTS', `the sender received ${tokenListText(outputs)}`)
  const [tokenIn, amountIn] = input
  const senderTrade = outputs[0] && { recipient: sender, tokenOut: outputs[0][0], amountOut: outputs[0][1] }
  const output = senderTrade ?? outputOfOthers(changes, tokenIn, context)
  if ('kind' in output) return output
  if (wrappedNative && isWrap(tokenIn, output.tokenOut, wrappedNative))
    return unjudgedTransaction('wrap', 'WRAPPED', 'the native token was wrapped or unwrapped, at no price')
  const trade = { trader: sender, tokenIn, amountIn, ...output }
  return { kind: 'swap', trades: [{ ...trade, fees: feesOf(changes, trade, context) }] }
}

const isWrap = (tokenA: Address, tokenB: Address, wrappedNative: Address) =>
  (tokenA === NATIVE && tokenB === wrappedNative) || (tokenA === wrappedNative && tokenB === NATIVE)

function sidesOf(changes: Changes, account: Address): Sides {
  const ownChanges = [...(changes.get(account) ?? [])]
  return {
    inputs: ownChanges.flatMap(([token, amount]) => (amount < 0n ? [[token, -amount] as const] : [])),
    outputs: ownChanges.filter(([, amount]) => amount > 0n),
  }
}

/** Yields the amounts that accounts received without giving. Skips the miner and the wrapped native token's contract. */
function* receivedAmounts(changes: Changes, { miner, wrappedNative }: TradeContext) {
  for (const account of changes.keys()) {
    const { inputs, outputs } = sidesOf(changes, account)
    if (inputs.length === 0 && account !== miner && account !== wrappedNative)
      for (const [token, amount] of outputs) yield { account, token, amount }
  }
}

type Output = Pick<AccountTrade, 'recipient' | 'tokenOut' | 'amountOut'>

/**
 * Finds the output of a sender that received nothing. This is the largest amount of another token that an account
 * received, if accounts received only one other token.
 */
function outputOfOthers(changes: Changes, tokenIn: Address, context: TradeContext): Output | UnjudgedTransaction {
  const receiverChanges = [...receivedAmounts(changes, context)]
  const otherChanges = receiverChanges.filter(({ token }) => token !== tokenIn)
  const tokens = [...new Set(otherChanges.map(({ token }) => token))]
  if (tokens.length > 1)
    return unjudgedTransaction(
      'several',
      'SEVERAL_OUTPUTS_OF_OTHERS',
      `others received ${tokens.length} tokens: ${tokens.join(', ')}`,
    )
  const [largestChange] = otherChanges.toSorted((a, b) => (a.amount < b.amount ? 1 : -1))
  if (largestChange)
    return { recipient: largestChange.account, tokenOut: largestChange.token, amountOut: largestChange.amount }
  if (context.tokensToSender.has(tokenIn))
    return unjudgedTransaction(
      'nothing',
      'SAME_TOKEN',
      'the sender received the token that it gave, and nobody received another',
    )
  return receiverChanges.length > 0
    ? unjudgedTransaction('transfer', 'SENT', 'a token was sent and nothing came back')
    : unjudgedTransaction('nothing', 'NO_OUTPUT', 'the sender gave a token for which nobody received another one')
}

/**
 * Reads the trades of accounts other than the sender: orders that a solver executes, or operations that a relayer
 * sends.
 */
function readOrders(changes: Changes, context: TradeContext): TradeReading {
  const owners = new Set([...context.externalAccounts, ...namedOwners(context.logs)])
  const trades = [...owners].flatMap((trader): AccountTrade[] => {
    const { inputs, outputs } = sidesOf(changes, trader)
    if (inputs.length !== 1 || outputs.length !== 1) return []
    const [[tokenIn, amountIn], [tokenOut, amountOut]] = [inputs[0]!, outputs[0]!]
    return [{ trader, recipient: trader, tokenIn, amountIn, tokenOut, amountOut, fees: [] }]
  })
  if (trades.length > 0) return { kind: 'swap', trades }
  const gaveTokens = (account: Address) => sidesOf(changes, account).inputs.length > 0
  if ([...owners].some(gaveTokens))
    return unjudgedTransaction(
      'several',
      'NO_SINGLE_ORDER',
      'the sender gave nothing, and no other account gave one token for another',
    )
  return [...changes.keys()].some(gaveTokens)
    ? unjudgedTransaction(
        'nothing',
        'ONLY_CONTRACTS',
        'only contracts gave tokens, which cannot be distinguished from pools',
      )
    : unjudgedTransaction('nothing', 'NO_INPUT', 'nobody gave a token')
}

function feesOf(changes: Changes, trade: Omit<AccountTrade, 'fees'>, context: TradeContext): AccountTrade['fees'] {
  const { trader, recipient, tokenIn, tokenOut } = trade
  const { wrappedNative } = context
  // Some routers take their fee before they unwrap the output.
  const matchesToken = (token: Address, tradedToken: Address) =>
    token === tradedToken || (wrappedNative !== null && isWrap(token, tradedToken, wrappedNative))
  return [...receivedAmounts(changes, context)].filter(
    ({ account, token }) =>
      account !== trader && account !== recipient && (matchesToken(token, tokenIn) || matchesToken(token, tokenOut)),
  )
}
