/**
 * Assigns pools of recorded blocks to served rows of the chain's file. Recorded states lack the storage of factories and
 * the logs of the past, by which the service finds pools on a chain.
 */
import { type Address, type Chain, type DexRow, type Hex, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { findCreate2Pools } from '@sluice/devnet'
import { families, familyOf, type ListedPool, type Pool, runReads, servedRows } from '@sluice/liquidity'
import type { BlockHeader, Rpc } from '@sluice/rpc'
import { AbiCoder, id, keccak256 } from 'ethers'
import { readAddress, readFactory } from './reads.ts'
import type { Swap } from './swaps.ts'

/** A pool of a served row. */
export type AssignedPool = {
  readonly row: DexRow
  /** The pool as the row would report it; null if the recorded state does not hold enough of it. */
  readonly pool: Pool<null> | null
}

type Node = {
  readonly chain: Chain
  readonly rpc: Rpc
  readonly url: string
}

type Context = Node & {
  readonly rows: readonly DexRow[]
  readonly block: BlockHeader
  /** Pools in memory. */
  readonly knownPools: ReadonlyMap<string, Pool>
}

/** Kinds of events that one family alone emits. */
const FAMILY_OF_KIND: Readonly<Record<string, string>> = { iZiSwap: 'iziswap', Fluid: 'fluid-dex' }

/**
 * Returns the rows of pools that swapped and that memory lacks, by the id of the pool. A pool belongs to the row of the
 * first rule that matches. The rules, in order: its contract is the row's own; it names the row's factory; its address
 * follows from the factory; its event belongs to one family with one row on the chain; its code equals that of a pool
 * in memory, or contains the row's factory as an immutable; the name of its share token begins with the row's brand.
 *
 * @param knownPools - pools in memory
 * @throws RpcError if the node fails
 */
export async function assignPools(
  swaps: readonly Swap[],
  knownPools: ReadonlyMap<string, Pool>,
  node: Node,
): Promise<ReadonlyMap<string, AssignedPool>> {
  const { chain, rpc } = node
  const block = (await rpc.getBlock('latest'))!
  const rows = servedRows(chain, new Map(families.map((family) => [family.id, family])))
  const unknown = new Map(swaps.filter(({ pool }) => !knownPools.has(pool)).map((swap) => [swap.pool, swap]))
  const entries = await Promise.all(
    [...unknown].map(async ([pool, swap]) => [pool, await assign(swap, { ...node, rows, block, knownPools })] as const),
  )
  return new Map(entries.flatMap(([pool, assigned]) => (assigned ? [[pool, assigned] as const] : [])))
}

async function assign(swap: Swap, context: Context): Promise<AssignedPool | null> {
  const { rows, rpc } = context
  const { kind, contract, pool } = swap
  const holders = rows.filter(({ address }) => toAddress(address) === contract)
  if (kind === 'Uniswap V4' && holders.length > 0) return v4Pool(swap, holders, context)
  if (holders[0]) return { row: holders[0], pool: null }
  if (pool !== contract) return null
  if (kind === 'Curve') return curvePool(contract, context)
  const row = await rowOf(swap, context)
  if (!row) return null
  const tokens = await tokensOf(contract, rpc)
  return { row, pool: tokens && poolOf(row, contract, tokens) }
}

async function rowOf({ kind, contract }: Swap, context: Context): Promise<DexRow | undefined> {
  const { chain, rows, rpc, url } = context
  const factory =
    (await readFactory(rpc, contract)) ?? (await findCreate2Pools(url, [contract], chain.dexes))[0]?.factory
  if (factory) return rows.find(({ address }) => toAddress(address) === factory)
  const ofFamily = rows.filter(({ family }) => family === FAMILY_OF_KIND[kind])
  if (ofFamily.length === 1) return ofFamily[0]
  return (await rowByCode(contract, context)) ?? (await rowByName(contract, context))
}

const poolOf = ({ family, brand }: DexRow, address: Address, tokens: readonly Address[]): Pool<null> => {
  return { id: address, family, dex: brand, address, tokens, state: null }
}

/** Instruction that pushes a word, and the zeros before an address in it. */
const PUSHED_ADDRESS = `7f${'0'.repeat(24)}`

async function rowByCode(contract: Address, { rows, rpc, knownPools }: Context): Promise<DexRow | undefined> {
  const code = await rpc.getCode(contract, 'latest')
  const namedRows = rows.filter(
    ({ role, address }) => role === 'factory' && code.includes(`${PUSHED_ADDRESS}${address.slice(2).toLowerCase()}`),
  )
  if (namedRows.length === 1) return namedRows[0]
  for (const { address, family, dex } of knownPools.values()) {
    if ((await rpc.getCode(address, 'latest')) !== code) continue
    return rows.find((row) => row.family === family && row.brand === dex)
  }
  return undefined
}

/** Shortest first word of a name that is compared with brands. */
const MIN_WORD = 4

/** Returns the row of pairs whose brand begins with the first word of the name of the pair's share. */
async function rowByName(contract: Address, { rows, rpc }: Context): Promise<DexRow | undefined> {
  const data = await rpc.call({ to: contract, data: getter('name()') }, 'latest').catch(() => '0x')
  if (data.length < 2 + 3 * 64) return undefined
  const [name] = AbiCoder.defaultAbiCoder().decode(['string'], data) as unknown as [string]
  const word = name.split(' ')[0]!.toLowerCase()
  if (word.length < MIN_WORD) return undefined
  // The address of a pair proves its factory if the hash of its code is known, or disproves it.
  const pairs = rows.filter(({ family, initCodeHash }) => family === 'uniswap-v2' && !initCodeHash)
  return pairs.find(({ brand }) => brand.toLowerCase().startsWith(word))
}

const getter = (signature: string) => id(signature).slice(0, 10) as Hex

/** Getters of both tokens, in the order in which they are tried. */
const TOKENS = [
  ['token0()', 'token1()'],
  ['tokenX()', 'tokenY()'],
].map((pair) => pair.map(getter))

async function tokensOf(contract: Address, rpc: Rpc): Promise<readonly Address[] | null> {
  for (const getters of TOKENS) {
    const [first, second] = await Promise.all(getters.map((data) => readAddress(rpc, contract, data)))
    if (first && second) return [first, second]
  }
  return null
}

const MAX_COINS = 4

/** Assigns a pool to the first row of Curve whose math reproduces its own quotes. */
async function curvePool(contract: Address, { rows, rpc, block }: Context): Promise<AssignedPool | null> {
  const coin = (i: number) => `${getter('coins(uint256)')}${i.toString(16).padStart(64, '0')}` as Hex
  const coins = await Promise.all(Array.from({ length: MAX_COINS }, (_, i) => readAddress(rpc, contract, coin(i))))
  const tokens = coins.filter((token): token is Address => token !== null)
  const candidates = rows.filter(({ family }) => family.startsWith('curve-'))
  const at = { blockHash: block.hash }
  for (const row of candidates) {
    const { readFixed, readStates } = familyOf(row.family)!
    const barePool = poolOf(row, contract, tokens)
    const [fixed] = readFixed ? await runReads(rpc, at, [readFixed(row, [barePool], block.number)]) : [[barePool]]
    const pool = fixed?.[0]
    if (!pool) continue
    const [states] = await runReads(rpc, at, [readStates(row, [pool])])
    if (states?.[0]) return { row, pool }
  }
  return candidates[0] ? { row: candidates[0], pool: null } : null
}

/** Fee of a key whose hook sets it. */
const DYNAMIC_FEE = 0x800000
const TICK_SPACINGS = [1, 2, 4, 5, 6, 8, 10, 20, 30, 40, 50, 60, 100, 200, 400]

/**
 * Finds the key of a V4 pool, of which its id is the hash, among tokens that moved, the reported fee, common tick spacings,
 * and contracts of the transaction as hooks.
 */
async function v4Pool(swap: Swap, rows: readonly DexRow[], { rpc, block }: Context): Promise<AssignedPool> {
  const tokens = [...new Set([ZERO_ADDRESS, ...swap.moved])].sort()
  const hooks = [ZERO_ADDRESS, ...swap.contracts]
  const fees = [...(swap.feePpm === null ? [] : [swap.feePpm]), DYNAMIC_FEE]
  const word = (value: string | number) =>
    (typeof value === 'number' ? value.toString(16) : value.slice(2)).padStart(64, '0')
  const pairs = tokens.flatMap((first, i) => tokens.slice(i + 1).map((second) => [first, second] as const))
  for (const [pair, hook, fee, tickSpacing] of product(pairs, hooks, fees, TICK_SPACINGS)) {
    if (keccak256(`0x${[...pair, fee, tickSpacing, hook].map(word).join('')}`) !== swap.pool) continue
    const listedPool: ListedPool = {
      ...{ id: swap.pool, address: swap.contract, tokens: pair },
      fixed: { fee, tickSpacing, hooks: hook },
    }
    for (const row of rows) {
      const { provePools } = familyOf(row.family)!
      const [proven] = provePools ? await runReads(rpc, { blockHash: block.hash }, [provePools(row, [listedPool])]) : []
      if (proven?.[0]) return { row, pool: proven[0] }
    }
  }
  return { row: rows[0]!, pool: null }
}

function* product<A, B, C, D>(a: readonly A[], b: readonly B[], c: readonly C[], d: readonly D[]) {
  for (const one of a)
    for (const two of b) for (const three of c) for (const four of d) yield [one, two, three, four] as const
}
