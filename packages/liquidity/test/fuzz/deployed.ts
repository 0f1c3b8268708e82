/**
 * Nodes with deployed code of families whose licences keep it out of this repository. It is taken from files that environment variables
 * name, one for each family: `{ codes, accounts }`, or `{ codes, scenes }` where several sets of accounts come from different blocks.
 */
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { type Address, type DexRow, type Hex, toAddress } from '@sluice/chains'
import { type Anvil, accounts, type Builder, type Contract, createBuilder, request, startAnvil } from '@sluice/devnet'
import { createRpc, type Rpc } from '@sluice/rpc'
import { AbiCoder, keccak256 } from 'ethers'
import { familyOf, type Pool } from '../../src/index.ts'
import { runReads } from '../../src/market/reads.ts'
import { compileModels } from '../models/compile.ts'
import { type Ask, EXECUTOR, PLENTY, type PoolWorld, standTrader, TRADER, word } from './world.ts'

type Account = {
  readonly code?: string
  readonly balance?: string
  readonly storage?: Readonly<Record<string, string>>
}
export type Accounts = Readonly<Record<string, Account>>
/** Codes by a name, and sets of accounts that have them. */
export type DeployedCode = { readonly codes: Readonly<Record<string, Hex>>; readonly scenes: readonly Accounts[] }

/** Name of the variable with the path of a family's file, gzipped or not: AMBIENT_STATE for ambient. */
export const variableOf = (family: string) => `${family.toUpperCase().replaceAll('-', '_')}_STATE`
/** Why a family's code cannot be had, for tests that are skipped. */
export const notGiven = (family: string) => `${variableOf(family)} names no file with the accounts of its contracts`

/** @returns undefined if no file is configured. @throws Error for a file that does not hold the accounts */
export function deployedOf(family: string): DeployedCode | undefined {
  const file = process.env[variableOf(family)]
  if (!file) return undefined
  const bytes = readFileSync(file)
  const { codes, scenes, accounts } = JSON.parse(String(file.endsWith('.gz') ? gunzipSync(bytes) : bytes))
  if (!codes || !(scenes ?? accounts)) throw new Error(`${file} holds neither accounts nor scenes of them`)
  const sets = scenes
    ? Object.values(scenes as Record<string, { accounts: Accounts }>)
    : [{ accounts: accounts as Accounts }]
  return { codes, scenes: sets.map((set) => set.accounts) }
}

/** The first set of accounts that has all of these. @throws Error where none has */
export function sceneWith({ scenes }: DeployedCode, ...addresses: readonly Address[]): Accounts {
  const match = scenes.find((scene) => addresses.every((address) => address in scene))
  if (!match) throw new Error(`no set of accounts has ${addresses.join(' and ')}`)
  return match
}

export function codeAt({ codes }: DeployedCode, scene: Accounts, address: Address): Hex {
  const code = codes[scene[address]?.code ?? '']
  if (!code) throw new Error(`no code at ${address}`)
  return code
}

/** Code as its constructor would have left it with other values: words that it pushes, all of each value or one after another. */
export function withImmutables(
  code: Hex,
  changes: readonly (readonly [from: bigint, to: bigint | readonly bigint[]])[],
): Hex {
  let changed: string = code
  for (const [from, to] of changes) {
    const parts = changed.split(`7f${word(from).slice(2)}`)
    if (parts.length === 1) throw new Error(`the code pushes no word ${from}`)
    if (typeof to !== 'bigint' && to.length !== parts.length - 1)
      throw new Error(`${parts.length - 1} words are ${from}`)
    changed = parts.reduce(
      (text, part, i) => `${text}7f${word(typeof to === 'bigint' ? to : to[i - 1]!).slice(2)}${part}`,
    )
  }
  return changed as Hex
}

