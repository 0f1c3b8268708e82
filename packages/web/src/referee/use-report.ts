/** Loads the service's verdict on a transaction and polls while it may still change. */
import { ClientError, SluiceClient } from '@sluice/client'
import { useQuery } from '@tanstack/react-query'
import { isHash } from '../format/hex.ts'
import { parseReport, type RefereeReport } from './report.ts'

/** Timeout of a request. Judging reads a block and quotes at two past states, which takes longer than a quote. */
const TIMEOUT_MS = 60_000
const POLL_MS = 3_000
/** Maximum number of requests for one verdict. */
const MAX_REQUESTS = 20

const client = new SluiceClient({ baseUrl: location.origin, timeoutMs: TIMEOUT_MS })

/** True if the transaction is not mined yet, or the service still searches for pools. */
const mayChange = ({ outcome, trades }: RefereeReport): boolean =>
  outcome === 'pending' || trades.some(({ comparisons }) => comparisons.some(({ isPending }) => isPending))

export function useReport(chainId: number, hash: string | undefined) {
  const normalizedHash = hash?.trim().toLowerCase() ?? ''
  return useQuery<RefereeReport>({
    queryKey: ['referee', chainId, normalizedHash],
    enabled: isHash(normalizedHash),
    staleTime: Number.POSITIVE_INFINITY,
    retry: (failures, error) => error instanceof ClientError && error.retryable && failures < 1,
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      data && mayChange(data) && dataUpdateCount < MAX_REQUESTS ? POLL_MS : false,
    queryFn: async ({ signal }) =>
      parseReport(
        await client.get<Readonly<Record<string, unknown>>>(`/referee/${chainId}/${normalizedHash}`, {}, signal),
      ),
  })
}
