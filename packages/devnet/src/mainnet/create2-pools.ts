/** Finds pools among recorded accounts without their factories, by the CREATE2 address that a factory gives each pool. */
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

type Read = (getter: string) => Promise<bigint | undefined>

/** Families whose pools have a CREATE2 address that follows from their tokens, and from their fee if they have one. */
const SALTS: Readonly<Record<string, (tokens: readonly [Address, Address], fee: number) => Hex>> = {
  'uniswap-v2': (tokens) => solidityPackedKeccak256(['address', 'address'], tokens) as Hex,
  'uniswap-v3': (tokens, fee) => saltByFee(tokens, fee),
  'pancake-v3': (tokens, fee) => saltByFee(tokens, fee),
}

const saltByFee = (tokens: readonly [Address, Address], fee: number): Hex =>
  keccak256(AbiCoder.defaultAbiCoder().encode(['address', 'address', 'uint24'], [...tokens, fee])) as Hex

/**
 * Returns the accounts that are pools of a factory in the chain's file. The address proves that a factory created the
 * pool, so the factory needs no recorded state. Pools of factories without a known init code hash are left out.
 *
 * @param accounts - recorded accounts with code
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
  const read: Read = async (getter) => {
    const call = { to: address, data: getters.encodeFunctionData(getter) }
    const answer = await request<Hex>(url, 'eth_call', [call, 'latest']).catch(() => '0x')
    return answer.length === 66 ? BigInt(answer) : undefined
  }
  const [token0, token1, fee, tickSpacing] = await Promise.all(['token0', 'token1', 'fee', 'tickSpacing'].map(read))
  if (!token0 || !token1) return undefined
  const tokens = [token0, token1].map((token) => toAddress(`0x${token.toString(16).padStart(40, '0')}`)) as [
    Address,
    Address,
  ]
  const byFee = fee !== undefined && tickSpacing !== undefined
  const row = dexes.find(({ family, address: factory, contracts, initCodeHash }) => {
    const saltOf = SALTS[family]
    if (!saltOf || !initCodeHash || byFee === (family === 'uniswap-v2')) return false
    const salt = saltOf(tokens, Number(fee))
    return toAddress(getCreate2Address(contracts?.poolDeployer ?? factory, salt, initCodeHash)) === address
  })
  if (!row) return undefined
  const family = row.family as MainnetPool['family']
  const factory = toAddress(row.address)
  return {
    ...{ family, factory, address, tokens },
    ...(byFee && { fee: Number(fee), tickSpacing: Number(BigInt.asIntN(24, tickSpacing)) }),
  }
}
