/** One chain over one or more endpoints: time limits, retries, failover, and endpoints that lie or lag set aside. */
import { type Address, type Hex, toAddress } from '@sluice/chains'
import {
  blockParam,
  callParam,
  decodeBlock,
  decodeLog,
  logFilterParam,
  overridesParam,
  quantity,
  type RawBlock,
  type RawLog,
} from './encode.ts'
import { Endpoint } from './endpoint.ts'
import { RpcError } from './errors.ts'
import type {
  BlockHeader,
  BlockOverrides,
  BlockRef,
  CallOptions,
  CallRequest,
  Log,
  LogFilter,
  RequestOptions,
  Rpc,
} from './types.ts'

export type RpcOptions = {
  readonly chainId: number
  /** In order of preference. */
  readonly urls: readonly string[]
  /** For one call at one endpoint. */
  readonly timeoutMs?: number
  /** How long an endpoint that failed is passed over while another one works. */
  readonly ejectMs?: number
}

type Seat = { readonly endpoint: Endpoint; ejectedUntil: number; checked: boolean }

export function createRpc(options: RpcOptions): Rpc {
  return new ChainRpc(options)
}

class ChainRpc implements Rpc {
  readonly chainId: number
  private readonly timeoutMs: number
  private readonly ejectMs: number
  private readonly seats: Seat[]
  private readonly closed = new AbortController()

  constructor({ chainId, urls, timeoutMs = 5000, ejectMs = 10_000 }: RpcOptions) {
    this.chainId = chainId
    this.timeoutMs = timeoutMs
    this.ejectMs = ejectMs
    this.seats = urls.map((url) => ({ endpoint: new Endpoint({ url }), ejectedUntil: 0, checked: false }))
  }

  /** Tries every endpoint once, those in good standing first. What a node says of the call itself is final. */
  async request<T>(method: string, params: readonly unknown[], options: RequestOptions = {}): Promise<T> {
    const now = Date.now()
    const order = [
      ...this.seats.filter((seat) => seat.ejectedUntil <= now),
      ...this.seats.filter((seat) => seat.ejectedUntil > now),
    ]
    let last = new RpcError('UNREACHABLE', `no RPC endpoint is known for chain ${this.chainId}`)
    for (const seat of order) {
      const limit = AbortSignal.timeout(options.timeoutMs ?? this.timeoutMs)
      const signal = AbortSignal.any([limit, this.closed.signal, ...(options.signal ? [options.signal] : [])])
      try {
        await this.checkChain(seat, signal)
        const result = await seat.endpoint.request<T>(method, params, signal)
        seat.ejectedUntil = 0
        return result
      } catch (error) {
        if (!(error instanceof RpcError)) throw error
        if (error.code === 'REVERTED' || error.code === 'ABORTED') throw error
        last = error
        if (error.code !== 'REJECTED') seat.ejectedUntil = Date.now() + this.ejectMs
      }
    }
    throw last
  }

  async call(request: CallRequest, block: BlockRef, options: CallOptions = {}): Promise<Hex> {
    const { overrides, blockOverrides, ...rest } = options
    const params: unknown[] = [callParam(request), blockParam(block)]
    if (overrides || blockOverrides) params.push(overridesParam(overrides ?? {}))
    if (blockOverrides) params.push(blockOverridesParam(blockOverrides))
    return this.request<Hex>('eth_call', params, rest)
  }

  async getBlock(block: BlockRef, options?: RequestOptions): Promise<BlockHeader | null> {
    const raw =
      typeof block === 'object'
        ? await this.request<RawBlock | null>('eth_getBlockByHash', [block.blockHash, false], options)
        : await this.request<RawBlock | null>('eth_getBlockByNumber', [blockParam(block), false], options)
    return raw && decodeBlock(raw)
  }

  async getLogs(filter: LogFilter, options?: RequestOptions): Promise<readonly Log[]> {
    return (await this.request<RawLog[]>('eth_getLogs', [logFilterParam(filter)], options)).map(decodeLog)
  }

  getCode(address: Address, block: BlockRef, options?: RequestOptions): Promise<Hex> {
    return this.request<Hex>('eth_getCode', [address, blockParam(block)], options)
  }

  async gasPrice(options?: RequestOptions): Promise<bigint> {
    return BigInt(await this.request<Hex>('eth_gasPrice', [], options))
  }

  close(): void {
    this.closed.abort()
  }

  /** An endpoint is trusted only after it has named this chain. */
  private async checkChain(seat: Seat, signal: AbortSignal): Promise<void> {
    if (seat.checked) return
    const chainId = Number(await seat.endpoint.request<Hex>('eth_chainId', [], signal))
    if (chainId !== this.chainId) {
      throw new RpcError('WRONG_CHAIN', `an RPC endpoint of chain ${this.chainId} answers for chain ${chainId}`)
    }
    seat.checked = true
  }
}

function blockOverridesParam({ coinbase, baseFeePerGas }: BlockOverrides): Record<string, Hex> {
  return {
    ...(coinbase !== undefined && { feeRecipient: toAddress(coinbase) }),
    ...(baseFeePerGas !== undefined && { baseFeePerGas: quantity(baseFeePerGas) }),
  }
}
