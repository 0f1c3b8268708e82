import { createHash } from 'node:crypto'
import { type Address, type Deployment, NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import type { SourceFilter } from '@sluice/routing'
import { ApiError } from '../errors.ts'
import { hasValidChecksum } from '../parameters.ts'
import type { SwapQuery } from '../requests.ts'

/** A swap that is asked for, free of text. Parts per million are named Ppm. */
export type QuoteRequest = {
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly amountIn: bigint
  readonly from: Address
  readonly slippagePpm: bigint
  readonly feePpm: bigint
  readonly feeRecipient: Address | undefined
  readonly minimumBlock: number | undefined
  /** Unix seconds. */
  readonly deadline: number | undefined
  readonly gasPriceWei: bigint | undefined
  readonly maxHops: number | undefined
  readonly maxSplits: number | undefined
  readonly excludePools: ReadonlySet<string>
  readonly sources: SourceFilter
  /** What the route may pass through between its ends. */
  readonly intermediates: SwapQuery['intermediates']
  readonly maxPriceImpactPpm: bigint
}

/**
 * What a parsed query means on a chain.
 *
 * @throws ApiError for a sender or fee recipient that cannot be meant
 */
export function toQuoteRequest(query: SwapQuery, deployment: Deployment): QuoteRequest {
  const contracts = new Set<Address>([deployment.guard.address, ...deployment.executors.map(({ address }) => address)])
  if (contracts.has(query.from.address))
    throw new ApiError('INVALID_PARAMETER', 'from must not be the Guard or an Executor')
  const feePpm = query.convenienceFee
  return {
    tokenIn: query.src.address,
    tokenOut: query.dst.address,
    amountIn: query.amount,
    from: query.from.address,
    slippagePpm: query.slippage,
    feePpm,
    feeRecipient: feePpm > 0n ? feeRecipient(query, contracts) : undefined,
    minimumBlock: query.minimumBlock,
    deadline: query.deadline,
    gasPriceWei: query.gasPrice,
    maxHops: query.maxHops,
    maxSplits: query.maxSplits,
    excludePools: new Set(query.excludePools),
    sources: {
      ...(query.includeSources && { include: new Set(query.includeSources) }),
      ...(query.excludeSources && { exclude: new Set(query.excludeSources) }),
    },
    intermediates: query.intermediates,
    maxPriceImpactPpm: query.maxPriceImpact,
  }
}

/** The same for requests that differ only in how they are written, or in what does not change the answer. */
export function swapKey({ feeExemptKey: _, minimumBlock: __, ...query }: SwapQuery): string {
  return Object.entries(query)
    .map(([name, value]) => `${name}=${typeof value === 'object' && 'address' in value ? value.address : value}`)
    .join('\n')
}

/** A typo here pays a stranger, so this address alone is held to its checksum. */
function feeRecipient(query: SwapQuery, contracts: ReadonlySet<Address>): Address {
  const { sent, address } = query.convenienceFeeRecipient!
  const refuse = (reason: string) => new ApiError('INVALID_PARAMETER', `convenienceFeeRecipient ${reason}`)
  if (!hasValidChecksum(sent)) throw refuse('has a wrong EIP-55 checksum')
  if (address === ZERO_ADDRESS) throw refuse('must not be the zero address')
  if (address === NATIVE) throw refuse('must not be the native token')
  if (contracts.has(address)) throw refuse('must not be the Guard or an Executor')
  return address
}

/**
 * The service takes no protocol fee, so a valid key changes only attribution.
 *
 * @throws ApiError `INVALID_FEE_EXEMPT_KEY`
 */
export function checkFeeExemptKey(key: string | undefined, hashes: ReadonlySet<string>): void {
  if (key === undefined) return
  if (!hashes.has(createHash('sha256').update(key).digest('hex')))
    throw new ApiError('INVALID_FEE_EXEMPT_KEY', 'feeExemptKey is not valid')
}
