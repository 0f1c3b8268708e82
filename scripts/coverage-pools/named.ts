/**
 * Assigns pools of recorded blocks to rows of the chain's file. Recorded states lack the storage of factories and the logs
 * of the past, by which the service finds pools on a chain.
 */
import { type Address, type Chain, type DexRow, type Hex, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { families, familyOf, type FoundPool, type Pool, runReads, servedRows } from '@sluice/liquidity'
import type { BlockHeader, Rpc } from '@sluice/rpc'
import { AbiCoder, id } from 'ethers'
import { readAddress, readFactory } from './reads.ts'
import type { Swap } from './swaps.ts'

/** Kinds of events that one family alone emits. */
const FAMILY_OF_KIND: Readonly<Record<string, string>> = { iZiSwap: 'iziswap', Fluid: 'fluid-dex' }

const getter = (signature: string) => id(signature).slice(0, 10) as Hex
/** Getters of the first and second token, in the order in which they are tried. */
const TOKENS: readonly (readonly [Hex, Hex])[] = [
  [getter('token0()'), getter('token1()')],
  [getter('tokenX()'), getter('tokenY()')],
]
const NAME = getter('name()')
const MAX_COINS = 4

/**
 * Returns pools of served rows that swapped. What assigns a pool is the factory that it names, the event that one family
 * alone emits if the chain has one row of it, or the name of its share if that begins with the brand of a row. Curve's
 * pools are assigned to the first row of Curve whose math reproduces them.
 *
 * @throws RpcError if the node fails
 */
export async function namedPools(swaps: readonly Swap[], chain: Chain, rpc: Rpc): Promise<readonly FoundPool[]> {
  const block = (await rpc.getBlock('latest'))!
  const rows = servedRows(chain, new Map(families.map((family) => [family.id, family])))
  const alone = new Map(swaps.filter(({ pool, contract }) => pool === contract).map((swap) => [swap.contract, swap]))
  const pools = await Promise.all([...alone.values()].map((swap) => namedPool(swap, { rows, rpc, block })))
  return pools.flatMap((pool) => pool ?? [])
}

type Context = { readonly rows: readonly DexRow[]; readonly rpc: Rpc; readonly block: BlockHeader }

async function namedPool({ kind, contract }: Swap, context: Context): Promise<FoundPool | null> {
  const { rows, rpc } = context
  if (kind === 'Curve') return curvePool(contract, context)
  const factory = await readFactory(rpc, contract)
  const ofFamily = rows.filter(({ family }) => family === FAMILY_OF_KIND[kind])
  const row =
    (factory ? rows.find(({ address }) => toAddress(address) === factory) : undefined) ??
    (ofFamily.length === 1 ? ofFamily[0] : undefined) ??
    (await rowByName(contract, context))
  const tokens = row && (await tokensOf(contract, rpc))
  return row && tokens ? { row, pool: poolOf(row, contract, tokens) } : null
}

const poolOf = ({ family, brand }: DexRow, address: Address, tokens: readonly Address[]): Pool<null> => {
  return { id: address, family, dex: brand, address, tokens, state: null }
}

/** Returns the row of pairs whose brand begins the name of the pair's share. Rows with a known code are proven otherwise. */
async function rowByName(contract: Address, { rows, rpc }: Context): Promise<DexRow | undefined> {
  const data = await rpc.call({ to: contract, data: NAME }, 'latest').catch(() => '0x')
  if (data.length < 2 + 3 * 64) return undefined
  const [name] = AbiCoder.defaultAbiCoder().decode(['string'], data) as unknown as [string]
  const word = name.split(' ')[0]!.toLowerCase()
  if (word.length < 4) return undefined
  return rows.find(
    ({ family, brand, initCodeHash }) =>
      family === 'uniswap-v2' && !initCodeHash && brand.toLowerCase().startsWith(word),
  )
}

async function tokensOf(contract: Address, rpc: Rpc): Promise<readonly Address[] | null> {
  for (const getters of TOKENS) {
    const [first, second] = await Promise.all(getters.map((data) => readAddress(rpc, contract, data)))
    if (first && second) return [first, second]
  }
  return null
}

async function curvePool(contract: Address, { rows, rpc, block }: Context): Promise<FoundPool | null> {
  const index = (i: number) => `${getter('coins(uint256)')}${i.toString(16).padStart(64, '0')}` as Hex
  const coins = await Promise.all(
    Array.from({ length: MAX_COINS }, (_, i) => readAddress(rpc, contract, index(i))),
  )
  const tokens = coins.filter((coin) => coin !== null && coin !== ZERO_ADDRESS)
  for (const row of rows.filter(({ family }) => family.startsWith('curve-'))) {
    const { readFixed, readStates } = familyOf(row.family)!
    const pool = poolOf(row, contract, tokens)
    const fixed = readFixed ? await runReads(rpc, { blockHash: block.hash }, [readFixed(row, [pool], block.number)]) : [[pool]]
    const complete = fixed[0]![0]
    if (!complete) continue
    const [states] = await runReads(rpc, { blockHash: block.hash }, [readStates(row, [complete])])
    if (states![0]) return { row, pool: complete }
  }
  return null
}
