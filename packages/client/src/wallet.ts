/** Wallet as a swap needs it, and how EIP-1193, ethers and viem provide it. */
import { ClientError, orClientError } from './errors.ts'
import type { TypedData } from './typed-data.ts'
import type { Hex } from './types.ts'

export type Outgoing = {
  readonly to: string
  readonly data: Hex
  /** Wei. */
  readonly value: bigint
  readonly gas?: bigint | undefined
  /** Chain that the transaction is valid on. */
  readonly chainId?: number | undefined
}

/** Outcome of a mined transaction. */
export type Receipt = {
  /** Differs from the hash that was asked for when a Safe or a bundler sent the transaction. */
  readonly hash: string
  readonly succeeded: boolean
}

export interface Wallet {
  readonly address: string
  chainId(): Promise<number>
  blockNumber(): Promise<number>
  code(address: string): Promise<string>
  /** Calls as the wallet's own account, with `value` wei. */
  call(to: string, data: Hex, value?: bigint): Promise<string>
  /** Signs and sends; resolves to the transaction hash, or to the wallet's own hash of what it will send. */
  send(transaction: Outgoing): Promise<string>
  /** True when the mined transaction succeeded. */
  succeeded(hash: string): Promise<boolean>
  /** The receipt, once; undefined while the node has none. */
  receipt?(hash: string): Promise<Receipt | undefined>
  /** Gas of a transaction by the wallet's own node. */
  estimateGas?(transaction: Outgoing): Promise<bigint>
  /** Signs by EIP-712, with the key that sends. */
  signTypedData?(typed: TypedData): Promise<string>
  /** Signs without sending, whole: with nonce and fees. For wallets that hold their key. */
  sign?(transaction: Outgoing): Promise<Hex>
  /** JSON-RPC to the wallet and its node, for what not every wallet or node can: state overrides, batches (EIP-5792), logs. */
  request?(method: string, params: readonly unknown[]): Promise<unknown>
}

export interface Eip1193Provider {
  // biome-ignore lint/suspicious/noExplicitAny: the providers of wallets type this in many ways.
  request(args: any): Promise<any>
}

const POLL_MS = 500
const RECEIPT_TIMEOUT_MS = 300_000
const hex = (value: bigint): Hex => `0x${value.toString(16)}`

/**
 * A browser wallet, or any node with the account unlocked.
 *
 * @example
 * ```ts
 * const [address] = await window.ethereum.request({ method: 'eth_requestAccounts' })
 * const wallet = fromEip1193(window.ethereum, address)
 * ```
 */
export function fromEip1193(provider: Eip1193Provider, address: string): Wallet {
  const ask = async (method: string, ...params: readonly unknown[]): Promise<string> =>
    provider.request({ method, params })
  const receipt = receiptBy((method, params) => provider.request({ method, params }))
  const sent = ({ to, data, value, gas, chainId }: Outgoing) => ({
    ...{ from: address, to, data, value: hex(value) },
    ...(gas && { gas: hex(gas) }),
    ...(chainId && { chainId: hex(BigInt(chainId)) }),
  })
  return {
    address,
    chainId: async () => Number(await ask('eth_chainId')),
    blockNumber: async () => Number(await ask('eth_blockNumber')),
    code: (account) => ask('eth_getCode', account, 'latest'),
    call: (to, data, value = 0n) => ask('eth_call', { from: address, to, data, value: hex(value) }, 'latest'),
    request: (method, params) => ask(method, ...params),
    estimateGas: async (transaction) => BigInt(await ask('eth_estimateGas', sent(transaction))),
    signTypedData: (typed) => ask('eth_signTypedData_v4', address, JSON.stringify(typed)),
    send: (transaction) => ask('eth_sendTransaction', sent(transaction)),
    receipt,
    succeeded: (hash) => mined(hash, receipt),
  }
}

/** Receipts by JSON-RPC. */
function receiptBy(request: (method: string, params: readonly unknown[]) => Promise<unknown>) {
  return async (hash: string): Promise<Receipt | undefined> => {
    const receipt = (await request('eth_getTransactionReceipt', [hash])) as Record<string, unknown> | null
    if (!receipt) return undefined
    const { transactionHash = hash, status } = receipt
    return { hash: String(transactionHash), succeeded: status === '0x1' || status === 1 }
  }
}

