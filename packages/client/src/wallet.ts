/** The wallet interface of a swap, with adapters for EIP-1193, ethers and viem. */
import { ClientError, orWalletError } from './errors.ts'
import { growingPause } from './poll.ts'
import type { TypedData } from './typed-data.ts'
import type { Hex } from './types.ts'

/** Transaction that a wallet is asked to send. */
export type Outgoing = {
  readonly to: string
  readonly data: Hex
  /** Wei. */
  readonly value: bigint
  readonly gas?: bigint | undefined
  /** Chain on which the transaction is valid. */
  readonly chainId?: number | undefined
}

/** Outcome of a mined transaction. */
export type Receipt = {
  /** Hash of the mined transaction. It differs from the requested hash if a Safe or a bundler sent the transaction. */
  readonly hash: string
  readonly succeeded: boolean
}

/** An account and the node that it uses. Optional methods enable more features; a swap works without them. */
export interface Wallet {
  readonly address: string
  chainId(): Promise<number>
  blockNumber(): Promise<number>
  code(address: string): Promise<string>
  /** Executes a read-only call from the wallet's account, with `value` wei. */
  call(to: string, data: Hex, value?: bigint): Promise<string>
  /** Signs and sends. Resolves to the transaction hash, or to the hash of a Safe transaction or user operation. */
  send(transaction: Outgoing): Promise<string>
  /** Waits until the transaction is mined. Resolves to true if the transaction succeeded. */
  succeeded(hash: string): Promise<boolean>
  /** Reads the receipt once; undefined if the node does not have it yet. */
  receipt?(hash: string): Promise<Receipt | undefined>
  /** Estimates the gas of a transaction on the wallet's node. */
  estimateGas?(transaction: Outgoing): Promise<bigint>
  /** Signs an EIP-712 message with the key of the account. */
  signTypedData?(typedData: TypedData): Promise<string>
  /** Signs a transaction, including nonce and fees, without sending it. */
  sign?(transaction: Outgoing): Promise<Hex>
  /** Sends JSON-RPC to the wallet or its node, for optional methods: state overrides, batches (EIP-5792), logs. */
  request?(method: string, params: readonly unknown[]): Promise<unknown>
}

/** Provider of a browser wallet (EIP-1193). */
export interface Eip1193Provider {
  // biome-ignore lint/suspicious/noExplicitAny: wallets type their providers differently.
  request(args: any): Promise<any>
}

/** Maximum milliseconds until a transaction is mined. */
const RECEIPT_TIMEOUT_MS = 300_000
const hex = (value: bigint): Hex => `0x${value.toString(16)}`

/**
 * Adapts an EIP-1193 provider: a browser wallet, or a node that holds the account's key.
 *
 * @example
 * ```ts
 * const [address] = await window.ethereum.request({ method: 'eth_requestAccounts' })
 * const wallet = fromEip1193(window.ethereum, address)
 * ```
 */
export function fromEip1193(provider: Eip1193Provider, address: string): Wallet {
  const requestProvider = async (method: string, ...params: readonly unknown[]): Promise<string> =>
    provider.request({ method, params })
  const receipt = receiptReader((method, params) => provider.request({ method, params }))
  const toTransaction = ({ to, data, value, gas, chainId }: Outgoing) => ({
    ...{ from: address, to, data, value: hex(value) },
    ...(gas && { gas: hex(gas) }),
    ...(chainId && { chainId: hex(BigInt(chainId)) }),
  })
  return {
    address,
    chainId: async () => Number(await requestProvider('eth_chainId')),
    blockNumber: async () => Number(await requestProvider('eth_blockNumber')),
    code: (account) => requestProvider('eth_getCode', account, 'latest'),
    call: (to, data, value = 0n) =>
      requestProvider('eth_call', { from: address, to, data, value: hex(value) }, 'latest'),
    request: (method, params) => requestProvider(method, ...params),
    estimateGas: async (transaction) => BigInt(await requestProvider('eth_estimateGas', toTransaction(transaction))),
    signTypedData: (typedData) => requestProvider('eth_signTypedData_v4', address, JSON.stringify(typedData)),
    send: (transaction) => requestProvider('eth_sendTransaction', toTransaction(transaction)),
    receipt,
    succeeded: (hash) => waitForReceipt(hash, receipt),
  }
}

/** Returns a function that reads receipts by JSON-RPC. */
function receiptReader(request: (method: string, params: readonly unknown[]) => Promise<unknown>) {
  return async (hash: string): Promise<Receipt | undefined> => {
    const receipt = (await request('eth_getTransactionReceipt', [hash])) as Record<string, unknown> | null
    if (!receipt) return undefined
    const { transactionHash = hash, status } = receipt
    return { hash: String(transactionHash), succeeded: status === '0x1' || status === 1 }
  }
}

/**
 * Polls for a receipt. Waiting for the next block instead would delay the result of a transaction that is already
 * mined.
 */
async function waitForReceipt(hash: string, receipt: (hash: string) => Promise<Receipt | undefined>): Promise<boolean> {
  const deadline = Date.now() + RECEIPT_TIMEOUT_MS
  const pause = growingPause()
  while (Date.now() < deadline) {
    const result = await receipt(hash)
    if (result) return result.succeeded
    await pause()
  }
  throw new ClientError('PENDING', `transaction ${hash} was not mined within ${RECEIPT_TIMEOUT_MS / 1000} s`, { hash })
}

