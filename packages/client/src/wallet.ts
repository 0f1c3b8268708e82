/** Wallet as a swap needs it, and how viem, ethers and EIP-1193 wallets give it. */
import { ClientError } from './errors.ts'
import type { Hex } from './types.ts'

export type Outgoing = { readonly to: string; readonly data: Hex; readonly value: bigint; readonly gas?: bigint }

export interface Wallet {
  readonly address: string
  chainId(): Promise<number>
  blockNumber(): Promise<number>
  code(address: string): Promise<string>
  /** As the wallet's own account, with so many wei. */
  call(to: string, data: Hex, value?: bigint): Promise<string>
  /** Signs and sends; resolves to the transaction hash. */
  send(transaction: Outgoing): Promise<string>
  /** True where the mined transaction succeeded. */
  succeeded(hash: string): Promise<boolean>
  /** Signs without sending, whole: with nonce and fees. For wallets whose key is at hand. */
  sign?(transaction: Outgoing): Promise<Hex>
  /** JSON-RPC to the wallet and its node, for what not every wallet or node can: state overrides and batches (EIP-5792). */
  request?(method: string, params: readonly unknown[]): Promise<unknown>
}

export interface Eip1193Provider {
  // biome-ignore lint/suspicious/noExplicitAny: the providers of wallets type this in many ways.
  request(args: any): Promise<any>
}

const POLL_MS = 500
const RECEIPT_TIMEOUT_MS = 300_000
const hex = (value: bigint): Hex => `0x${value.toString(16)}`

/** A browser wallet, or any node with the account unlocked. */
export function fromEip1193(provider: Eip1193Provider, address: string): Wallet {
  const ask = (method: string, ...params: readonly unknown[]): Promise<string> => provider.request({ method, params })
  return {
    address,
    chainId: async () => Number(await ask('eth_chainId')),
    blockNumber: async () => Number(await ask('eth_blockNumber')),
    code: (account) => ask('eth_getCode', account, 'latest'),
    call: (to, data, value = 0n) => ask('eth_call', { from: address, to, data, value: hex(value) }, 'latest'),
    request: (method, params) => ask(method, ...params),
    send: ({ to, data, value, gas }) =>
      ask('eth_sendTransaction', { from: address, to, data, value: hex(value), ...(gas && { gas: hex(gas) }) }),
    succeeded: (hash) =>
      mined(hash, async () => {
        const receipt = await provider.request({ method: 'eth_getTransactionReceipt', params: [hash] })
        return receipt && receipt.status === '0x1'
      }),
  }
}

