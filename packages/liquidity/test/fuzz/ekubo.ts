/**
 * Pools in Ekubo's own core. Its licence (Ekubo DAO Shared Revenue License) keeps the code out of this repository: it is taken from a
 * file, or from Ethereum itself, and known by its hash.
 */
import { readFileSync } from 'node:fs'
import { type Address, type DexRow, type Hex, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { accounts, type Builder, createBuilder, request, startAnvil } from '@sluice/devnet'
import { createRpc } from '@sluice/rpc'
import { keccak256 } from 'ethers'
import { concentratedType, configOf, decodeConfig, type EkuboVersion, poolId } from '../../src/dexes/ekubo/config.ts'
import { ekubo, ekuboV2 } from '../../src/dexes/ekubo/index.ts'
import type { EkuboState } from '../../src/dexes/ekubo/types.ts'
import type { Pool } from '../../src/index.ts'
import { runReads } from '../../src/market/reads.ts'
import { compileModels } from '../models/compile.ts'
import { type Random, random } from '../random.ts'
import { type Ask, EXECUTOR, PLENTY, type PoolWorld, standTrader, TRADER, word } from './world.ts'

/** The cores of Ethereum by version, with the hashes of their code and the variables with the names of its files. */
const CORES = {
  2: {
    address: toAddress('0xe0e0e08a6a4b9dc7bd67bcb7aade5cf48157d444'),
    codeHash: '0xf3d28accb94c26334e15376aa2b13b0e5bb57b69b207e08f4538ae9884d5633b',
    variable: 'EKUBO_V2_CORE',
    family: ekuboV2,
  },
  3: {
    address: toAddress('0x00000000000014aa86c5d3c41765bb24e11bd701'),
    codeHash: '0xc5f90c9d0dbc5037f8f9e248f4bb292e7c1824f584eb6550cb4cad525b38c71a',
    variable: 'EKUBO_CORE',
    family: ekubo,
  },
} as const
const POOLS = 24
const FETCH_MS = 10_000
/** Base units that the provider of liquidity holds of each token: more than all positions ask for. */
const FUNDS = 1n << 126n

/** Row of a version, as its family has it. */
export const ekuboRow = (version: EkuboVersion): DexRow => {
  const { address, family } = CORES[version]
  return { family: family.id, brand: 'Ekubo', role: 'core', address, version: String(version) }
}
/** Why the core's code cannot be had, for tests that are skipped. */
export const noCore = (version: EkuboVersion) =>
  `${CORES[version].variable} names no file with the code of its core, and RPC_URL_1 no node that has it`

/** @returns undefined if neither a file nor a node has it. @throws Error if one has other code */
export async function ekuboCore(version: EkuboVersion): Promise<Hex | undefined> {
  const { address, codeHash, variable } = CORES[version]
  const { [variable]: file, RPC_URL_1: url } = process.env
  const code = file ? readFileSync(file, 'utf8').trim() : url ? await fetchCode(url, address) : undefined
  if (code === undefined) return undefined
  if (keccak256(code) !== codeHash) throw new Error(`the code of Ekubo's core has another hash than ${codeHash}`)
  return code as Hex
}

async function fetchCode(url: string, core: Address): Promise<string> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getCode', params: [core, 'latest'] })
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(FETCH_MS) })
  return ((await answer.json()) as { result: string }).result
}

const ABI = [
  'event PoolInitialized(bytes32 poolId, (address token0, address token1, bytes32 config) poolKey, int32 tick, uint96 sqrtRatio)',
  'function initializePool((address token0, address token1, bytes32 config) poolKey, int32 tick) returns (uint96)',
]
const FEES = [0n, 1n, 1_844_674_407_370_955n, 9_223_372_036_854_775n, 184_467_440_737_095_516n, 1n << 63n]
const SPACINGS = [1, 100, 1_000, 5_982, 19_802, 698_605]

export type EkuboWorld = PoolWorld & {
  /** Pools with the logs of their creation and positions, as they were read after each. */
  readonly steps: readonly { readonly before: Pool<EkuboState>; readonly log: object; readonly after: EkuboState }[]
}

