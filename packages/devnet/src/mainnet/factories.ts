/**
 * Factories whose storage no swap reads, so that the state lacks it: genuine code with the slots that its getters read.
 */
import type { Address, Hex } from '@sluice/chains'
import { AbiCoder, Interface, keccak256, toBeHex } from 'ethers'
import { artifact, hardhatArtifact } from '../artifact.ts'
import { DevnetError } from '../errors.ts'
import { request } from '../node.ts'
import type { MainnetPool } from './state.ts'

type Key = Address | number
/** An entry of a mapping: its slot in the contract's storage layout, its keys, and the value. */
type Entry = { readonly mapping: number; readonly keys: readonly Key[]; readonly value: Key }

type Kind = {
  readonly bytecode: () => Hex
  readonly getter: 'getPair' | 'getPool'
  readonly keys: (pool: MainnetPool) => readonly Key[]
  readonly entries: (pool: MainnetPool) => readonly Entry[]
}

const getters = new Interface([
  'function getPair(address, address) view returns (address)',
  'function getPool(address, address, uint24) view returns (address)',
])

/**
 * Returns a kind of factory that finds pools by fee.
 *
 * @param tiers - slot of `feeAmountTickSpacing`
 * @param found - slot of `getPool`
 */
function byFee(bytecode: () => Hex, tiers: number, found: number): Kind {
  return {
    bytecode,
    getter: 'getPool',
    keys: ({ tokens, fee }) => [...tokens, fee!],
    entries: ({ tokens: [a, b], fee, tickSpacing, address }) => [
      { mapping: tiers, keys: [fee!], value: tickSpacing! },
      { mapping: found, keys: [a, b, fee!], value: address },
      { mapping: found, keys: [b, a, fee!], value: address },
    ],
  }
}

const KINDS: Readonly<Partial<Record<MainnetPool['family'], Kind>>> = {
  'uniswap-v2': {
    bytecode: () => artifact('@uniswap/v2-core/build/UniswapV2Factory.json').bytecode,
    getter: 'getPair',
    keys: ({ tokens }) => tokens,
    entries: ({ tokens: [a, b], address }) => [
      { mapping: 2, keys: [a, b], value: address },
      { mapping: 2, keys: [b, a], value: address },
    ],
  },
  'uniswap-v3': byFee(() => hardhatArtifact('@uniswap/v3-core', 'UniswapV3Factory').bytecode, 4, 5),
  'pancake-v3': byFee(() => hardhatArtifact('@pancakeswap/v3-core', 'PancakeV3Factory').bytecode, 1, 2),
}

/**
 * Sets up the factories of the pools.
 *
 * @throws DevnetError BUILD if a getter does not return the pool
 */
export async function setUpFactories(url: string, pools: readonly MainnetPool[]): Promise<void> {
  for (const factory of new Set(pools.map((pool) => pool.factory))) {
    const made = pools.filter((pool) => pool.factory === factory)
    const kind = KINDS[made[0]!.family]
    if (!kind) throw new DevnetError('BUILD', `nothing stands in for the factory of ${made[0]!.family}`)
    if ((await request<Hex>(url, 'eth_getCode', [factory, 'latest'])) === '0x') {
      // A call without target runs the constructor with zero as argument, and returns the runtime code.
      const data = `${kind.bytecode()}${'00'.repeat(32)}`
      await request(url, 'anvil_setCode', [factory, await request<Hex>(url, 'eth_call', [{ data }, 'latest'])])
    }
    for (const { mapping, keys, value } of made.flatMap(kind.entries)) {
      const slot = keys.reduce(entrySlot, BigInt(mapping))
      await request(url, 'anvil_setStorageAt', [factory, toBeHex(slot, 32), toBeHex(value, 32)])
    }
    for (const pool of made) {
      const data = getters.encodeFunctionData(kind.getter, kind.keys(pool))
      const told = await request<Hex>(url, 'eth_call', [{ to: factory, data }, 'latest'])
      if (BigInt(told) !== BigInt(pool.address))
        throw new DevnetError('BUILD', `${factory} answers ${told} for the pool ${pool.address}`)
    }
  }
}

/** Returns the slot of a key in the mapping at `slot`. */
function entrySlot(slot: bigint, key: Key): bigint {
  return BigInt(keccak256(AbiCoder.defaultAbiCoder().encode(['uint256', 'uint256'], [key, slot])))
}
