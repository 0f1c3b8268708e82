/**
 * Restores the factories of recorded pools. The recorded state lacks their storage, because no swap reads it. A factory
 * gets its original code and the storage slots that its getters read. If neither the recording nor npm has the code,
 * the factory gets code that looks up the results of its getters in a table.
 */
import type { Address, Hex } from '@sluice/chains'
import { AbiCoder, Interface, keccak256, toBeHex } from 'ethers'
import { loadArtifact, loadHardhatArtifact } from '../artifact.ts'
import { DevnetError } from '../errors.ts'
import { request } from '../node.ts'
import type { MainnetPool } from './state.ts'

type Word = Address | number
/** A call of a getter, and the word that it must return. */
type GetterAnswer = { readonly data: Hex; readonly value: Word }
/**
 * An entry of a nested mapping. `mappingSlot` is the mapping's slot in the storage layout; `keys` start with the
 * outermost.
 */
type MappingEntry = { readonly mappingSlot: number; readonly keys: readonly Word[]; readonly value: Word }

type FactoryKind = {
  readonly bytecode: () => Hex
  readonly getter: 'getPair(address,address)' | 'getPool(address,address,uint24)'
  readonly keys: (pool: MainnetPool) => readonly Word[]
  readonly entries: (pool: MainnetPool) => readonly MappingEntry[]
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
 * Returns a kind of factory whose `getPool` takes the two tokens and the fee.
 *
 * @param tierSlot - slot of the mapping `feeAmountTickSpacing`
 * @param poolSlot - slot of the mapping `getPool`
 */
function factoryByFee(bytecode: () => Hex, tierSlot: number, poolSlot: number): FactoryKind {
  return {
    bytecode,
    getter: 'getPool(address,address,uint24)',
    keys: ({ tokens, fee }) => [...tokens, fee!],
    entries: ({ tokens: [a, b], fee, tickSpacing, address }) => [
      { mappingSlot: tierSlot, keys: [fee!], value: tickSpacing! },
      { mappingSlot: poolSlot, keys: [a, b, fee!], value: address },
      { mappingSlot: poolSlot, keys: [b, a, fee!], value: address },
    ],
  }
}

const FACTORY_KINDS: Readonly<Partial<Record<MainnetPool['family'], FactoryKind>>> = {
  'uniswap-v2': {
    bytecode: () => loadArtifact('@uniswap/v2-core/build/UniswapV2Factory.json').bytecode,
    getter: 'getPair(address,address)',
    keys: ({ tokens }) => tokens,
    entries: ({ tokens: [a, b], address }) => [
      { mappingSlot: 2, keys: [a, b], value: address },
      { mappingSlot: 2, keys: [b, a], value: address },
    ],
  },
  'uniswap-v3': factoryByFee(() => loadHardhatArtifact('@uniswap/v3-core', 'UniswapV3Factory').bytecode, 4, 5),
  'pancake-v3': factoryByFee(() => loadHardhatArtifact('@pancakeswap/v3-core', 'PancakeV3Factory').bytecode, 1, 2),
}

const bothOrders = (getter: string, { tokens: [a, b], address }: MainnetPool, ...extraArguments: readonly unknown[]) =>
  [
    [a, b],
    [b, a],
  ].map((pair): GetterAnswer => ({ data: encode(getter, ...pair, ...extraArguments), value: address }))

const encode = (getter: string, ...args: readonly unknown[]) => getters.encodeFunctionData(getter, args) as Hex

/** Results of the getters of factories without published bytecode, whose storage layouts differ by fork. */
const ANSWERS_BY_FAMILY: Readonly<
  Partial<Record<MainnetPool['family'], (pool: MainnetPool) => readonly GetterAnswer[]>>
> = {
  syncswap: (pool) => bothOrders('getPool(address,address)', pool),
  'algebra-v1': (pool) => bothOrders('poolByPair', pool),
  solidly: (pool) => bothOrders('getPair(address,address,bool)', pool, pool.stable!),
  'ramses-cl': (pool) => [
    { data: encode('feeAmountTickSpacing', pool.fee!), value: pool.tickSpacing! },
    ...bothOrders('getPool(address,address,uint24)', pool, pool.fee!),
  ],
}

/** Runtime code that returns the word in storage slot keccak256(calldata): 0 for calls without an entry. */
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
    const answers = ANSWERS_BY_FAMILY[family]
    if (answers) {
      for (const answer of ownPools.flatMap(answers)) await setAnswer(url, factory, answer)
      continue
    }
    const kind = FACTORY_KINDS[family]
    if (!kind) throw new DevnetError('BUILD', `no bytecode for the factory of ${family}`)
    if ((await request<Hex>(url, 'eth_getCode', [factory, 'latest'])) === '0x') {
      // An `eth_call` without `to` runs the constructor (here with one argument of value 0) and returns the runtime
      // code.
      const data = `${kind.bytecode()}${'00'.repeat(32)}`
      await request(url, 'anvil_setCode', [factory, await request<Hex>(url, 'eth_call', [{ data }, 'latest'])])
    }
    for (const { mappingSlot, keys, value } of ownPools.flatMap(kind.entries)) {
      const slot = keys.reduce(entrySlot, BigInt(mappingSlot))
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
 * Makes a call of a factory's getter return a word. If the factory has recorded code, writes the word to the slot whose
 * value the call returns. Otherwise installs `TABLE_CODE` and writes the word to its table.
 *
 * @throws DevnetError BUILD if the recorded code returns the value of no slot that it reads
 */
async function setAnswer(url: string, factory: Address, { data, value }: GetterAnswer): Promise<void> {
  const paddedValue = toBeHex(value, 32)
  const call = { to: factory, data }
  const isAnswered = async () =>
    (await request<Hex>(url, 'eth_call', [call, 'latest']).catch(() => '0x')).slice(0, 66) === paddedValue
  let slots: readonly Hex[] = [keccak256(data) as Hex]
  if ((await request<Hex>(url, 'eth_getCode', [factory, 'latest'])) === '0x')
    await request(url, 'anvil_setCode', [factory, TABLE_CODE])
  else if (await isAnswered()) return
  else slots = await slotsReadBy(url, call)
  for (const slot of slots) {
    const previousValue = await request<Hex>(url, 'eth_getStorageAt', [factory, slot, 'latest'])
    await request(url, 'anvil_setStorageAt', [factory, slot, paddedValue])
    if (await isAnswered()) return
    await request(url, 'anvil_setStorageAt', [factory, slot, previousValue])
  }
  throw new DevnetError('BUILD', `${factory} cannot be made to answer ${data}`)
}

/** Returns the storage slots of the called contract that the call reads. */
async function slotsReadBy(url: string, call: { readonly to: Address; readonly data: Hex }): Promise<readonly Hex[]> {
  type AccessList = readonly { readonly address: string; readonly storageKeys: readonly Hex[] }[]
  const { accessList } = await request<{ accessList: AccessList }>(url, 'eth_createAccessList', [call, 'latest'])
  return accessList.flatMap(({ address, storageKeys }) => (address.toLowerCase() === call.to ? storageKeys : []))
}

/** Returns the slot of a key in the mapping at `slot`. */
function entrySlot(slot: bigint, key: Word): bigint {
  return BigInt(keccak256(AbiCoder.defaultAbiCoder().encode(['uint256', 'uint256'], [key, slot])))
}
