/** Converts errors to messages for users: the cause, the remedy, and in small type the error code and request id. */
import { ClientError } from '@sluice/client'

/** Maximum price impact of a route unless the request sets another, in percent. The service has the same default. */
export const DEFAULT_MAX_IMPACT = '15'

export type ErrorText = { readonly title: string; readonly text: string; readonly smallText: string }

const textByCode: Readonly<Record<string, readonly [title: string, text: string]>> = {
  NO_ROUTE: ['No route.', 'No path of pools joins these two tokens.'],
  AMOUNT_TOO_SMALL: ['Too little.', 'The amount buys less than the smallest unit of the token.'],
  VALUE_LOSS: ['You would receive far less than you pay, by today’s prices.', 'A pool may be manipulated.'],
  ROUTE_REVERTED: ['Every route was tried on the chain and reverted.', 'The token may not be sellable.'],
  UNKNOWN_TOKEN: ['No pool of this chain trades this address.', 'Check the chain.'],
  GUARD_NOT_DEPLOYED: ['Not deployed on this chain yet.', 'Anyone can deploy the contracts.'],
  RPC_FAILED: ['The node of this chain does not answer.', 'Figures shown are from an earlier block.'],
  NODE_PAUSED: ['The node of this chain refuses requests for a while.', 'Try again in a minute.'],
  TIMEOUT: ['This took longer than the service allows.', 'Try again.'],
  ROUTE_TIMEOUT: ['The search took longer than the service allows.', 'Try another amount.'],
  UNSUPPORTED_CHAIN: ['Unsupported chain.', 'Choose another.'],
}

const WALLET_ERROR = 'Your wallet reported an error.'

/** Error code of the service for an invalid parameter. A retry cannot succeed. */
const INVALID_ORDER = 'INVALID_PARAMETER'

/** Returns true if only a changed order can be quoted. */
export function isInvalidOrder(error: unknown): boolean {
  return error instanceof ClientError && error.details.serviceCode === INVALID_ORDER
}

/** Returns the message of any thrown value. Wallets also throw text, numbers, and objects without a message. */
export function messageOf(error: unknown): string {
  const { message, code } = Object(error) as { readonly message?: unknown; readonly code?: unknown }
  const text = message ?? (typeof error === 'object' ? (code === undefined ? '' : `Error code ${code}.`) : error)
  return String(text ?? '') || 'The reason is unknown.'
}

/**
 * Returns the title and the text of an error.
 *
 * @param maxImpact - requested limit of price impact, in percent
 */
export function errorTextOf(error: unknown, maxImpact = DEFAULT_MAX_IMPACT): ErrorText {
  if (!(error instanceof ClientError))
    return {
      // Errors of wallets and nodes have a numeric code; errors of the page do not.
      title: typeof (error as { code?: unknown } | null)?.code === 'number' ? WALLET_ERROR : 'Something broke.',
      ...{ text: toSentence(messageOf(error)), smallText: '' },
    }
  const { serviceCode, requestId, retryAfter, status } = error.details
  const smallText = [serviceCode ?? error.code, requestId && `request ${requestId.slice(0, 8)}`]
    .filter(Boolean)
    .join(' · ')
  const retryText = retryAfter === undefined ? 'Try again.' : `Next try in ${retryAfter} s.`
  if (error.code === 'NETWORK') {
    const title = navigator.onLine ? 'The service does not answer.' : 'No connection.'
    return { title, text: 'Check your connection, then try again.', smallText }
  }
  if (error.code === 'UNSAFE')
    return {
      title: 'Do not sign: the transaction differs from what you asked for.',
      text: textAfterColon(error.message),
      smallText,
    }
  if (error.code === 'REVERTED') return { title: 'Reverted.', text: 'You paid gas, nothing else.', smallText }
  if (error.code === 'WALLET') return { title: WALLET_ERROR, text: toSentence(error.message), smallText }
  if (error.code === 'STALE') return { title: 'The price kept changing.', text: 'Try again.', smallText }
  if (serviceCode === 'PRICE_IMPACT') {
    const { priceImpact } = error.details.body ?? {}
    const excess = typeof priceImpact === 'number' ? `by ${percentText(priceImpact)} %` : 'too far'
    return {
      title: `This order would move the price ${excess}.`,
      text: `Your limit is ${maxImpact} %. Use less, or raise it in the settings.`,
      smallText,
    }
  }
  if (serviceCode === 'INSUFFICIENT_LIQUIDITY') {
    const text = `The pools cannot take so much within your limit of ${maxImpact} % price impact.`
    return { title: 'No route for this amount.', text, smallText }
  }
  if (serviceCode === 'OVERLOADED') return { title: 'Too many requests at once.', text: retryText, smallText }
  if (serviceCode === 'BEHIND' || serviceCode === 'NOT_READY')
    return { title: 'This chain is waking up.', text: retryText, smallText }
  if (serviceCode === INVALID_ORDER)
    return { title: 'The service cannot accept this order.', text: toSentence(error.message), smallText }
  const text = textByCode[serviceCode ?? error.code]
  if (text) return { title: text[0], text: text[1], smallText }
  return {
    title: status === undefined ? 'Something went wrong.' : `The service returned an error (${status}).`,
    text: toSentence(error.message),
    smallText,
  }
}

/** Returns the text after the first colon. The text before the colon names the kind of error. */
const textAfterColon = (text: string): string => toSentence(text.slice(text.indexOf(':') + 1).trim())

function toSentence(text: string): string {
  const capitalized = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?]$/.test(capitalized) ? capitalized : `${capitalized}.`
}

/** Reason why the service excluded a pool or a family. */
export type Exclusion = { readonly pool?: string; readonly family?: string; readonly reason: string }

/** Details of a response without a route. */
export type Refusal = {
  /** Largest amount with a route, in base units. */
  readonly maxRoutableAmount?: bigint
  readonly reasons: readonly Exclusion[]
  readonly block?: number
}

/** Returns the details of an error that means that there is no route; null for other errors. */
export function refusalOf(error: unknown): Refusal | null {
  if (!(error instanceof ClientError) || error.code !== 'NO_ROUTE') return null
  const { maxRoutableAmount, reasons, block } = error.details.body ?? {}
  return {
    ...(typeof maxRoutableAmount === 'string' &&
      /^\d+$/.test(maxRoutableAmount) && { maxRoutableAmount: BigInt(maxRoutableAmount) }),
    ...(typeof block === 'number' && { block }),
    reasons: Array.isArray(reasons) ? (reasons as Exclusion[]) : [],
  }
}

/** Returns the price impact of a route that the service refused, in percent. */
export function impactOf(error: unknown): number | undefined {
  const impact = error instanceof ClientError ? error.details.body?.priceImpact : undefined
  return typeof impact === 'number' ? impact : undefined
}

/** True if a smaller amount could succeed. */
export function isAboutSize(error: unknown): boolean {
  const code = error instanceof ClientError ? error.details.serviceCode : undefined
  return code === 'PRICE_IMPACT' || code === 'VALUE_LOSS' || code === 'INSUFFICIENT_LIQUIDITY'
}

/** Formats a percentage with two decimals, rounded down: 99.998 must not read as 100. */
const percentText = (percent: number): string => (Math.floor(percent * 100) / 100).toFixed(2)
