/** Swap events of DEXes. */
import { type Address, type Hex, toAddress } from '@sluice/chains'
import type { FlowLog } from '@sluice/quoting'
import { id } from 'ethers'

/** A swap that a log reports. */
export type ReportedSwap = {
  /** Name of the kind of DEX that emits the event. */
  readonly kind: string
  /** Pool id if the contract holds many pools, else the address of the contract. */
  readonly pool: string
  /** True if the contract holds many pools. Its token transfers then cannot be attributed to one pool. */
  readonly isShared: boolean
  /** Fee that the event reports, in ppm; null if it reports none. */
  readonly feePpm: number | null
}

type SwapEvent = {
  readonly kind: string
  readonly signature: string
  /** Reads the pool from a log, for contracts that hold many pools. */
  readonly poolOf?: (log: FlowLog) => string
  /** Index of the data word with the fee in ppm. */
  readonly feeWordIndex?: number
}

const poolIdOf = ({ topics }: FlowLog): string => topics[1]!
const poolAddressOf = ({ topics }: FlowLog): Address => toAddress(`0x${topics[1]!.slice(-40)}`)

const EVENTS: readonly SwapEvent[] = [
  { kind: 'Uniswap V2', signature: 'Swap(address,uint256,uint256,uint256,uint256,address)' },
  { kind: 'Velodrome V2', signature: 'Swap(address,address,uint256,uint256,uint256,uint256)' },
  { kind: 'Uniswap V3', signature: 'Swap(address,address,int256,int256,uint160,uint128,int24)' },
  { kind: 'PancakeSwap V3', signature: 'Swap(address,address,int256,int256,uint160,uint128,int24,uint128,uint128)' },
  { kind: 'Algebra', signature: 'Swap(address,address,int256,int256,uint160,uint128,int24,uint24,uint24)' },
  {
    kind: 'Uniswap V4',
    signature: 'Swap(bytes32,address,int128,int128,uint160,uint128,int24,uint24)',
    poolOf: poolIdOf,
    feeWordIndex: 5,
  },
  {
    kind: 'PancakeSwap Infinity',
    signature: 'Swap(bytes32,address,int128,int128,uint160,uint128,int24,uint24,uint16)',
    poolOf: poolIdOf,
  },
  {
    kind: 'PancakeSwap Infinity',
    signature: 'Swap(bytes32,address,int128,int128,uint24,uint24,uint16)',
    poolOf: poolIdOf,
  },
  { kind: 'Curve', signature: 'TokenExchange(address,int128,uint256,int128,uint256)' },
  { kind: 'Curve', signature: 'TokenExchangeUnderlying(address,int128,uint256,int128,uint256)' },
  { kind: 'Curve', signature: 'TokenExchange(address,uint256,uint256,uint256,uint256)' },
  { kind: 'Curve', signature: 'TokenExchange(address,uint256,uint256,uint256,uint256,uint256,uint256)' },
  { kind: 'Saddle', signature: 'TokenSwap(address,uint256,uint256,uint128,uint128)' },
  { kind: 'Balancer V1', signature: 'LOG_SWAP(address,address,address,uint256,uint256)' },
  { kind: 'Balancer V2', signature: 'Swap(bytes32,address,address,uint256,uint256)', poolOf: poolIdOf },
  {
    kind: 'Balancer V3',
    signature: 'Swap(address,address,address,uint256,uint256,uint256,uint256)',
    poolOf: poolAddressOf,
  },
  { kind: 'Liquidity Book', signature: 'Swap(address,address,uint24,bytes32,bytes32,uint24,bytes32,bytes32)' },
  { kind: 'Liquidity Book 2.0', signature: 'Swap(address,address,uint256,bool,uint256,uint256,uint256,uint256)' },
  { kind: 'DODO', signature: 'DODOSwap(address,address,uint256,uint256,address,address)' },
  { kind: 'Maverick V2', signature: 'PoolSwap(address,address,(uint256,bool,bool,int32),uint256,uint256)' },
  { kind: 'Fluid', signature: 'Swap(bool,uint256,uint256,address)' },
  { kind: 'WOOFi', signature: 'WooSwap(address,address,uint256,uint256,address,address,address,uint256,uint256)' },
  { kind: 'iZiSwap', signature: 'Swap(address,address,uint24,bool,uint256,uint256,int24)' },
  {
    kind: 'EulerSwap',
    signature: 'Swap(address,uint256,uint256,uint256,uint256,uint112,uint112,address)',
  },
  { kind: 'Ambient', signature: 'CrocHotCmd(bytes,int128,int128)' },
  { kind: 'Velocore', signature: 'Swap(address,address,bytes32[],int128[])', poolOf: poolAddressOf },
  { kind: 'Wombat', signature: 'Swap(address,address,address,uint256,uint256,address)' },
  {
    kind: 'Bancor V3',
    signature: 'TokensTraded(bytes32,address,address,uint256,uint256,uint256,uint256,uint256,address)',
  },
  { kind: 'Sky PSM', signature: 'SellGem(address,uint256,uint256)' },
  { kind: 'Sky PSM', signature: 'BuyGem(address,uint256,uint256)' },
]

const EVENT_BY_TOPIC: ReadonlyMap<string, SwapEvent> = new Map(EVENTS.map((event) => [id(event.signature), event]))

/** Topics of the events that report the reserves of a pair after each change. */
export const SYNC_TOPICS: ReadonlySet<string> = new Set(['Sync(uint112,uint112)', 'Sync(uint256,uint256)'].map(id))

/** Data length of Ekubo's swap log, which has no topics: the locker, the pool id, and the new state of the pool. */
const EKUBO_LOG_BYTES = 116
/** Position of the pool id in the hex text: after `0x` and the locker. */
const EKUBO_ID_OFFSET = 2 + 40

/** Returns the swap that a log reports; null if it reports none. */
export function reportedSwap(log: FlowLog): ReportedSwap | null {
  const [topic] = log.topics
  if (topic === undefined && log.data.length === 2 + 2 * EKUBO_LOG_BYTES)
    return {
      kind: 'Ekubo',
      pool: `0x${log.data.slice(EKUBO_ID_OFFSET, EKUBO_ID_OFFSET + 64)}`,
      isShared: true,
      feePpm: null,
    }
  const event = EVENT_BY_TOPIC.get(topic as Hex)
  if (!event || (event.poolOf && log.topics.length < 2)) return null
  const { kind, poolOf, feeWordIndex: word } = event
  const feePpm = word === undefined ? null : Number(`0x${log.data.slice(2 + 64 * word, 2 + 64 * (word + 1))}`)
  return { kind, pool: poolOf?.(log) ?? log.address, isShared: poolOf !== undefined, feePpm }
}
