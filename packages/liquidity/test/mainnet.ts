/** Ethereum's real state as tests of this package use it: a trader with plenty of any token. */
import { IERC20__factory } from '@sluice/bindings'
import type { Address, Hex } from '@sluice/chains'
import { accounts, createBuilder, request, startMainnet } from '@sluice/devnet'
import { type BlockRef, createRpc, type Rpc, RpcError } from '@sluice/rpc'
import type { Reads } from '../src/family.ts'
import { runReads } from '../src/market/reads.ts'

/** More than any pool here holds. */
const PLENTY = 1n << 110n

export type Log = { readonly address: Hex; readonly topics: readonly Hex[]; readonly data: Hex }

export type Mainnet = {
  readonly rpc: Rpc
  readonly me: Address
  /** Gives plenty of a token. */
  deal(token: Address, holder: Address): Promise<void>
  /** Gives me plenty of a token, which `spender` may take. */
  give(token: Address, spender: Address): Promise<void>
  /** A slot that no recorded transaction read. */
  setSlot(address: Address, slot: Hex, value: bigint): Promise<void>
  /** In a block of its own. @throws DevnetError when it reverts */
  send(to: Address, data: Hex): Promise<readonly Log[]>
  /** Calls at the head, sent by `me`; null if it reverts. */
  call(to: Address, data: Hex): Promise<Hex | null>
  /** Reads at the head. */
  read<T>(reads: Reads<T>): Promise<T>
  /** @returns what undoes all that was done since */
  snapshot(): Promise<() => Promise<void>>
  stop(): Promise<void>
}

const erc20 = IERC20__factory.createInterface()
const word = (value: string | bigint) => `0x${BigInt(value).toString(16).padStart(64, '0')}`

export async function onMainnet(): Promise<Mainnet> {
  const anvil = await startMainnet()
  const me = accounts()[0]!.address
  const node = createBuilder(anvil.url, me)
  const rpc = createRpc({ chainId: 1, urls: [anvil.url] })
  const ask = <T>(method: string, params: readonly unknown[]) => request<T>(anvil.url, method, params)
  const deal = async (token: Address, holder: Address) => {
    await ask('anvil_dealERC20', [holder, token, word(PLENTY)])
    // What backs the wrapped native token: some pools unwrap it.
    await ask('anvil_setBalance', [token, word(PLENTY)])
  }
  return {
    rpc,
    me,
    deal,
    async give(token, spender) {
      await deal(token, me)
      const data = erc20.encodeFunctionData('approve', [spender, PLENTY]) as Hex
      await node.transact({ to: token, data })
    },
    setSlot: async (address, slot, value) => void (await ask('anvil_setStorageAt', [address, word(slot), word(value)])),
    send: async (to, data) => (await node.transact({ to, data })).logs,
    call: (to, data) =>
      rpc.call({ from: me, to, data }, 'latest').catch((error: unknown) => {
        if (error instanceof RpcError && error.code === 'REVERTED') return null
        throw error
      }),
    read: async (reads) => (await runReads(rpc, 'latest' satisfies BlockRef, [reads]))[0]!,
    async snapshot() {
      const id = await ask<Hex>('evm_snapshot', [])
      return async () => {
        await ask('evm_revert', [id])
        // The next transaction after a revert may be lost otherwise.
        await ask('evm_mine', [])
      }
    },
    async stop() {
      rpc.close()
      await anvil.stop()
    },
  }
}
