export { HOSTILE_SHARE, type Market, makeMarket, type Strategy, snapshotAt, strategies } from './attacks.ts'
export { scoreOf } from './score.ts'
