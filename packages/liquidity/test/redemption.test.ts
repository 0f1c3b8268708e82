/** Shares of Curve's first pools, which only its registries list, by models: no package has the bytecode of genuine ones. */
import { type Address, type Chain, type Hex, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { type Anvil, accounts, type Builder, type Contract, createBuilder, request, startAnvil } from '@sluice/devnet'
import { createRpc, type Rpc } from '@sluice/rpc'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runReads } from '../src/market/reads.ts'
import { readRedemptions } from '../src/redemption/read.ts'
import { RedemptionCache } from '../src/redemption/redemptions.ts'
import { type Compiled, compileModels } from './models/compile.ts'

const WHOLE = 10n ** 18n
const BALANCES = [3_000_000n * WHOLE, 2_000_000n * 10n ** 6n, 1_000_000n * 10n ** 6n]
const SUPPLY = 5_800_000n * WHOLE
const PRICE = (WHOLE * 103n) / 100n

let anvil: Anvil
let rpc: Rpc
let builder: Builder
let coins: readonly Contract[]
let models: Readonly<Record<string, Compiled>>
const deploy = (name: string, args: readonly unknown[]) => builder.deploy(models[name] as never, args)

beforeAll(async () => {
  anvil = await startAnvil()
  const ask = <T>(method: string, params: unknown[] = []) => request<T>(anvil.url, method, params)
  rpc = createRpc({ chainId: Number(await ask<Hex>('eth_chainId')), urls: [anvil.url] })
  builder = createBuilder(anvil.url, toAddress(accounts()[0]!.address))
  models = compileModels('Shares.sol')
  coins = [await deploy('DecimalCoin', [18]), await deploy('DecimalCoin', [6]), await deploy('DecimalCoin', [6])]
}, 120_000)
afterAll(async () => {
  rpc?.close()
  await anvil?.stop()
})

async function makePool(): Promise<Contract> {
  const pool = await deploy('OldPool', [coins.map(({ address }) => address), BALANCES, PRICE])
  for (const [k, coin] of coins.entries()) await coin.send('mint', [pool.address, BALANCES[k]!])
  return pool
}

async function read(share: Contract, registries: Address = ZERO_ADDRESS) {
  const { hash } = await request<{ hash: Hex }>(anvil.url, 'eth_getBlockByNumber', ['latest', false])
  const shares = [toAddress(share.address)]
  const [redemptions] = await runReads(rpc, { blockHash: hash }, [readRedemptions(shares, [], registries)])
  return redemptions![0]
}

describe.each([
  ['of equals', 0],
  ['of unequals', 5],
])('the share of a pool that the registry of pools %s lists', (_kind, id) => {
  test('redeems for the holdings of the pool, up to its balances', async () => {
    const [pool, share, registry] = [
      await makePool(),
      await deploy('OldShare', [SUPPLY]),
      await deploy('Registry', [id]),
    ]
    const registries = toAddress(registry.address)
    expect(await read(share, registries)).toBeNull()
    await registry.send('add', [pool.address, share.address])
    const parts = coins.map(({ address }, k) => ({ token: toAddress(address), balance: BALANCES[k]!, scale: 0 }))
    const whole = {
      share: toAddress(share.address),
      kind: 'stable',
      supply: SUPPLY,
      parts,
      rate: 1.03,
      maxRedeemable: null,
    }
    expect(await read(share, registries)).toEqual(whole)
    // Without the list, the share is unknown.
    expect(await read(share)).toBeNull()
    // Drained of one coin, although the pool reports its old balance.
    await pool.send('lose', [0, BALANCES[0]! - WHOLE])
    const [first, ...otherItems] = parts
    expect(await read(share, registries)).toEqual({ ...whole, parts: [{ ...first!, balance: WHOLE }, ...otherItems] })
  })

  test('is rejected if the registry lists another share of that pool, or no longer lists the pool', async () => {
    const [pool, share, registry] = [
      await makePool(),
      await deploy('OldShare', [SUPPLY]),
      await deploy('Registry', [id]),
    ]
    const registries = toAddress(registry.address)
    const later = await deploy('OldShare', [SUPPLY])
    await registry.send('add', [pool.address, share.address])
    await registry.send('add', [pool.address, later.address])
    expect(await read(share, registries)).toBeNull()
    expect(await read(later, registries)).toMatchObject({ kind: 'stable', rate: 1.03 })
    await registry.send('remove', [pool.address])
    expect(await read(later, registries)).toBeNull()
  })
})

test('a token that names a foreign pool is not a share, since neither the pool nor a registry names it', async () => {
  const [pool, registry] = [await makePool(), await deploy('Registry', [0])]
  await registry.send('add', [pool.address, (await deploy('OldShare', [SUPPLY])).address])
  const hostile = await deploy('MintedShare', [WHOLE, pool.address])
  expect(await read(hostile, toAddress(registry.address))).toBeNull()
  expect(await read(hostile)).toBeNull()
})

/** Returns a cache, and a function that reads the rates of a share at the newest block. */
function ratesReader(share: Address) {
  const redemptions = new RedemptionCache({ hubs: [], stables: [], wrappedNative: null, dexes: [] } as unknown as Chain)
  return async () => {
    const block = (await rpc.getBlock('latest'))!
    await redemptions.readShares([share], { rpc, block, holderOf: () => builder.from })
    expect(redemptions.isCurrentAt(share, block)).toBe(true)
    return redemptions.readingsOf(share)?.map(({ rate }) => Math.round(rate * 1_000) / 1_000)
  }
}

test('a share that cannot be redeemed for some blocks is read again at every block', async () => {
  const asset = coins[0]!
  const vault = await deploy('RatedVault', [asset.address, SUPPLY])
  await asset.send('mint', [vault.address, 2n * SUPPLY])
  const rates = ratesReader(toAddress(vault.address))
  expect(await rates()).toEqual([1])
  for (let block = 0; block < 2; block++) {
    await vault.send('set', [0n])
    expect(await rates()).toBeUndefined()
  }
  await vault.send('set', [(WHOLE * 9n) / 10n])
  expect(await rates()).toEqual([0.9])
})

test('a changed rate is returned together with the rate of the block before', async () => {
  const asset = coins[0]!
  const vault = await deploy('RatedVault', [asset.address, SUPPLY])
  await asset.send('mint', [vault.address, 2n * SUPPLY])
  const rates = ratesReader(toAddress(vault.address))
  expect(await rates()).toEqual([1])
  await vault.send('set', [(WHOLE * 9n) / 10n])
  expect(await rates()).toEqual([0.9, 1])
  await vault.send('set', [(WHOLE * 12n) / 10n])
  expect(await rates()).toEqual([1.2, 0.9])
})
