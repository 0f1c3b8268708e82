/** Public interface of the package: token prices in USD, computed from pools. */
export { type PriceBook, Prices, type PricingOptions, priceTokens } from './book.ts'
export { type NoPrice, noPrice, type PriceDetail, type PriceSource } from './detail.ts'
export type { DepthPoint } from './impact.ts'
export { pricedTokenOf } from './listed-tokens.ts'