/** Subset of the Signer of ethers 5 and 6 that `fromEthers` uses. */
export interface EthersSigner {
  getAddress(): Promise<string>
  // biome-ignore lint/suspicious/noExplicitAny: ethers 5 and 6 type transactions differently.
  sendTransaction(transaction: any): Promise<{ hash: string }>
  /** Resolves to the hash as soon as the wallet returns it. Only signers of JSON-RPC providers have it. */
  // biome-ignore lint/suspicious/noExplicitAny: ethers 5 and 6 type transactions differently.
  sendUncheckedTransaction?(transaction: any): Promise<string>
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
    // biome-ignore lint/suspicious/noExplicitAny: ethers 5 and 6 type transactions differently.
    call(transaction: any): Promise<string>
    // biome-ignore lint/suspicious/noExplicitAny: ethers 5 returns a BigNumber, ethers 6 a bigint.
    estimateGas?(transaction: any): Promise<any>
    // biome-ignore lint/suspicious/noExplicitAny: ethers 5 and 6 name and type the fields differently.
    getTransactionReceipt(hash: string): Promise<any>
    /** Sends JSON-RPC; only JSON-RPC providers have it. */
    // biome-ignore lint/suspicious/noExplicitAny: as ethers types it.
    send?(method: string, params: any): Promise<any>
  } | null
}

/**
 * Adapts a signer of ethers 5 or 6.
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
  const address = await orWalletError(() => signer.getAddress())
  const toTransaction = ({ to, data, value, gas, chainId }: Outgoing) => ({
    ...{ to, data, value },
    ...(gas && { gasLimit: gas }),
    ...(chainId && { chainId }),
  })
  const signMessage = signer.signTypedData ?? signer._signTypedData
  const receipt = async (hash: string): Promise<Receipt | undefined> => {
    const receipt = await provider.getTransactionReceipt(hash)
    // ethers 6 names the field `hash`, ethers 5 `transactionHash`.
    return receipt
      ? { hash: String(receipt.hash ?? receipt.transactionHash ?? hash), succeeded: receipt.status === 1 }
      : undefined
  }
  return {
    address,
    // Read from the node, because providers cache their first chain id.
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
    ...(signMessage && {
      signTypedData: ({ domain, types: { EIP712Domain, ...types }, message }) =>
        signMessage.call(signer, domain, types, message),
    }),
    ...(signer.populateTransaction &&
      signer.signTransaction && {
        sign: async (transaction) =>
          (await signer.signTransaction!(await signer.populateTransaction!(toTransaction(transaction)))) as Hex,
      }),
    // With `sendTransaction`, a signer of a browser wallet waits until its node has the transaction. A Safe or a
    // bundler returns another hash, which no transaction ever has, so that wait would not end.
    send: async (transaction) =>
      signer.sendUncheckedTransaction
        ? signer.sendUncheckedTransaction(toTransaction(transaction))
        : (await signer.sendTransaction(toTransaction(transaction))).hash,
    receipt,
    succeeded: (hash) => waitForReceipt(hash, receipt),
  }
}

/** Subset of viem's wallet client that `fromViem` uses. */
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
  signTypedData?(typedData: any): Promise<string>
  // biome-ignore lint/suspicious/noExplicitAny: viem types this by the client's RPC schema.
  request?(args: any): Promise<any>
}
/** Subset of viem's public client that `fromViem` uses. */
export interface ViemPublicClient {
  getChainId(): Promise<number>
  getBlockNumber(args: { cacheTime: number }): Promise<bigint>
  getCode(args: { address: Hex }): Promise<string | undefined>
  call(args: { account: Hex; to: Hex; data: Hex; value: bigint }): Promise<{ data?: string | undefined }>
  // biome-ignore lint/suspicious/noExplicitAny: viem types this by the chain.
  estimateGas?(args: any): Promise<bigint>
  // biome-ignore lint/suspicious/noExplicitAny: viem types this by the client's RPC schema.
  request?(args: any): Promise<any>
  waitForTransactionReceipt(args: { hash: Hex }): Promise<{ status: 'success' | 'reverted' }>
}

/** JSON-RPC methods that go to the wallet instead of the node. */
const WALLET_METHODS = /^(wallet_|eth_sign|personal_|eth_send(Transaction|Calls))/

/**
 * Adapts viem's clients with a local, JSON-RPC, or smart account.
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
  // viem compares this chain with the wallet's chain before it signs.
  const chainOf = (id: number | undefined) =>
    id === undefined || walletClient.chain?.id === id ? walletClient.chain : { id, name: `chain ${id}` }
  const toTransaction = ({ to, data, value, gas, chainId }: Outgoing) => ({
    ...{ account, to, data, value, chain: chainOf(chainId) ?? null },
    ...(gas && { gas }),
    ...(chainId && { chainId }),
  })
  const receipt = receiptReader((method, params) => publicClient.request!({ method, params }))
  return {
    address,
    chainId: () => publicClient.getChainId(),
    // viem would return the same number for 4 s by default, and the age of a quote is counted in blocks.
    blockNumber: async () => Number(await publicClient.getBlockNumber({ cacheTime: 0 })),
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
          const prepared = await walletClient.prepareTransactionRequest!(toTransaction(transaction))
          return (await walletClient.signTransaction!({ ...prepared, ...toTransaction(transaction) })) as Hex
        },
      }),
    send: (transaction) => walletClient.sendTransaction(toTransaction(transaction)),
    succeeded: async (hash) =>
      (await publicClient.waitForTransactionReceipt({ hash: hash as Hex })).status === 'success',
  }
}

/** Converts decimal text in a message to bigints, which viem expects for numbers. */
function withBigints(message: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const entries = Object.entries(message).map(([name, value]) => {
    if (typeof value === 'string' && /^\d+$/.test(value)) return [name, BigInt(value)]
    return [name, typeof value === 'object' && value !== null ? withBigints(value as Record<string, unknown>) : value]
  })
  return Object.fromEntries(entries)
}
