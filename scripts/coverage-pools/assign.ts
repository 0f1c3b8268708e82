/**
 * Assigns pools of recorded blocks to the DEX deployments that the service serves (rows of the chain's file). On a live
 * chain, the service finds pools through their factories and past logs. The recorded state of a chain lacks both.
 */
import { type Address, type Chain, type DexRow, type Hex, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { findCreate2Pools } from '@sluice/devnet'
import { exactIdOf, families, familyOf, type ListedPool, type Pool, runReads, servedRows } from '@sluice/liquidity'
import type { BlockHeader, Rpc } from '@sluice/rpc'
import { AbiCoder, id, keccak256 } from 'ethers'
import { readAddress, readFactory } from './reads.ts'
import type { Swap } from './swaps.ts'

/** A pool, and the row of the chain's file to which it belongs. A row is one deployment of a DEX. */
export type AssignedPool = {
  readonly row: DexRow
  /** The pool as the service would find it through the row; null if the recorded state lacks data of the pool. */
  readonly pool: Pool<null> | null
}

type RecordedNode = {
  readonly chain: Chain
  readonly rpc: Rpc
  readonly url: string
}

type Context = RecordedNode & {
  readonly rows: readonly DexRow[]
  readonly block: BlockHeader
  /** Pools that the service has in memory. */
  readonly knownPools: ReadonlyMap<string, Pool>
}

/** Families by kind of swap event, for events that only one family emits. */
const FAMILY_OF_KIND: Readonly<Record<string, string>> = { iZiSwap: 'iziswap', Fluid: 'fluid-dex' }

/**
 * Finds the row of each pool that swapped but is not in memory. The first rule that matches determines the row:
 * - The pool's contract is the contract of the row.
 * - The pool's `factory()` returns the row's factory.
 * - The pool's CREATE2 address follows from the row's factory.
 * - Only one family emits the pool's swap event, and it has one row on the chain.
 * - The pool's code contains the row's factory as an immutable, or equals the code of a pool in memory.
 * - The row's brand begins with the first word of the name of the pool's share token.
 *
 * @param knownPools - pools in memory
 * @returns pools with their rows, by pool id
 * @throws RpcError if the node fails
 */
export async function assignPools(
  swaps: readonly Swap[],
  knownPools: ReadonlyMap<string, Pool>,
  node: RecordedNode,
): Promise<ReadonlyMap<string, AssignedPool>> {
  const { chain, rpc } = node
  const block = (await rpc.getBlock('latest'))!
  const servedDexRows = servedRows(chain, new Map(families.map((family) => [family.id, family])))
  // Leaves out the rows of twins, which are families that sample pools of another family. The market itself moves pools
  // to them.
  const rows = servedDexRows.filter(({ family }) => exactIdOf(family) === null)
  const swapByUnknownPool = new Map(swaps.filter(({ pool }) => !knownPools.has(pool)).map((swap) => [swap.pool, swap]))
  const entries = await Promise.all(
    [...swapByUnknownPool].map(
      async ([pool, swap]) => [pool, await assignPool(swap, { ...node, rows, block, knownPools })] as const,
    ),
  )
  return new Map(entries.flatMap(([pool, assignedPool]) => (assignedPool ? [[pool, assignedPool] as const] : [])))
}

async function assignPool(swap: Swap, context: Context): Promise<AssignedPool | null> {
  const { rows, rpc } = context
  const { kind, contract, pool } = swap
  const ownRows = rows.filter(({ address }) => toAddress(address) === contract)
  if (kind === 'Uniswap V4' && ownRows.length > 0) return assignV4Pool(swap, ownRows, context)
  if (ownRows[0]) return { row: ownRows[0], pool: null }
  if (pool !== contract) return null
  if (kind === 'Curve') return assignCurvePool(contract, context)
  const row = await findRow(swap, context)
  if (!row) return null
  const tokens = await tokensOf(contract, rpc)
  return { row, pool: tokens && poolOf(row, contract, tokens) }
}

async function findRow({ kind, contract }: Swap, context: Context): Promise<DexRow | undefined> {
  const { chain, rows, rpc, url } = context
  const factory =
    (await readFactory(rpc, contract)) ?? (await findCreate2Pools(url, [contract], chain.dexes))[0]?.factory
  if (factory) return rows.find(({ address }) => toAddress(address) === factory)
  const familyRows = rows.filter(({ family }) => family === FAMILY_OF_KIND[kind])
  if (familyRows.length === 1) return familyRows[0]
  return (await findRowByCode(contract, context)) ?? (await findRowByName(contract, context))
}

const poolOf = ({ family, brand }: DexRow, address: Address, tokens: readonly Address[]): Pool<null> => {
  return { id: address, family, dex: brand, address, tokens, state: null }
}

/** Start of the bytecode that pushes an address: PUSH32 and the 12 zero bytes of the address's word. */
const PUSH_ADDRESS = `7f${'0'.repeat(24)}`

/** Returns the row whose factory is in the contract's code, or the row of a pool in memory with the same code. */
async function findRowByCode(contract: Address, { rows, rpc, knownPools }: Context): Promise<DexRow | undefined> {
  const code = await rpc.getCode(contract, 'latest')
  const rowsInCode = rows.filter(
    ({ role, address }) => role === 'factory' && code.includes(`${PUSH_ADDRESS}${address.slice(2).toLowerCase()}`),
  )
  if (rowsInCode.length === 1) return rowsInCode[0]
  for (const { address, family, dex } of knownPools.values()) {
    if ((await rpc.getCode(address, 'latest')) !== code) continue
    return rows.find((row) => row.family === family && row.brand === dex)
  }
  return undefined
}

/** Minimum length of a name's first word. Shorter words would match too many brands. */
const MIN_WORD_LENGTH = 4

/** Returns the Uniswap V2 row whose brand begins with the first word of the name of the pair's share token. */
async function findRowByName(contract: Address, { rows, rpc }: Context): Promise<DexRow | undefined> {
  const data = await rpc.call({ to: contract, data: selectorOf('name()') }, 'latest').catch(() => '0x')
  if (data.length < 2 + 3 * 64) return undefined
  const [name] = AbiCoder.defaultAbiCoder().decode(['string'], data) as unknown as [string]
  const word = name.split(' ')[0]!.toLowerCase()
  if (word.length < MIN_WORD_LENGTH) return undefined
  // Leaves out rows with an init code hash: if the pair were of such a row, its CREATE2 address would have shown it.
  const pairRows = rows.filter(({ family, initCodeHash }) => family === 'uniswap-v2' && !initCodeHash)
  return pairRows.find(({ brand }) => brand.toLowerCase().startsWith(word))
}

const selectorOf = (signature: string) => id(signature).slice(0, 10) as Hex

/** Selectors of the getters of both tokens, in the order in which they are tried. */
const TOKEN_GETTERS = [
  ['token0()', 'token1()'],
  ['tokenX()', 'tokenY()'],
].map((pair) => pair.map(selectorOf))

async function tokensOf(contract: Address, rpc: Rpc): Promise<readonly Address[] | null> {
  for (const getters of TOKEN_GETTERS) {
    const [token0, token1] = await Promise.all(getters.map((data) => readAddress(rpc, contract, data)))
    if (token0 && token1) return [token0, token1]
  }
  return null
}

/** Maximum coins of a Curve pool that are read. */
const MAX_COINS = 4

/**
 * Assigns a pool to the first Curve row whose family can read it. A family reads only pools that its math can quote
 * exactly.
 */
async function assignCurvePool(contract: Address, { rows, rpc, block }: Context): Promise<AssignedPool | null> {
  const coin = (i: number) => `${selectorOf('coins(uint256)')}${i.toString(16).padStart(64, '0')}` as Hex
  const coins = await Promise.all(Array.from({ length: MAX_COINS }, (_, i) => readAddress(rpc, contract, coin(i))))
  const tokens = coins.filter((token): token is Address => token !== null)
  const candidates = rows.filter(({ family }) => family.startsWith('curve-'))
  const blockRef = { blockHash: block.hash }
  for (const row of candidates) {
    const { readFixed, readStates } = familyOf(row.family)!
    const barePool = poolOf(row, contract, tokens)
    const [fixed] = readFixed ? await runReads(rpc, blockRef, [readFixed(row, [barePool], block.number)]) : [[barePool]]
    const pool = fixed?.[0]
    if (!pool) continue
    const [states] = await runReads(rpc, blockRef, [readStates(row, [pool])])
    if (states?.[0]) return { row, pool }
  }
  return candidates[0] ? { row: candidates[0], pool: null } : null
}

/** Fee in the key of a V4 pool whose hook sets the fee. */
const DYNAMIC_FEE = 0x800000
/** Common tick spacings of V4 pools. */
const TICK_SPACINGS = [1, 2, 4, 5, 6, 8, 10, 20, 30, 40, 50, 60, 100, 200, 400]

/**
 * Finds the key of a V4 pool, whose hash is the pool's id. Tries keys with tokens that moved in the transaction, the
 * reported fee, common tick spacings, and contracts of the transaction as hooks.
 */
async function assignV4Pool(swap: Swap, rows: readonly DexRow[], { rpc, block }: Context): Promise<AssignedPool> {
  const tokens = [...new Set([ZERO_ADDRESS, ...swap.movedTokens])].sort()
  const hooks = [ZERO_ADDRESS, ...swap.contracts]
  const fees = [...(swap.feePpm === null ? [] : [swap.feePpm]), DYNAMIC_FEE]
  const word = (value: string | number) =>
    (typeof value === 'number' ? value.toString(16) : value.slice(2)).padStart(64, '0')
  const pairs = tokens.flatMap((token0, i) => tokens.slice(i + 1).map((token1) => [token0, token1] as const))
  for (const [pair, hook, fee, tickSpacing] of product(pairs, hooks, fees, TICK_SPACINGS)) {
    if (keccak256(`0x${[...pair, fee, tickSpacing, hook].map(word).join('')}`) !== swap.pool) continue
    const listedPool: ListedPool = {
      ...{ id: swap.pool, address: swap.contract, tokens: pair },
      fixed: { fee, tickSpacing, hooks: hook },
    }
    for (const row of rows) {
      const { provePools } = familyOf(row.family)!
      const [provenPools] = provePools
        ? await runReads(rpc, { blockHash: block.hash }, [provePools(row, [listedPool])])
        : []
      if (provenPools?.[0]) return { row, pool: provenPools[0] }
    }
  }
  return { row: rows[0]!, pool: null }
}

/** Yields all combinations of one element of each list. */
function* product<A, B, C, D>(a: readonly A[], b: readonly B[], c: readonly C[], d: readonly D[]) {
  for (const itemA of a)
    for (const itemB of b) for (const itemC of c) for (const itemD of d) yield [itemA, itemB, itemC, itemD] as const
}
