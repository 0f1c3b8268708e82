/** Test wallet with atomic batches (EIP-5792): an EIP-1193 provider whose account delegates to a batcher (EIP-7702). */

import { compile, request } from '@sluice/devnet'
import { Wallet as EthersWallet, Interface, JsonRpcProvider } from 'ethers'
import type { Eip1193Provider } from '../src/index.ts'

const source = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

contract Batcher {
    struct Call { address to; uint256 value; bytes data; }

    receive() external payable {}

    function execute(Call[] calldata calls) external payable {
        require(msg.sender == address(this), "not the owner");
        for (uint256 i; i < calls.length; ++i) {
            (bool ok, bytes memory answer) = calls[i].to.call{value: calls[i].value}(calls[i].data);
            if (!ok) assembly { revert(add(answer, 0x20), mload(answer)) }
        }
    }
}`
const batcher = new Interface(['function execute((address to, uint256 value, bytes data)[] calls) payable'])

export type SmartAccount = {
  readonly provider: Eip1193Provider
  /** Methods of all transactions and batches that the wallet signed, in order. */
  readonly signed: string[]
  readonly stop: () => void
}

export type Behaviour = {
  /** Status of the `atomic` capability. Default: `supported`. */
  readonly status?: string
  /** Error code with which the wallet refuses a batch. */
  readonly refuses?: number
  /** Called before the batch is sent. */
  readonly before?: () => Promise<void>
}

/** Deploys the batcher. Each batch delegates the account to its code. */
export async function smartAccount(
  url: string,
  privateKey: string,
  { status = 'supported', refuses, before }: Behaviour = {},
): Promise<SmartAccount> {
  const node = new JsonRpcProvider(url, undefined, { staticNetwork: true, cacheTimeout: -1, pollingInterval: 50 })
  const owner = new EthersWallet(privateKey, node)
  const { chainId } = await node.getNetwork()
  const chain = `0x${chainId.toString(16)}`
  const { bytecode } = compile({
    ...{ compiler: 'solc', evmVersion: 'cancun', runs: 200, packages: [] },
    sources: { 'Batcher.sol': source },
  }).Batcher!
  const deployed = await (await owner.sendTransaction({ data: bytecode })).wait()
  const signed: string[] = []

  const methods: Record<string, (params: readonly unknown[]) => Promise<unknown>> = {
    wallet_getCapabilities: async () => ({ [chain]: { atomic: { status } } }),
    async wallet_sendCalls([batch]) {
      const { version, from, chainId: requestedChain, atomicRequired, calls } = batch as Record<string, unknown>
      if (version !== '2.0.0' || requestedChain !== chain || atomicRequired !== true || from !== owner.address)
        throw new Error('not a batch of this account')
      if (refuses) throw Object.assign(new Error('the owner says no'), { code: refuses })
      signed.push('wallet_sendCalls')
      await before?.()
      // The transaction increments the nonce before the authorization is checked, so the authorization uses `nonce + 1`.
      const nonce = await owner.getNonce()
      const code = await owner.authorize({ address: deployed!.contractAddress!, nonce: nonce + 1, chainId })
      const data = batcher.encodeFunctionData('execute', [calls])
      const sent = { type: 4, nonce, to: owner.address, data, authorizationList: [code], gasLimit: 5_000_000n }
      return { id: (await owner.sendTransaction(sent)).hash }
    },
    async wallet_getCallsStatus([id]) {
      const receipt = await request<{ status: string; transactionHash: string } | null>(
        url,
        'eth_getTransactionReceipt',
        [id],
      )
      const status = receipt ? { status: receipt.status === '0x1' ? 200 : 500, receipts: [receipt] } : { status: 100 }
      return { version: '2.0.0', id, chainId: chain, atomic: true, ...status }
    },
  }
  return {
    signed,
    stop: () => node.destroy(),
    provider: {
      request({ method, params = [] }) {
        if (method === 'eth_sendTransaction') signed.push(method)
        return methods[method]?.(params) ?? request(url, method, params)
      },
    },
  }
}
