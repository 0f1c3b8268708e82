/**
 * Webhook of a UniswapX quoter: parses quote requests, and answers them with quotes of a chain.
 *
 * @see README of Uniswap/uniswapx-parameterization-api, "Webhook Quoting Schema"
 */
import { type Address, NATIVE, PPM, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { NEUTRAL_SENDER, type QuoteRequest, quoteRequest, type SwapQuote } from '@sluice/quoting'
import { z } from 'zod'
import type { ChainQuotes } from './chain-router.ts'
import { readBody } from './read.ts'

const WAD = 10n ** 18n

const token = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, 'must be an address')
  .transform((text): Address => (text === ZERO_ADDRESS ? NATIVE : toAddress(text)))
const shortText = z.string().min(1).max(200)

const schema = z
  .object({
    tokenInChainId: z.number().int().positive(),
    tokenOutChainId: z.number().int().positive(),
    requestId: shortText,
    quoteId: shortText.optional(),
    tokenIn: token,
    tokenOut: token,
    amount: z
      .string()
      .regex(/^[1-9]\d{0,77}$/, 'must be a decimal integer above 0')
      .transform(BigInt)
      .refine((value) => value < 1n << 256n, 'must be below 2^256'),
    type: z.enum(['EXACT_INPUT', 'EXACT_OUTPUT']),
  })
  .refine(({ tokenInChainId, tokenOutChainId }) => tokenInChainId === tokenOutChainId, {
    path: ['tokenOutChainId'],
    message: 'must be the chain of tokenIn',
  })

export type WebhookRequest = z.output<typeof schema>

export type WebhookAnswer = {
  readonly chainId: number
  readonly requestId: string
  readonly quoteId?: string
  readonly tokenIn: string
  readonly amountIn: string
  readonly tokenOut: string
  readonly amountOut: string
  /** Contract that fills the order. */
  readonly filler: Address
}

/** Parses a webhook request. @throws BodyError for the first invalid field */
export const readWebhook = (body: unknown): WebhookRequest => readBody(schema, body)

/**
 * Quotes a swap after gas, because the filler pays the gas. The output is lower for an exact input, and the input is
 * higher for an exact output. Returns null if there is no quote within `timeoutMs`.
 */
export async function answerWebhook(
  request: WebhookRequest,
  chain: ChainQuotes,
  filler: Address,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<WebhookAnswer | null> {
  const { tokenIn, tokenOut, amount, type, tokenInChainId: chainId, requestId, quoteId } = request
  const isExactInput = type === 'EXACT_INPUT'
  const quoteParams: QuoteRequest = quoteRequest({
    ...{ tokenIn, tokenOut, from: NEUTRAL_SENDER, maxPriceImpactPpm: PPM, slippagePpm: 0n },
    ...(isExactInput ? { amountIn: amount } : { amountOut: amount }),
  })
  const webhookSignal = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  const deadlineReached = new Promise<null>((resolve) =>
    webhookSignal.addEventListener('abort', () => resolve(null), { once: true }),
  )
  const quote = await Promise.race([chain.quote(quoteParams, webhookSignal).catch(() => null), deadlineReached])
  const amounts = quote && afterGas(quote, isExactInput ? undefined : amount)
  if (!amounts) return null
  return {
    ...{ chainId, requestId, ...(quoteId !== undefined && { quoteId }) },
    ...{ tokenIn: toWebhookToken(tokenIn), amountIn: String(amounts.amountIn) },
    ...{ tokenOut: toWebhookToken(tokenOut), amountOut: String(amounts.amountOut), filler },
  }
}

const toWebhookToken = (token: Address) => (token === NATIVE ? ZERO_ADDRESS : token)

/** Returns the amounts after gas; null if gas exceeds the output or has no price in the output token. */
function afterGas({ route, amountOut, netAmountOut }: SwapQuote, exactOutput: bigint | undefined) {
  if (netAmountOut === null || netAmountOut <= 0n) return null
  if (exactOutput === undefined) return { amountIn: route.amountIn, amountOut: netAmountOut }
  // Raises the input in proportion to output / net output, rounded up.
  const inputFactorWad = (amountOut * WAD + netAmountOut - 1n) / netAmountOut
  return { amountIn: (route.amountIn * inputFactorWad + WAD - 1n) / WAD, amountOut: exactOutput }
}