/** Polls for a receipt: waiting for the next block would miss a transaction that is mined already. */
async function mined(hash: string, receipt: (hash: string) => Promise<Receipt | undefined>): Promise<boolean> {
  const deadline = Date.now() + RECEIPT_TIMEOUT_MS
  while (Date.now() < deadline) {
    const found = await receipt(hash)
    if (found) return found.succeeded
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  throw new ClientError('PENDING', `transaction ${hash} was not mined within ${RECEIPT_TIMEOUT_MS / 1000} s`, { hash })
}

/** The part of a Signer of ethers 5 and 6, with a provider, that is used. */
export interface EthersSigner {
  getAddress(): Promise<string>
  // biome-ignore lint/suspicious/noExplicitAny: both versions type transactions in their own way.
  sendTransaction(transaction: any): Promise<{ hash: string }>
  // biome-ignore lint/suspicious/noExplicitAny: as ethers types it.
  populateTransaction?(transaction: any): Promise<any>
  // biome-ignore lint/suspicious/noExplicitAny: as ethers types it.
  signTransaction?(transaction: any): Promise<string>
  // biome-ignore lint/suspicious/noExplicitAny: as ethers 6 types it.
  signTypedData?(domain: any, types: any, message: any): Promise<string>
  // biome-ignore lint/suspicious/noExplicitAny: as ethers 5 types it.
  _signTypedData?(domain: any, types: any, message: any): Promise<string>
  readonly provider?: {
    getNetwork(): Promise<{ chainId: bigint | number }>
    getBlockNumber(): Promise<number>
    getCode(address: string): Promise<string>
    // biome-ignore lint/suspicious/noExplicitAny: both versions type transactions in their own way.
    call(transaction: any): Promise<string>
    // biome-ignore lint/suspicious/noExplicitAny: ethers 5 answers with a BigNumber, ethers 6 with a bigint.
    estimateGas?(transaction: any): Promise<any>
    // biome-ignore lint/suspicious/noExplicitAny: the versions name and type the fields in their own way.
    getTransactionReceipt(hash: string): Promise<any>
    /** Call of providers that speak JSON-RPC. */
    // biome-ignore lint/suspicious/noExplicitAny: as ethers types it.
    send?(method: string, params: any): Promise<any>
  } | null
}

/**
 * A signer of ethers 5 or 6 with a provider.
 *
 * @throws ClientError `WALLET` for a signer without a provider
 * @example
 * ```ts
 * const wallet = await fromEthers(new Wallet(privateKey, new JsonRpcProvider(rpcUrl)))
 * ```
 */
export async function fromEthers(signer: EthersSigner): Promise<Wallet> {
  const { provider } = Object(signer) as EthersSigner
  if (!provider) throw new ClientError('WALLET', 'the signer has no provider')
  const address = await orClientError('WALLET', () => signer.getAddress())
  const sent = ({ to, data, value, gas, chainId }: Outgoing) => ({
    ...{ to, data, value },
    ...(gas && { gasLimit: gas }),
    ...(chainId && { chainId }),
  })
  const sign = signer.signTypedData ?? signer._signTypedData
  const receipt = async (hash: string): Promise<Receipt | undefined> => {
    const found = await provider.getTransactionReceipt(hash)
    // ethers 6 calls it `hash`.
    return found
      ? { hash: String(found.hash ?? found.transactionHash ?? hash), succeeded: found.status === 1 }
      : undefined
  }
  return {
    address,
    // Read from the node: a provider remembers the chain that it met first.
    chainId: async () =>
      Number(provider.send ? await provider.send('eth_chainId', []) : (await provider.getNetwork()).chainId),
    blockNumber: () => provider.getBlockNumber(),
    code: (address) => provider.getCode(address),
    call: (to, data, value = 0n) => provider.call({ from: address, to, data, value }),
    ...(provider.send && { request: (method, params) => provider.send!(method, params) }),
    ...(provider.estimateGas && {
      estimateGas: async ({ to, data, value }) =>
        BigInt(String(await provider.estimateGas!({ from: address, to, data, value }))),
    }),
    ...(sign && {
      signTypedData: ({ domain, types: { EIP712Domain, ...types }, message }) =>
        sign.call(signer, domain, types, message),
    }),
    ...(signer.populateTransaction &&
      signer.signTransaction && {
        sign: async (transaction) =>
          (await signer.signTransaction!(await signer.populateTransaction!(sent(transaction)))) as Hex,
      }),
    send: async (transaction) => (await signer.sendTransaction(sent(transaction))).hash,
    receipt,
    succeeded: (hash) => mined(hash, receipt),
  }
}

/** The parts of viem's clients that are used. */
export interface ViemWalletClient {
  readonly account?: { readonly address: string } | undefined
  readonly chain?: { readonly id: number } | undefined
  // biome-ignore lint/suspicious/noExplicitAny: viem types this by chain and account, which differ for every caller.
  sendTransaction(transaction: any): Promise<string>
  // biome-ignore lint/suspicious/noExplicitAny: viem types this by chain and account, which differ for every caller.
  prepareTransactionRequest?(transaction: any): Promise<any>
  // biome-ignore lint/suspicious/noExplicitAny: viem types this by chain and account, which differ for every caller.
  signTransaction?(transaction: any): Promise<string>
  // biome-ignore lint/suspicious/noExplicitAny: viem types this by the message.
  signTypedData?(typed: any): Promise<string>
  // biome-ignore lint/suspicious/noExplicitAny: typed by the methods that the client's schema has.
  request?(args: any): Promise<any>
}
export interface ViemPublicClient {
  getChainId(): Promise<number>
  getBlockNumber(): Promise<bigint>
  getCode(args: { address: Hex }): Promise<string | undefined>
  call(args: { account: Hex; to: Hex; data: Hex; value: bigint }): Promise<{ data?: string | undefined }>
  // biome-ignore lint/suspicious/noExplicitAny: viem types this by the chain.
  estimateGas?(args: any): Promise<bigint>
  // biome-ignore lint/suspicious/noExplicitAny: typed by the methods that the client's schema has.
  request?(args: any): Promise<any>
  waitForTransactionReceipt(args: { hash: Hex }): Promise<{ status: 'success' | 'reverted' }>
}

/** Methods that the wallet answers, not the node. */
const WALLET_METHODS = /^(wallet_|eth_sign|personal_|eth_send(Transaction|Calls))/

/**
 * viem's clients, with a local or a JSON-RPC account, or a smart account.
 *
 * @throws ClientError `WALLET` for a client without an account
 * @example
 * ```ts
 * const wallet = fromViem(createWalletClient({ account, chain, transport }), createPublicClient({ chain, transport }))
 * ```
 */
export function fromViem(walletClient: ViemWalletClient, publicClient: ViemPublicClient): Wallet {
  const { account } = walletClient
  if (!account) throw new ClientError('WALLET', 'the wallet client has no account')
  const address = account.address as Hex
  // viem compares the chain with the wallet's before it signs.
  const chainOf = (id: number | undefined) =>
    id === undefined || walletClient.chain?.id === id ? walletClient.chain : { id, name: `chain ${id}` }
  const sent = ({ to, data, value, gas, chainId }: Outgoing) => ({
    ...{ account, to, data, value, chain: chainOf(chainId) ?? null },
    ...(gas && { gas }),
    ...(chainId && { chainId }),
  })
  const receipt = receiptBy((method, params) => publicClient.request!({ method, params }))
  return {
    address,
    chainId: () => publicClient.getChainId(),
    blockNumber: async () => Number(await publicClient.getBlockNumber()),
    code: async (address) => (await publicClient.getCode({ address: address as Hex })) ?? '0x',
    call: async (to, data, value = 0n) =>
      (await publicClient.call({ account: address, to: to as Hex, data, value })).data ?? '0x',
    ...(publicClient.request && {
      receipt,
      request: async (method, params) => {
        const client = WALLET_METHODS.test(method) ? walletClient : publicClient
        return client.request?.({ method, params })
      },
    }),
    ...(publicClient.estimateGas && {
      estimateGas: ({ to, data, value }) => publicClient.estimateGas!({ account: address, to, data, value }),
    }),
    ...(walletClient.signTypedData && {
      signTypedData: ({ domain, types, primaryType, message }) =>
        walletClient.signTypedData!({ account, domain, types, primaryType, message: withBigints(message) }),
    }),
    ...(walletClient.prepareTransactionRequest &&
      walletClient.signTransaction && {
        sign: async (transaction) => {
          const whole = await walletClient.prepareTransactionRequest!(sent(transaction))
          return (await walletClient.signTransaction!({ ...whole, ...sent(transaction) })) as Hex
        },
      }),
    send: (transaction) => walletClient.sendTransaction(sent(transaction)),
    succeeded: async (hash) =>
      (await publicClient.waitForTransactionReceipt({ hash: hash as Hex })).status === 'success',
  }
}

/** A message whose decimal texts are bigints, as viem takes numbers. */
function withBigints(message: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const entries = Object.entries(message).map(([name, value]) => {
    if (typeof value === 'string' && /^\d+$/.test(value)) return [name, BigInt(value)]
    return [name, typeof value === 'object' && value !== null ? withBigints(value as Record<string, unknown>) : value]
  })
  return Object.fromEntries(entries)
}
