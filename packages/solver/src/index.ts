/** Public interface of the package: solves CoW Protocol auctions, and quotes for UniswapX. */
export { readAuction } from './auction.ts'
export { type ChainQuotes, ChainRouter } from './chain-router.ts'
export { NETWORKS } from './networks.ts'
export { notificationKind } from './notification.ts'
export { BodyError } from './read.ts'
export type { Solution } from './solution.ts'
export { solve } from './solve.ts'
export { answerWebhook, readWebhook } from './uniswapx.ts'