/** The place of a mapping's value, as Solidity keeps it; keys below zero as they are padded. */
export const slotOf = (key: bigint | Address, slot: bigint | number) =>
  BigInt(keccak256(AbiCoder.defaultAbiCoder().encode(['uint256', 'uint256'], [BigInt.asUintN(256, BigInt(key)), slot])))

/** Addresses that nobody else's contracts have. */
export const addressAt = (k: number) => toAddress(`0x${(0x5afe_0000 + k).toString(16).padStart(40, '0')}`)

/** Base units of our tokens: more than any pool pays out. */
const FUNDS = 1n << 160n

export type Node = {
  readonly ask: Ask
  readonly rpc: Rpc
  readonly builder: Builder
  readonly anvil: Anvil
  place(deployment: DeployedCode, accounts: Accounts): Promise<void>
  write(address: Address, words: Iterable<readonly [slot: bigint | number, value: bigint]>): Promise<void>
  /** A token of ours of which trader and holders have plenty, at its own address or in place of another one. */
  coin(holders: readonly Address[], decimals?: number, at?: Address): Promise<Contract>
}

/** A node with the trader on it, who has plenty of native token. */
export async function startNode(args: readonly string[] = []): Promise<Node> {
  const anvil = await startAnvil({ args })
  const ask: Ask = (method, params = []) => request(anvil.url, method, params)
  const rpc = createRpc({ chainId: Number(await ask<Hex>('eth_chainId')), urls: [anvil.url] })
  const builder = createBuilder(anvil.url, toAddress(accounts()[0]!.address))
  await standTrader(ask)
  await ask('anvil_setBalance', [TRADER, word(PLENTY << 8n)])
  const { DecimalCoin } = compileModels()
  const write: Node['write'] = async (address, words) => {
    for (const [slot, value] of words) await ask('anvil_setStorageAt', [address, word(BigInt(slot)), word(value)])
  }
  return {
    ...{ ask, rpc, builder, anvil, write },
    async place({ codes }, placed) {
      for (const [text, { code, balance, storage = {} }] of Object.entries(placed)) {
        const address = toAddress(text)
        if (code) await ask('anvil_setCode', [address, codes[code]])
        if (balance) await ask('anvil_setBalance', [address, balance])
        await write(
          address,
          Object.entries(storage).map(([slot, value]) => [BigInt(slot), BigInt(value)]),
        )
      }
    },
    async coin(holders, decimals = 18, at) {
      const own = await builder.deploy(DecimalCoin as never, [decimals])
      if (at) await ask('anvil_setCode', [at, await builder.code(own.address)])
      const coin = at ? builder.contractAt(DecimalCoin!.abi as never, at) : own
      for (const holder of [TRADER, ...holders]) await coin.send('mint', [holder, FUNDS])
      return coin
    },
  }
}

/** Pools of a node, read as their family reads them. @throws Error where one cannot be read: each of them was made to be */
export async function worldOf(
  node: Node,
  family: string,
  row: DexRow,
  unreadPools: readonly Pool<null>[],
): Promise<PoolWorld> {
  const { ask, rpc, anvil } = node
  await ask('evm_mine')
  let blockHash: Hex = '0x'
  let pools: readonly Pool[] = []
  async function sync(): Promise<void> {
    blockHash = (await ask<{ hash: Hex }>('eth_getBlockByNumber', ['latest', false])).hash
    const [states] = await runReads(rpc, { blockHash }, [familyOf(family)!.readStates(row, unreadPools)])
    pools = unreadPools.map((pool, i) => {
      const state = (states as readonly unknown[])[i]
      if (!state) throw new Error(`${family} ${pool.id} was not read`)
      return { ...pool, state }
    })
  }
  await sync()
  return {
    ...{ name: family, rpc, trader: TRADER, executor: EXECUTOR, skipped: new Map(), request: ask, sync },
    pools: () => pools,
    blockHash: () => blockHash,
    async stop() {
      rpc.close()
      await anvil.stop()
    },
  }
}
