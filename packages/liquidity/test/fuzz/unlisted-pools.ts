/** Worlds of real pools that no factory or registry of the state lists: they are read as if they had been found. */
import { CurveCryptoLens__factory, CurveLens__factory } from '@sluice/bindings'
import { type Address, type Hex, toAddress } from '@sluice/chains'
import { type Anvil, request, startMainnet, startRollup } from '@sluice/devnet'
import { createRpc } from '@sluice/rpc'
import * as crypto from '../../src/dexes/curve-crypto/state.ts'
import * as stable from '../../src/dexes/curve-stable/state.ts'
import { familyOf, type Pool, type Reads } from '../../src/index.ts'
import { CURVE_CRYPTO_LENS, CURVE_LENS } from '../../src/lenses.ts'
import { runReads } from '../../src/market/reads.ts'
import { CRV, CRVUSD, USDC, USDE, USDT, WBTC, WETH } from '../ethereum-tokens.ts'
import { type Ask, deal, EXECUTOR, ODD_BALANCES, PLENTY, type PoolWorld, standTrader, TRADER, word } from './world.ts'

type UnlistedPool = {
  readonly family: string
  readonly address: Address
  readonly tokens: readonly Address[]
  /** True if the pool gets a large balance too: its token balances may be of an earlier block than its own accounting. */
  readonly funded?: boolean
  /** By its family where absent. */
  readonly read?: (address: Address) => Reads<unknown>
}

/** Pools of ramses-cl and solidly. */
export async function startRollupPools(name: 'linea' | 'scroll'): Promise<PoolWorld> {
  const { pools, ...anvil } = await startRollup(name)
  return start(
    name,
    anvil,
    pools.map((pool) => ({ ...pool, funded: pool.family === 'ramses-cl' })),
  )
}

const cryptoLens = CurveCryptoLens__factory.createInterface()
const stableLens = CurveLens__factory.createInterface()

/** By their lenses alone: the contracts that answer `get_dy` of these pools are not in the state. */
function* readCrypto(address: Address): Reads<unknown> {
  const [answer] = yield [
    { ...CURVE_CRYPTO_LENS, data: cryptoLens.encodeFunctionData('read', [address, 3]) as Hex, gas: 1_000_000 },
  ]
  return answer ? crypto.toState(crypto.decodeStateRead(answer)) : null
}
const readStable = (rounding: 'each' | 'end') =>
  function* (address: Address): Reads<unknown> {
    const [answer] = yield [
      { ...CURVE_LENS, data: stableLens.encodeFunctionData('read', [address]) as Hex, gas: 1_000_000 },
    ]
    return answer ? stable.toState(stable.decodeStateRead(answer), rounding) : null
  }

const cryptoPool = (address: Hex, tokens: readonly Address[]): UnlistedPool => ({
  family: 'curve-crypto',
  address: toAddress(address),
  tokens,
  funded: true,
  read: readCrypto,
})
const stablePool = (address: Hex, rounding: 'each' | 'end', tokens: readonly Address[]): UnlistedPool => ({
  family: 'curve-stable',
  address: toAddress(address),
  tokens,
  read: readStable(rounding),
})

/** Curve's pools of Ethereum: tricrypto of both generations, and stable pools before and after NG. */
export async function startCurvePools(): Promise<PoolWorld> {
  const anvil = await startMainnet()
  // The decimals of WETH, which no recorded transaction read.
  await request(anvil.url, 'anvil_setStorageAt', [WETH, word(2n), word(18n)])
  return start('curve', anvil, [
    cryptoPool('0xd51a44d3fae010294c616388b506acda1bfaae46', [USDT, WBTC, WETH]),
    cryptoPool('0x7f86bf177dd4f3494b841a37e810a34dd56c829b', [USDC, WBTC, WETH]),
    cryptoPool('0x4ebdf703948ddcea3b11f675b4d1fba9d2414a14', [CRVUSD, WETH, CRV]),
    stablePool('0x4dece678ceceb27446b35c672dc7d61f30bad69e', 'end', [USDC, CRVUSD]),
    stablePool('0x02950460e2b9529d0e00284a5fa2d7bdf3fa4d72', 'each', [USDE, USDC]),
  ])
}

async function start(name: string, { url, stop }: Anvil, unlistedPools: readonly UnlistedPool[]): Promise<PoolWorld> {
  const ask: Ask = (method, params = []) => request(url, method, params)
  const rpc = createRpc({ chainId: Number(await ask<Hex>('eth_chainId')), urls: [url] })
  await standTrader(ask)
  await ask('anvil_setBalance', [TRADER, word(PLENTY)])
  await ask('anvil_impersonateAccount', [TRADER])
  const dealtTokens = await deal(
    ask,
    unlistedPools.flatMap(({ tokens }) => tokens),
  )
  for (const { address, tokens } of unlistedPools.filter(({ funded }) => funded))
    for (const token of tokens) if (dealtTokens.has(token)) await ask('anvil_dealERC20', [address, token, word(PLENTY)])
  // What backs the wrapped native token: some pools unwrap it.
  await ask('anvil_setBalance', [WETH, word(PLENTY)])
  await ask('evm_mine')

  const skipped = new Map<string, number>()
  let pools: readonly Pool[] = []
  let blockHash: Hex = '0x'
  async function sync(): Promise<void> {
    blockHash = (await ask<{ hash: Hex }>('eth_getBlockByNumber', ['latest', false])).hash
    const states = await runReads(rpc, { blockHash }, unlistedPools.map(readOne))
    const read = unlistedPools.flatMap(({ family, address, tokens }, i) =>
      states[i] ? [{ id: address, family, dex: name, address, tokens, state: states[i] }] : [],
    )
    pools = read.filter(({ tokens }) => tokens.every((token) => dealtTokens.has(token)))
    const leftOut: readonly (readonly [string, number])[] = [
      ['a pool that cannot be read', unlistedPools.length - read.length],
      [ODD_BALANCES, read.length - pools.length],
    ]
    for (const [reason, count] of leftOut) if (count > 0) skipped.set(reason, count)
  }
  await sync()
  return {
    name,
    rpc,
    trader: TRADER,
    executor: EXECUTOR,
    skipped,
    request: ask,
    pools: () => pools,
    blockHash: () => blockHash,
    sync,
    async stop() {
      rpc.close()
      await stop()
    },
  }
}

function* readOne({ family, address, tokens, read }: UnlistedPool): Reads<unknown> {
  if (read) return yield* read(address)
  const row = { family, brand: 'given', role: 'factory', address } as const
  const pool = { id: address, family, dex: 'given', address, tokens, state: null }
  const [state] = yield* familyOf(family)!.readStates(row, [pool])
  return state
}
