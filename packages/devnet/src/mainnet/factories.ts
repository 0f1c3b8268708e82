/**
 * Restores factories that the recorded state lacks, because no swap reads their storage. Uses the genuine code with the
 * slots that its getters read. If neither the recording nor npm has the code, uses a table of the getters' answers.
 */
import type { Address, Hex } from '@sluice/chains'
import { AbiCoder, Interface, keccak256, toBeHex } from 'ethers'
import { artifact, hardhatArtifact } from '../artifact.ts'
import { DevnetError } from '../errors.ts'
import { request } from '../node.ts'
import type { MainnetPool } from './state.ts'

type Key = Address | number
/** A call of a getter, and the word that it must return. */
type Answer = { readonly data: Hex; readonly value: Key }
/** An entry of a mapping: its slot in the contract's storage layout, its keys, and the value. */
type Entry = { readonly mapping: number; readonly keys: readonly Key[]; readonly value: Key }

type Kind = {
  readonly bytecode: () => Hex
  readonly getter: 'getPair(address,address)' | 'getPool(address,address,uint24)'
  readonly keys: (pool: MainnetPool) => readonly Key[]
  readonly entries: (pool: MainnetPool) => readonly Entry[]
}

const getters = new Interface([
  'function getPair(address, address) view returns (address)',
  'function getPair(address, address, bool) view returns (address)',
  'function getPool(address, address) view returns (address)',
  'function getPool(address, address, uint24) view returns (address)',
  'function poolByPair(address, address) view returns (address)',
  'function feeAmountTickSpacing(uint24) view returns (int24)',
])

/**
 * Returns a kind of factory that finds pools by fee.
 *
 * @param tiers - slot of `feeAmountTickSpacing`
 * @param poolSlot - slot of `getPool`
 */
function byFee(bytecode: () => Hex, tiers: number, poolSlot: number): Kind {
  return {
    bytecode,
    getter: 'getPool(address,address,uint24)',
    keys: ({ tokens, fee }) => [...tokens, fee!],
    entries: ({ tokens: [a, b], fee, tickSpacing, address }) => [
      { mapping: tiers, keys: [fee!], value: tickSpacing! },
      { mapping: poolSlot, keys: [a, b, fee!], value: address },
      { mapping: poolSlot, keys: [b, a, fee!], value: address },
    ],
  }
}

const KINDS: Readonly<Partial<Record<MainnetPool['family'], Kind>>> = {
  'uniswap-v2': {
    bytecode: () => artifact('@uniswap/v2-core/build/UniswapV2Factory.json').bytecode,
    getter: 'getPair(address,address)',
    keys: ({ tokens }) => tokens,
    entries: ({ tokens: [a, b], address }) => [
      { mapping: 2, keys: [a, b], value: address },
      { mapping: 2, keys: [b, a], value: address },
    ],
  },
  'uniswap-v3': byFee(() => hardhatArtifact('@uniswap/v3-core', 'UniswapV3Factory').bytecode, 4, 5),
  'pancake-v3': byFee(() => hardhatArtifact('@pancakeswap/v3-core', 'PancakeV3Factory').bytecode, 1, 2),
}

const bothOrders = (getter: string, { tokens: [a, b], address }: MainnetPool, ...extraArguments: readonly unknown[]) =>
  [
    [a, b],
    [b, a],
  ].map((pair): Answer => ({ data: encode(getter, ...pair, ...extraArguments), value: address }))

const encode = (getter: string, ...args: readonly unknown[]) => getters.encodeFunctionData(getter, args) as Hex

/** Answers of factories without published bytecode, whose storage layout differs by fork. */
const ANSWERS: Readonly<Partial<Record<MainnetPool['family'], (pool: MainnetPool) => readonly Answer[]>>> = {
  syncswap: (pool) => bothOrders('getPool(address,address)', pool),
  'algebra-v1': (pool) => bothOrders('poolByPair', pool),
  solidly: (pool) => bothOrders('getPair(address,address,bool)', pool, pool.stable!),
  'ramses-cl': (pool) => [
    { data: encode('feeAmountTickSpacing', pool.fee!), value: pool.tickSpacing! },
    ...bothOrders('getPool(address,address,uint24)', pool, pool.fee!),
  ],
}

