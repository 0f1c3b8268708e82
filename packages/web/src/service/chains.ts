/** Chains of the service, their status, and the local test chain, if the service has one. */
import { type ChainEntry, ClientError, type SwapContracts } from '@sluice/client'
import { useQuery } from '@tanstack/react-query'
import { sluice } from './client.ts'

/**
 * A test chain that `npm start` runs locally. Its node holds the keys of all accounts. The page offers the first
 * account.
 */
export type LocalChain = {
  readonly chainId: number
  readonly rpcUrl: string
  readonly accounts: readonly { readonly address: string }[]
  readonly contracts: SwapContracts
}

export type PageChain = {
  readonly id: number
  readonly name: string
  readonly guard: string
  readonly status: 'deployed' | 'predicted'
}

/** Status of a chain as the service reports it. */
export type PageChainStatus = {
  /**
   * `asleep`: the service does not follow the chain, because no client requests it. `failing`: the chain's node does
   * not answer.
   */
  readonly state: 'awake' | 'asleep' | 'failing'
  /** Number of the newest block. */
  readonly head?: number
  /** Age of the newest block. */
  readonly lagSeconds?: number
  /** Number of known pools. */
  readonly pools?: number
  /**
   * `moving`: block times follow real time. `resting`: no new blocks. `off`: block times differ from the service's
   * clock.
   */
  readonly clock?: string
  /** Reason of a failure. */
  readonly reason?: string
  /** Progress of the scan of past logs for pools. */
  readonly scan?: {
    readonly state: 'waiting' | 'scanning' | 'paused' | 'failing' | 'done'
    /** Searched fraction of the logs, 0 to 1. */
    readonly progress: number
    readonly reason?: string
    /** Names of the pool families whose pools are not all found. */
    readonly families: readonly string[]
  }
}

/** Chains of the service, and the local chain. The app loads them before the first render. */
export type ServiceInfo = { readonly chains: readonly PageChain[]; readonly local: LocalChain | null }

export async function loadServiceInfo(): Promise<ServiceInfo> {
  const [entryByChain, local] = await Promise.all([
    sluice.chains().catch(() => ({}) as Record<string, ChainEntry>),
    sluice.get<{ local: LocalChain | null }>('/app/local-chain.json').then(
      (answer) => answer.local,
      () => null,
    ),
  ])
  const chains = Object.values(entryByChain).map(
    ({ ChainID, ChainName, TrackerName, RouterAddress, Status }): PageChain => ({
      id: Number(ChainID),
      name: TrackerName || ChainName,
      guard: RouterAddress,
      status: Status ?? 'predicted',
    }),
  )
  return { local, chains: chains.sort((a, b) => sortRank(a, local) - sortRank(b, local) || a.id - b.id) }
}

function sortRank({ id, status }: PageChain, local: LocalChain | null): number {
  return id === local?.chainId ? 0 : status === 'deployed' ? 1 : 2
}

/** Age of the newest block above which a chain counts as behind. */
const MAX_LAG_SECONDS = 30

/** Returns true if the newest block is old although the chain's block times follow real time. */
export const isBehind = ({ clock, lagSeconds = 0 }: PageChainStatus): boolean =>
  clock === 'moving' && lagSeconds > MAX_LAG_SECONDS

const STATUS_POLL_MS = 2_000

/** Requests a status endpoint. A service that is not ready responds with status 503 and a body of the same form. */
function loadStatus<T extends object>(path: `/${string}`): Promise<T> {
  return sluice.get<T>(path).catch((error: unknown) => {
    const body = error instanceof ClientError ? error.details.body : undefined
    if (typeof body?.status === 'string') return body as unknown as T
    throw error
  })
}

/** Polls the status of a chain. */
export function useStatus(chainId: number, enabled = true) {
  return useQuery({
    enabled,
    queryKey: ['ready', chainId],
    queryFn: () => loadStatus<PageChainStatus>(`/ready/${chainId}`),
    refetchInterval: STATUS_POLL_MS,
    retry: false,
  })
}

export function useStatuses() {
  return useQuery({
    queryKey: ['ready'],
    queryFn: () => loadStatus<{ readonly chains: Readonly<Record<string, PageChainStatus>> }>('/ready'),
    refetchInterval: STATUS_POLL_MS,
    retry: false,
  })
}
