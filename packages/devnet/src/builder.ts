/** Sends the recipe's transactions, one block each, and reads back what they made. */
import { type Address, type Hex, toAddress } from '@sluice/chains'
import { getCreateAddress, Interface, type InterfaceAbi, type Result } from 'ethers'
import type { Artifact } from './artifact.ts'
import { DevnetError } from './errors.ts'
import { request } from './node.ts'

export type Receipt = {
  readonly status: Hex
  readonly contractAddress: Hex | null
  readonly gasUsed: Hex
  readonly effectiveGasPrice: Hex
  readonly logs: readonly { readonly address: Hex; readonly topics: readonly Hex[]; readonly data: Hex }[]
}

/** A contract on the local chain, called by the ABI its authors published. */
export type Contract = {
  readonly address: Address
  readonly abi: Interface
  /** Sends a transaction and waits for its block. @throws DevnetError BUILD when it reverts */
  send(method: string, args?: readonly unknown[], value?: bigint): Promise<Receipt>
  /** Raw answer of a call at the head. Methods that are not `view` are simulated. */
  call(method: string, args?: readonly unknown[]): Promise<Hex>
  /** The first return value of a call at the head. */
  read<T>(method: string, args?: readonly unknown[]): Promise<T>
  /** All return values of a call at the head, by position and name. */
  readAll(method: string, args?: readonly unknown[]): Promise<Result>
}

export type Builder = {
  readonly from: Address
  deploy(artifact: Artifact, args?: readonly unknown[]): Promise<Contract>
  at(abi: InterfaceAbi, address: string): Contract
  /** Address that the deployment after `skip` more transactions will have. */
  nextAddress(skip: number): Promise<Address>
  /** Runtime code. */
  code(address: Address): Promise<Hex>
  /** Places code that was constructed elsewhere. */
  setCode(address: Address, code: Hex): Promise<void>
  transact(fields: { to?: Address; data?: Hex; value?: bigint }): Promise<Receipt>
}

/** A whole block: every transaction has one of its own. */
const gasLimit = '0x1c9c380'

/** @param from an account that the node signs for */
export function createBuilder(url: string, from: Address): Builder {
  async function transact({ to, data, value = 0n }: { to?: Address; data?: Hex; value?: bigint }): Promise<Receipt> {
    const transaction = { from, ...(to && { to }), ...(data && { data }), value: hex(value), gas: gasLimit }
    const receipt = await request<Receipt>(url, 'eth_sendTransactionSync', [transaction])
    if (BigInt(receipt.status) !== 1n) {
      // Asking again at the head makes the node say why.
      const why = await request(url, 'eth_call', [transaction, 'latest']).then(
        () => 'it would succeed now',
        (error: Error) => error.message,
      )
      throw new DevnetError('BUILD', `transaction to ${to ?? 'a new contract'} reverted: ${why}`)
    }
    return receipt
  }

  function at(abi: InterfaceAbi, address: string): Contract {
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
    at,
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
      return at(iface.fragments, receipt.contractAddress)
    },
  }
}

function hex(value: bigint): Hex {
  return `0x${value.toString(16)}`
}