/** Returns the word in the storage slot that the hash of the calldata names; zero for calldata without an entry. */
const TABLE_CODE: Hex = '0x366000600037366000205460005260206000f3'

/**
 * Sets up the factories of the pools.
 *
 * @throws DevnetError BUILD if a getter does not return the pool
 */
export async function setUpFactories(url: string, pools: readonly MainnetPool[]): Promise<void> {
  for (const factory of new Set(pools.map((pool) => pool.factory))) {
    const ownPools = pools.filter((pool) => pool.factory === factory)
    const { family } = ownPools[0]!
    const answers = ANSWERS[family]
    if (answers) {
      for (const answer of ownPools.flatMap(answers)) await setAnswer(url, factory, answer)
      continue
    }
    const kind = KINDS[family]
    if (!kind) throw new DevnetError('BUILD', `no bytecode for the factory of ${family}`)
    if ((await request<Hex>(url, 'eth_getCode', [factory, 'latest'])) === '0x') {
      // A call without target runs the constructor with zero as argument, and returns the runtime code.
      const data = `${kind.bytecode()}${'00'.repeat(32)}`
      await request(url, 'anvil_setCode', [factory, await request<Hex>(url, 'eth_call', [{ data }, 'latest'])])
    }
    for (const { mapping, keys, value } of ownPools.flatMap(kind.entries)) {
      const slot = keys.reduce(entrySlot, BigInt(mapping))
      await request(url, 'anvil_setStorageAt', [factory, toBeHex(slot, 32), toBeHex(value, 32)])
    }
    for (const pool of ownPools) {
      const data = getters.encodeFunctionData(kind.getter, kind.keys(pool))
      const answer = await request<Hex>(url, 'eth_call', [{ to: factory, data }, 'latest'])
      if (BigInt(answer) !== BigInt(pool.address))
        throw new DevnetError('BUILD', `${factory} answers ${answer} for the pool ${pool.address}`)
    }
  }
}

/**
 * Makes a factory answer a call with a word. Writes it to the slot that the recorded code reads for the call, or to the
 * table.
 *
 * @throws DevnetError BUILD if no slot that the call reads holds the answer
 */
async function setAnswer(url: string, factory: Address, { data, value }: Answer): Promise<void> {
  const paddedValue = toBeHex(value, 32)
  const call = { to: factory, data }
  const isAnswered = async () =>
    (await request<Hex>(url, 'eth_call', [call, 'latest']).catch(() => '0x')).slice(0, 66) === paddedValue
  let slots: readonly Hex[] = [keccak256(data) as Hex]
  if ((await request<Hex>(url, 'eth_getCode', [factory, 'latest'])) === '0x')
    await request(url, 'anvil_setCode', [factory, TABLE_CODE])
  else if (await isAnswered()) return
  else slots = await slotsRead(url, call)
  for (const slot of slots) {
    const before = await request<Hex>(url, 'eth_getStorageAt', [factory, slot, 'latest'])
    await request(url, 'anvil_setStorageAt', [factory, slot, paddedValue])
    if (await isAnswered()) return
    await request(url, 'anvil_setStorageAt', [factory, slot, before])
  }
  throw new DevnetError('BUILD', `${factory} cannot be made to answer ${data}`)
}

/** Returns the slots of its target that a call reads. */
async function slotsRead(url: string, call: { readonly to: Address; readonly data: Hex }): Promise<readonly Hex[]> {
  type AccessList = readonly { readonly address: string; readonly storageKeys: readonly Hex[] }[]
  const { accessList } = await request<{ accessList: AccessList }>(url, 'eth_createAccessList', [call, 'latest'])
  return accessList.flatMap(({ address, storageKeys }) => (address.toLowerCase() === call.to ? storageKeys : []))
}

/** Returns the slot of a key in the mapping at `slot`. */
function entrySlot(slot: bigint, key: Key): bigint {
  return BigInt(keccak256(AbiCoder.defaultAbiCoder().encode(['uint256', 'uint256'], [key, slot])))
}