/** A node with the core and pools of all kinds: by their fee, spacing, amplification, positions, with native token or without. */
export async function startEkubo(code: Hex, seed: number, version: EkuboVersion): Promise<EkuboWorld> {
  const r = random(seed)
  const { address: core, family } = CORES[version]
  const row = ekuboRow(version)
  // The core counts leading zeros by an instruction that came with Osaka.
  const anvil = await startAnvil({ args: ['--hardfork', 'osaka'] })
  const ask: Ask = (method, params = []) => request(anvil.url, method, params)
  const rpc = createRpc({ chainId: Number(await ask<Hex>('eth_chainId')), urls: [anvil.url] })
  const builder = createBuilder(anvil.url, toAddress(accounts()[0]!.address))
  await ask('anvil_setCode', [core, code])
  await standTrader(ask)
  const { Coin, Provider, ProviderV2 } = compileModels('Ekubo.sol')
  const provider = await builder.deploy((version === 2 ? ProviderV2 : Provider) as never, [core])
  const coins = [await builder.deploy(Coin as never), await builder.deploy(Coin as never)]
  for (const coin of coins) {
    await coin.send('mint', [provider.address, FUNDS])
    await coin.send('mint', [TRADER, PLENTY])
  }
  await ask('anvil_setBalance', [TRADER, word(PLENTY)])
  await ask('anvil_setBalance', [provider.address, word(FUNDS)])
  const tokens = coins.map(({ address }) => address).sort() as [Address, Address]

  let blockHash: Hex = '0x'
  const read = async (some: readonly Pool<null>[]): Promise<readonly (EkuboState | null)[]> => {
    blockHash = (await ask<{ hash: Hex }>('eth_getBlockByNumber', ['latest', false])).hash
    const [states] = await runReads(rpc, { blockHash }, [family.readStates(row, some)])
    return states as readonly (EkuboState | null)[]
  }
  const steps: EkuboWorld['steps'][number][] = []
  const unreadPools: Pool<null>[] = []
  for (let k = 0; k < POOLS; k++) {
    const config = version === 2 ? randomV2Config(r) : randomConfig(r)
    const pair: readonly [Address, Address] = k % 4 === 0 ? [ZERO_ADDRESS, tokens[1]] : tokens
    if (unreadPools.some(({ id }) => id === poolId(pair, { config }))) continue
    const pool = await makePool(builder, pair, config, { r, version })
    unreadPools.push(pool)
    for (const [salt, { lower, upper, liquidity }] of randomPositions(r, config, version).entries()) {
      const [before] = await read([pool])
      const position =
        version === 2
          ? [
              [...pair, config],
              [word(BigInt(salt)), [lower, upper], liquidity],
            ]
          : [...pair, config, positionId(salt, lower, upper), liquidity]
      const { logs } = await provider.send('mint', position)
      const [after] = await read([pool])
      const log = (logs as readonly { address: string }[]).find(({ address }) => toAddress(address) === core)!
      steps.push({ before: { ...pool, state: before! }, log: { ...log, address: core }, after: after! })
    }
  }
  let pools: readonly Pool[] = []
  async function sync(): Promise<void> {
    const states = await read(unreadPools)
    pools = unreadPools.flatMap((pool, i) =>
      states[i] && (states[i].liquidity > 0n || states[i].ticks.length > 0) ? [{ ...pool, state: states[i] }] : [],
    )
  }
  await sync()
  return {
    name: family.id,
    rpc,
    trader: TRADER,
    executor: EXECUTOR,
    skipped: new Map(),
    request: ask,
    steps,
    pools: () => pools,
    blockHash: () => blockHash,
    sync,
    async stop() {
      rpc.close()
      await anvil.stop()
    },
  }
}

function randomConfig(r: Random): Hex {
  const fee = r.pick(FEES)
  const kind = r.integer(4)
  if (kind === 0) return configOf(fee, 0)
  // Amplification, then the centre in steps of 16 ticks.
  if (kind === 1) return configOf(fee, (1 + r.integer(26)) * 0x100_0000 + ((r.integer(200_000) - 100_000) & 0xff_ffff))
  return configOf(fee, concentratedType(r.pick(SPACINGS)))
}

function randomV2Config(r: Random): Hex {
  const fee = r.pick(FEES)
  return configOf(fee, r.integer(4) === 0 ? 0 : r.pick(SPACINGS))
}

async function makePool(
  builder: Builder,
  pair: readonly [Address, Address],
  config: Hex,
  { r, version }: { readonly r: Random; readonly version: EkuboVersion },
): Promise<Pool<null>> {
  const { address, family } = CORES[version]
  const { kind } = decodeConfig(config, version)!
  const around = kind.name === 'range' && kind.upper < 20_000_000 ? [kind.lower, kind.upper] : [-10_000_000, 10_000_000]
  const tick = around[0]! + r.integer(around[1]! - around[0]!)
  const { logs } = await builder.contractAt(ABI, address).send('initializePool', [[...pair, config], tick])
  return family.createdPool!(ekuboRow(version), logs[0] as never)!
}

type Position = { readonly lower: number; readonly upper: number; readonly liquidity: bigint }

function randomPositions(r: Random, config: Hex, version: EkuboVersion): readonly Position[] {
  const { kind } = decodeConfig(config, version)!
  return Array.from({ length: kind.name === 'range' ? 1 : 1 + r.integer(6) }, () => {
    const [lower, upper] = kind.name === 'range' ? [kind.lower, kind.upper] : randomBounds(r, kind.tickSpacing)
    return { lower, upper, liquidity: r.amount(20, 84) }
  })
}

/** Salt 24, lower and upper tick 4 bytes each. */
function positionId(salt: number, lower: number, upper: number): Hex {
  const ticks = [lower, upper].map((tick) => BigInt.asUintN(32, BigInt(tick)))
  return word((BigInt(salt + 1) << 64n) | (ticks[0]! << 32n) | ticks[1]!) as Hex
}

function randomBounds(r: Random, spacing: number): readonly [number, number] {
  const reach = Math.max(2, Math.floor(15_000_000 / spacing))
  // With small spacings the positions are narrow, since each word between their ends costs a step.
  const width = 1 + r.integer(Math.min(reach, 20_000))
  const lower = r.integer(2 * reach - width + 1) - reach
  return [lower * spacing, (lower + width) * spacing]
}
