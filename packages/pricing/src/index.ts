export { EVIDENCE_FLOOR_USD, type PriceBook, Prices, type PricingOptions, priceTokens } from './book.ts'
export { type NoPrice, noPrice, type PriceDetail, type PriceSource } from './detail.ts'
export { type DepthPoint, IMPACT_LEVELS } from './impact.ts'
export { pricedAs } from './listed.ts'
