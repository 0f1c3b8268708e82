/** Factories whose storage no swap reads and which the state therefore lacks: genuine code, and the slots of their getters. */
import type { Address, Hex } from '@sluice/chains'
import { AbiCoder, Interface, keccak256, toBeHex } from 'ethers'
import { artifact, hardhatArtifact } from '../artifact.ts'
import { DevnetError } from '../errors.ts'
import { request } from '../node.ts'
import type { MainnetPool } from './state.ts'

type Key = Address | number
/** An entry of a mapping: the slot of the mapping, by the order of the contract's variables, and the keys down to the value. */
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

/** `tiers` and `found` are the slots of feeAmountTickSpacing and getPool. */
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

/** @throws DevnetError BUILD where a getter does not answer with the pool */
export async function setUpFactories(url: string, pools: readonly MainnetPool[]): Promise<void> {
  for (const factory of new Set(pools.map((pool) => pool.factory))) {
    const made = pools.filter((pool) => pool.factory === factory)
    const kind = KINDS[made[0]!.family]
    if (!kind) throw new DevnetError('BUILD', `nothing stands in for the factory of ${made[0]!.family}`)
    if ((await request<Hex>(url, 'eth_getCode', [factory, 'latest'])) === '0x') {
      // A call without a target runs the constructor, with a zero for its argument, and answers with the code it leaves.
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

/** Slot in which a mapping at `slot` keeps the value of `key`. */
function entrySlot(slot: bigint, key: Key): bigint {
  return BigInt(keccak256(AbiCoder.defaultAbiCoder().encode(['uint256', 'uint256'], [key, slot])))
}
