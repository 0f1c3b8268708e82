/** Public interface of the package: pools, their families, and the market that follows them. */
export { balancerV2InputFor } from './dexes/balancer-v2/math.ts'
export type { BalancerV2State } from './dexes/balancer-v2/types.ts'
export {
  EMPTIED_REFUND,
  GAS_TABLE,
  type GasPart,
  type GasRow,
  gasRow,
  HOP_GAS,
  hasExpensiveTransfers as isExpensive,
  partGas,
  ROUTE_GAS,
  tokenGas,
} from './dexes/common/gas.ts'
export { exactIdOf, twinIdOf } from './dexes/common/twin-id.ts'
export type { CurveStableState } from './dexes/curve-stable/types.ts'
export { families, familyOf, WRAPPER_FAMILY } from './dexes/index.ts'
export type { UniswapV2State } from './dexes/uniswap-v2/types.ts'
export {
  encodeDifference,
  encodeEntry,
  encodeEntryBetween,
  fieldsOfWholePool,
} from './entry/codec.ts'
export { entriesBetween, type Mark, markOf, rememberEntry } from './entry/entry-cache.ts'
export { type DecodedEntry, FieldCollector, readEntry } from './entry/fields.ts'
export { MarketError, type MarketErrorCode } from './errors.ts'
export * from './family.ts'
export { exportPools } from './market/export-pools.ts'
export type { MarketLimits } from './market/limits.ts'
export { createMarket, type IndexedMarket, type MarketOptions } from './market/market.ts'
export { type PairScope, pairKeysOf, pairScopeOf } from './market/pairs.ts'
export type { PoolListImportCount } from './market/pool-list-import.ts'
export { type PoolEntry, rowsOf, servedRows } from './market/pool-reader.ts'
export { runReads } from './market/reads.ts'
export type { SaveOptions, StoreOpener } from './market/saver.ts'
export { TokenFacts } from './market/token-facts.ts'
export type { ConcentratedState as UniswapV3State, Tick } from './math/concentrated.ts'
export { emptyCurve } from './math/curves.ts'
export { outlineOfCurves, outputDownTo } from './math/outline.ts'
export { marginalValues, sumsOf, swapOn, type TradingFunction } from './math/trading-function.ts'
export {
  type ListedDeployment,
  type PoolList,
  readPoolList,
  writePoolList,
} from './pool-list/pool-list.ts'
export { type PoolChanges, PoolMap, poolChangeSteps, poolChanges } from './pool-map.ts'
export type { RedeemedPart, Redemption, RedemptionKind } from './redemption/read.ts'
export { RedemptionCache, type RedemptionSource } from './redemption/redemptions.ts'
export type * from './snapshot.ts'
export { type SavedFacts, STATE_FORMAT, type StoredPool } from './store/database.ts'
export { copySnapshot, loadSnapshot } from './store/file.ts'
export type { SavedBatch } from './store/messages.ts'
export { type FoundRecord, findRecord } from './store/record-database.ts'
export { RecordFile } from './store/record-file.ts'
export type { SaveCommand, Store } from './store/store.ts'
export { fromText, toText } from './store/text.ts'
export { TrustLedger } from './trust/ledger.ts'
export { namedTokens } from './trust/named-tokens.ts'
export type { TokenStanding, TrustTerms } from './trust/record.ts'
export { isTrustedPool, namedTrust, type Trust, type TrustLevel } from './trust/trust.ts'
