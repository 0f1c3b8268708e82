/** Hooks for the connected wallet, its balances, and its allowances. */
import { type AllowanceWay, canBatch, type Eip1193Provider, fromEip1193, type Wallet } from '@sluice/client'
import { useQuery } from '@tanstack/react-query'
import { sluice } from '../service/client.ts'
import { isNative } from '../service/tokens.ts'
import type { Session } from './session.ts'
import { useWalletState } from './wallets.ts'

export type ConnectedWallet = Omit<Session, 'provider'> & {
  /** Returns the wallet for the SDK, and its EIP-1193 provider. */
  readonly open: () => Promise<{ readonly wallet: Wallet; readonly provider: Eip1193Provider }>
}

export function useWallet(): ConnectedWallet | undefined {
  const { session } = useWalletState()
  if (!session) return undefined
  const { id, address, chainId, name, isLocal } = session
  return {
    ...{ id, address, chainId, name, isLocal },
    async open() {
      const provider = await session.provider()
      return { provider, wallet: fromEip1193(provider, address) }
    },
  }
}

const BALANCE_POLL_MS = 8_000

/**
 * Returns the wallet's balance of a token in base units; undefined if the wallet is on another chain or the call fails.
 */
export function useBalance(chainId: number, token: string | undefined): bigint | undefined {
  const connected = useWallet()
  const isOnChain = connected?.chainId === chainId
  const { data } = useQuery({
    queryKey: ['balance', chainId, token, connected?.address],
    enabled: isOnChain && token !== undefined,
    refetchInterval: BALANCE_POLL_MS,
    retry: false,
    queryFn: async () => String(await balanceOf(connected!, token!)),
  })
  return data === undefined ? undefined : BigInt(data)
}

/** Gas that is assumed for a swap whose route is not known yet. */
const DEFAULT_GAS = 500_000n
/**
 * Ratio of the reserve to the estimated cost. The gas price may double until the swap is mined, and the gas limit is
 * above the estimate.
 */
const GAS_RESERVE_FACTOR = 3n

/** Returns the wei to reserve for the gas of a swap; undefined while the gas price is unknown. */
export function useGasReserve(chainId: number, enabled: boolean, gas: string | undefined): bigint | undefined {
  const connected = useWallet()
  const { data } = useQuery({
    queryKey: ['gas price', chainId, connected?.address],
    enabled: enabled && connected?.chainId === chainId,
    refetchInterval: BALANCE_POLL_MS,
    retry: false,
    queryFn: async () => {
      const { provider } = await connected!.open()
      return String(BigInt((await provider.request({ method: 'eth_gasPrice' })) as string))
    },
  })
  return data === undefined ? undefined : BigInt(data) * BigInt(gas ?? DEFAULT_GAS) * GAS_RESERVE_FACTOR
}

/**
 * Returns the allowance of a spender in base units; undefined if it is loading or cannot be read, or without a token.
 */
export function useAllowance(chainId: number, token: string | undefined, spender: string): bigint | undefined {
  const connected = useWallet()
  const { data } = useQuery({
    queryKey: ['balance', chainId, token, connected?.address, spender],
    enabled: connected?.chainId === chainId && token !== undefined && !isNative(token),
    refetchInterval: BALANCE_POLL_MS,
    retry: false,
    queryFn: async () => {
      const { wallet } = await connected!.open()
      // Selector of `allowance(address,address)`.
      const answer = await wallet.call(
        token!,
        `0xdd62ed3e${paddedAddress(connected!.address)}${paddedAddress(spender)}`,
      )
      return String(BigInt(answer.slice(0, 66)))
    },
  })
  return data === undefined ? undefined : BigInt(data)
}

/**
 * Returns how the SDK will get the allowance for the Guard: the first way that the wallet and the token support.
 *
 * @param guard - spender that a permit must name
 * @param amount - missing base units; 0n if none
 */
export function useAllowanceWay(
  chainId: number,
  token: string | undefined,
  guard: string,
  amount: bigint,
): AllowanceWay | undefined {
  const connected = useWallet()
  const { data } = useQuery({
    queryKey: ['allowance-way', chainId, token, connected?.address],
    enabled: connected?.chainId === chainId && token !== undefined && amount > 0n,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    queryFn: async ({ signal }): Promise<AllowanceWay> => {
      const { wallet } = await connected!.open()
      if (await canBatch(wallet, chainId)) return 'batch'
      const permitRequest = { src: token!, from: connected!.address, amount: String(amount), guard }
      const offers = await sluice.getPermits(chainId, permitRequest, signal)
      // A DAI permit grants an unlimited allowance, so the SDK uses it only if the user asks for it.
      return offers.some(({ kind, approval }) => kind !== 'dai' && approval === null) ? 'permit' : 'approve'
    },
  })
  return data
}

const paddedAddress = (address: string): string => address.slice(2).toLowerCase().padStart(64, '0')

async function balanceOf(connected: ConnectedWallet, token: string): Promise<bigint> {
  const { provider, wallet } = await connected.open()
  if (isNative(token))
    return BigInt(await provider.request({ method: 'eth_getBalance', params: [connected.address, 'latest'] }))
  // Selector of `balanceOf(address)`.
  const answer = await wallet.call(token, `0x70a08231${paddedAddress(connected.address)}`)
  return BigInt(answer.slice(0, 66))
}
