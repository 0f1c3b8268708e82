/**
 * Finds the pools among recorded accounts by their CREATE2 addresses, which follow from factory, tokens, and fee. The
 * factories themselves are not called.
 */
import { type Address, type DexRow, type Hex, toAddress } from '@sluice/chains'
import { AbiCoder, getCreate2Address, Interface, keccak256, solidityPackedKeccak256 } from 'ethers'
import { request } from '../node.ts'
import type { MainnetPool } from './state.ts'

const getters = new Interface([
  'function token0() view returns (address)',
  'function token1() view returns (address)',
  'function fee() view returns (uint24)',
  'function tickSpacing() view returns (int24)',
])

type ReadGetter = (getter: string) => Promise<bigint | undefined>

/**
 * Functions that compute the CREATE2 salt of a pool, by family. `fee` is in ppm, and is used by families with fee
 * tiers.
 */
const SALT_FUNCTIONS: Readonly<Record<string, (tokens: readonly [Address, Address], fee: number) => Hex>> = {
  'uniswap-v2': (tokens) => solidityPackedKeccak256(['address', 'address'], tokens) as Hex,
  'uniswap-v3': (tokens, fee) => saltByFee(tokens, fee),
  'pancake-v3': (tokens, fee) => saltByFee(tokens, fee),
}

const saltByFee = (tokens: readonly [Address, Address], fee: number): Hex =>
  keccak256(AbiCoder.defaultAbiCoder().encode(['address', 'address', 'uint24'], [...tokens, fee])) as Hex

/**
 * Returns the accounts that are pools of a factory in `dexes`. A CREATE2 address proves which factory created a pool,
 * so the state of the factory need not be recorded. Finds no pools of factories whose entry has no init code hash.
 *
 * @param accounts - recorded accounts with code
 * @param dexes - DEX entries of the chain file
 */
export async function findCreate2Pools(
  url: string,
  accounts: readonly Address[],
  dexes: readonly DexRow[],
): Promise<readonly MainnetPool[]> {
  const pools = await Promise.all(accounts.map((account) => poolAt(url, account, dexes)))
  return pools.flatMap((pool) => pool ?? [])
}

async function poolAt(url: string, address: Address, dexes: readonly DexRow[]): Promise<MainnetPool | undefined> {
  const readGetter: ReadGetter = async (getter) => {
    const call = { to: address, data: getters.encodeFunctionData(getter) }
    const answer = await request<Hex>(url, 'eth_call', [call, 'latest']).catch(() => '0x')
    return answer.length === 66 ? BigInt(answer) : undefined
  }
  const [token0, token1, fee, tickSpacing] = await Promise.all(
    ['token0', 'token1', 'fee', 'tickSpacing'].map(readGetter),
  )
  if (!token0 || !token1) return undefined
  const tokens = [token0, token1].map((token) => toAddress(`0x${token.toString(16).padStart(40, '0')}`)) as [
    Address,
    Address,
  ]
  const hasFee = fee !== undefined && tickSpacing !== undefined
  const row = dexes.find(({ family, address: factory, contracts, initCodeHash }) => {
    const saltOf = SALT_FUNCTIONS[family]
    if (!saltOf || !initCodeHash || hasFee === (family === 'uniswap-v2')) return false
    const salt = saltOf(tokens, Number(fee))
    return toAddress(getCreate2Address(contracts?.poolDeployer ?? factory, salt, initCodeHash)) === address
  })
  if (!row) return undefined
  const family = row.family as MainnetPool['family']
  const factory = toAddress(row.address)
  return {
    ...{ family, factory, address, tokens },
    ...(hasFee && { fee: Number(fee), tickSpacing: Number(BigInt.asIntN(24, tickSpacing)) }),
  }
}
