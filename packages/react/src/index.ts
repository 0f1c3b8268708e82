/** Public interface of the package: React hooks for quotes, swaps, and tokens of a Sluice service. */
export { SluiceProvider, useSluice } from './context.ts'
export { type QuoteOf, quoteOptions, useQuote } from './use-quote.ts'
export { type QuoteStream, type QuoteStreamOptions, useQuoteStream } from './use-quote-stream.ts'
export { type SwapOrder, type SwapQuestion, type SwapRun, type UseSwap, useSwap } from './use-swap.ts'
export { tokenListOptions, useTokenList } from './use-token-list.ts'
