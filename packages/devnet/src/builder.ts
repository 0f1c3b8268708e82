/** Deploys and calls contracts on the local chain, for the recipes in dexes/. Each transaction has its own block. */
import { type Address, type Hex, toAddress } from '@sluice/chains'
import { getCreateAddress, Interface, type InterfaceAbi, type Result } from 'ethers'
import type { Artifact } from './artifact.ts'
import { DevnetError } from './errors.ts'
import { request } from './node.ts'

export type DevnetReceipt = {
  readonly status: Hex
  readonly contractAddress: Hex | null
  readonly gasUsed: Hex
  readonly effectiveGasPrice: Hex
  readonly logs: readonly { readonly address: Hex; readonly topics: readonly Hex[]; readonly data: Hex }[]
}

/** A contract on the local chain with its published ABI. */
export type Contract = {
  readonly address: Address
  readonly abi: Interface
  /**
   * Sends a transaction and waits for its block.
   *
   * @throws DevnetError BUILD if it reverts
   */
  send(method: string, args?: readonly unknown[], value?: bigint): Promise<DevnetReceipt>
  /** Returns the raw result of a call at the head. Methods that are not `view` are simulated. */
  call(method: string, args?: readonly unknown[]): Promise<Hex>
  /** Returns the first return value of a call at the head. */
  read<T>(method: string, args?: readonly unknown[]): Promise<T>
  /** Returns all return values of a call at the head, by position and name. */
  readAll(method: string, args?: readonly unknown[]): Promise<Result>
}

/** Deploys and calls contracts from one account. */
export type Builder = {
  readonly from: Address
  deploy(artifact: Artifact, args?: readonly unknown[]): Promise<Contract>
  contractAt(abi: InterfaceAbi, address: string): Contract
  /** Returns the address of a contract that the builder deploys after `skip` other transactions. */
  nextAddress(skip: number): Promise<Address>
  /** Returns the runtime code of an account. */
  code(address: Address): Promise<Hex>
  /** Sets the runtime code of an account without a deployment. */
  setCode(address: Address, code: Hex): Promise<void>
  transact(fields: { to?: Address; data?: Hex; value?: bigint }): Promise<DevnetReceipt>
}

/** Gas limit of a transaction: that of a whole block (30 million), since every transaction has its own block. */
const GAS_LIMIT = '0x1c9c380'

/**
 * Creates a builder.
 *
 * @param from - an account that the node signs for
 */
export function createBuilder(url: string, from: Address): Builder {
  async function transact({
    to,
    data,
    value = 0n,
  }: {
    to?: Address
    data?: Hex
    value?: bigint
  }): Promise<DevnetReceipt> {
    const transaction = { from, ...(to && { to }), ...(data && { data }), value: hex(value), gas: GAS_LIMIT }
    const receipt = await request<DevnetReceipt>(url, 'eth_sendTransactionSync', [transaction])
    if (BigInt(receipt.status) !== 1n) {
      // A receipt has no revert reason, but a call with the same input returns one.
      const reason = await request(url, 'eth_call', [transaction, 'latest']).then(
        () => 'a call with the same input does not revert',
        (error: Error) => error.message,
      )
      throw new DevnetError('BUILD', `transaction to ${to ?? 'a new contract'} reverted: ${reason}`)
    }
    return receipt
  }

  function contractAt(abi: InterfaceAbi, address: string): Contract {
    const iface = Interface.from(abi)
    const to = toAddress(address)
    const encode = (method: string, args: readonly unknown[]) => iface.encodeFunctionData(method, args) as Hex
    const call = (method: string, args: readonly unknown[] = []) =>
      request<Hex>(url, 'eth_call', [{ from, to, data: encode(method, args) }, 'latest'])
    return {
      address: to,
      abi: iface,
      send: (method, args = [], value = 0n) => transact({ to, data: encode(method, args), value }),
      call,
      read: async <T>(method: string, args: readonly unknown[] = []) =>
        iface.decodeFunctionResult(method, await call(method, args))[0] as T,
      readAll: async (method, args = []) => iface.decodeFunctionResult(method, await call(method, args)),
    }
  }

  return {
    from,
    contractAt,
    transact,
    nextAddress: async (skip) => {
      const nonce = Number(await request<Hex>(url, 'eth_getTransactionCount', [from, 'latest']))
      return toAddress(getCreateAddress({ from, nonce: nonce + skip }))
    },
    code: (address) => request<Hex>(url, 'eth_getCode', [address, 'latest']),
    setCode: async (address, code) => void (await request(url, 'anvil_setCode', [address, code])),
    deploy: async ({ abi, bytecode }, args = []) => {
      const iface = Interface.from(abi)
      const receipt = await transact({ data: (bytecode + iface.encodeDeploy(args).slice(2)) as Hex })
      if (!receipt.contractAddress) throw new DevnetError('BUILD', 'the receipt of a deployment has no address')
      return contractAt(iface.fragments, receipt.contractAddress)
    },
  }
}

function hex(value: bigint): Hex {
  return `0x${value.toString(16)}`
}
