/** The connected wallet as the SDK takes it, and what it holds. */
import { type AllowanceWay, canBatch, type Eip1193Provider, fromEip1193, type Wallet } from '@sluice/client'
import { useQuery } from '@tanstack/react-query'
import { useConnection } from 'wagmi'
import { sluice } from '../service/client.ts'
import { isNative } from '../service/tokens.ts'
import { LOCAL } from './local-account.ts'

export type Connected = {
  readonly address: string
  /** Chain of the wallet; undefined for a chain that it does not tell. */
  readonly chainId: number | undefined
  readonly name: string
  readonly isLocal: boolean
  readonly open: () => Promise<{ readonly wallet: Wallet; readonly provider: Eip1193Provider }>
}

export function useWallet(): Connected | undefined {
  const { address, chainId, connector, status } = useConnection()
  if (status !== 'connected' || !address || !connector) return undefined
  return {
    address,
    chainId,
    name: connector.name,
    isLocal: connector.id === LOCAL,
    async open() {
      const provider = (await connector.getProvider()) as Eip1193Provider
      return { provider, wallet: fromEip1193(provider, address) }
    },
  }
}

const BALANCE_EVERY_MS = 8_000

/** Base units that the wallet has of a token; undefined where it is not on this chain, or cannot be asked. */
export function useBalance(chainId: number, token: string | undefined): bigint | undefined {
  const connected = useWallet()
  const here = connected?.chainId === chainId
  const { data } = useQuery({
    queryKey: ['balance', chainId, token, connected?.address],
    enabled: here && token !== undefined,
    refetchInterval: BALANCE_EVERY_MS,
    retry: false,
    queryFn: async () => String(await balanceOf(connected!, token!)),
  })
  return data === undefined ? undefined : BigInt(data)
}

/** Gas of a swap whose route is not known. */
const USUAL_GAS = 500_000n
/** The price of gas may double until the swap is mined, and its limit is above the estimate. */
const GAS_MARGIN = 3n

/** Wei to keep for the gas of a swap; undefined while the wallet's node has not said its price. */
export function useGasReserve(chainId: number, enabled: boolean, gas: string | undefined): bigint | undefined {
  const connected = useWallet()
  const { data } = useQuery({
    queryKey: ['gas price', chainId, connected?.address],
    enabled: enabled && connected?.chainId === chainId,
    refetchInterval: BALANCE_EVERY_MS,
    retry: false,
    queryFn: async () => {
      const { provider } = await connected!.open()
      return String(BigInt((await provider.request({ method: 'eth_gasPrice' })) as string))
    },
  })
  return data === undefined ? undefined : BigInt(data) * BigInt(gas ?? USUAL_GAS) * GAS_MARGIN
}

/** Base units of an ERC-20 that the wallet lets a spender draw; undefined as for balances. */
export function useAllowance(chainId: number, token: string | undefined, spender: string): bigint | undefined {
  const connected = useWallet()
  const { data } = useQuery({
    queryKey: ['balance', chainId, token, connected?.address, spender],
    enabled: connected?.chainId === chainId && token !== undefined && !isNative(token),
    refetchInterval: BALANCE_EVERY_MS,
    retry: false,
    queryFn: async () => {
      const { wallet } = await connected!.open()
      // allowance(address,address)
      const answer = await wallet.call(token!, `0xdd62ed3e${word(connected!.address)}${word(spender)}`)
      return String(BigInt(answer.slice(0, 66)))
    },
  })
  return data === undefined ? undefined : BigInt(data)
}

/**
 * The way in which the SDK will get the Guard its allowance: the first of those that wallet and token take.
 *
 * @param guard - the spender that a permit must name
 * @param amount - base units that are missing; 0n where none are
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
      const wanted = { src: token!, from: connected!.address, amount: String(amount), guard }
      const offers = await sluice.getPermits(chainId, wanted, signal)
      // DAI's form has no limit, and is not taken unless its owner asks for it.
      return offers.some(({ kind, approval }) => kind !== 'dai' && approval === null) ? 'permit' : 'approve'
    },
  })
  return data
}

const word = (address: string): string => address.slice(2).toLowerCase().padStart(64, '0')

async function balanceOf(connected: Connected, token: string): Promise<bigint> {
  const { provider, wallet } = await connected.open()
  if (isNative(token))
    return BigInt(await provider.request({ method: 'eth_getBalance', params: [connected.address, 'latest'] }))
  // balanceOf(address)
  const answer = await wallet.call(token, `0x70a08231${word(connected.address)}`)
  return BigInt(answer.slice(0, 66))
}