/** Asks for the receipt until it is there: waiting for the next block would miss the one that held the transaction. */
async function mined(hash: string, succeeded: () => Promise<boolean | null | undefined>): Promise<boolean> {
  const deadline = Date.now() + RECEIPT_TIMEOUT_MS
  while (Date.now() < deadline) {
    const outcome = await succeeded()
    if (typeof outcome === 'boolean') return outcome
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  throw new ClientError('WALLET', `transaction ${hash} was not mined within ${RECEIPT_TIMEOUT_MS / 1000} s`)
}

/** The part of an ethers v6 Signer with a provider that is used. */
export interface EthersSigner {
  getAddress(): Promise<string>
  sendTransaction(transaction: {
    to: string
    data: string
    value: bigint
    gasLimit?: bigint
  }): Promise<{ hash: string }>
  // biome-ignore lint/suspicious/noExplicitAny: as ethers types it.
  populateTransaction?(transaction: any): Promise<any>
  // biome-ignore lint/suspicious/noExplicitAny: as ethers types it.
  signTransaction?(transaction: any): Promise<string>
  readonly provider: {
    getNetwork(): Promise<{ chainId: bigint }>
    getBlockNumber(): Promise<number>
    getCode(address: string): Promise<string>
    call(transaction: { from: string; to: string; data: string; value: bigint }): Promise<string>
    getTransactionReceipt(hash: string): Promise<{ status: number | null } | null>
    /** Call of providers that speak JSON-RPC. */
    // biome-ignore lint/suspicious/noExplicitAny: as ethers types it.
    send?(method: string, params: any): Promise<any>
  } | null
}

export async function fromEthers(signer: EthersSigner): Promise<Wallet> {
  const { provider } = signer
  if (!provider) throw new ClientError('WALLET', 'the signer has no provider')
  const address = await signer.getAddress()
  return {
    address,
    chainId: async () => Number((await provider.getNetwork()).chainId),
    blockNumber: () => provider.getBlockNumber(),
    code: (address) => provider.getCode(address),
    call: (to, data, value = 0n) => provider.call({ from: address, to, data, value }),
    ...(provider.send && { request: (method, params) => provider.send!(method, params) }),
    ...(signer.populateTransaction &&
      signer.signTransaction && {
        sign: async ({ to, data, value, gas }) => {
          const whole = await signer.populateTransaction!({ to, data, value, ...(gas && { gasLimit: gas }) })
          return (await signer.signTransaction!(whole)) as Hex
        },
      }),
    send: async ({ to, data, value, gas }) =>
      (await signer.sendTransaction({ to, data, value, ...(gas && { gasLimit: gas }) })).hash,
    succeeded: (hash) =>
      mined(hash, async () => {
        const receipt = await provider.getTransactionReceipt(hash)
        return receipt && receipt.status === 1
      }),
  }
}

/** The parts of viem's clients that are used. */
export interface ViemWalletClient {
  readonly account?: { readonly address: string } | undefined
  // biome-ignore lint/suspicious/noExplicitAny: viem types this by chain and account, which differ for every caller.
  sendTransaction(transaction: any): Promise<string>
  // biome-ignore lint/suspicious/noExplicitAny: viem types this by chain and account, which differ for every caller.
  prepareTransactionRequest?(transaction: any): Promise<any>
  // biome-ignore lint/suspicious/noExplicitAny: viem types this by chain and account, which differ for every caller.
  signTransaction?(transaction: any): Promise<string>
  // biome-ignore lint/suspicious/noExplicitAny: typed by the methods that the client's schema has.
  request?(args: any): Promise<any>
}
export interface ViemPublicClient {
  getChainId(): Promise<number>
  getBlockNumber(): Promise<bigint>
  getCode(args: { address: Hex }): Promise<string | undefined>
  call(args: { account: Hex; to: Hex; data: Hex; value: bigint }): Promise<{ data?: string | undefined }>
  // biome-ignore lint/suspicious/noExplicitAny: typed by the methods that the client's schema has.
  request?(args: any): Promise<any>
  waitForTransactionReceipt(args: { hash: Hex }): Promise<{ status: 'success' | 'reverted' }>
}

export function fromViem(walletClient: ViemWalletClient, publicClient: ViemPublicClient): Wallet {
  const { account } = walletClient
  if (!account) throw new ClientError('WALLET', 'the wallet client has no account')
  return {
    address: account.address,
    chainId: () => publicClient.getChainId(),
    blockNumber: async () => Number(await publicClient.getBlockNumber()),
    code: async (address) => (await publicClient.getCode({ address: address as Hex })) ?? '0x',
    call: async (to, data, value = 0n) =>
      (await publicClient.call({ account: account.address as Hex, to: to as Hex, data, value })).data ?? '0x',
    ...(publicClient.request && {
      request: async (method, params) => {
        const client = /^(wallet_|eth_signTypedData)/.test(method) ? walletClient : publicClient
        return client.request?.({ method, params })
      },
    }),
    ...(walletClient.prepareTransactionRequest &&
      walletClient.signTransaction && {
        sign: async ({ to, data, value, gas }) => {
          const wanted = { account, to, data, value, chain: null, ...(gas && { gas }) }
          const whole = await walletClient.prepareTransactionRequest!(wanted)
          return (await walletClient.signTransaction!({ ...whole, account, chain: null })) as Hex
        },
      }),
    send: ({ to, data, value, gas }) =>
      walletClient.sendTransaction({ account, to, data, value, chain: null, ...(gas && { gas }) }),
    succeeded: async (hash) =>
      (await publicClient.waitForTransactionReceipt({ hash: hash as Hex })).status === 'success',
  }
}
