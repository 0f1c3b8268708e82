/** Actions of an attacker on the local chain before and after a user's quote. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Address, Hex } from '@sluice/chains'
import {
  type Artifact,
  type Builder,
  type Contract,
  compile,
  createBuilder,
  type Devnet,
  loadArtifact,
} from '@sluice/devnet'
import { AbiCoder, MaxUint256, ZeroAddress } from 'ethers'

let compiledContracts: Readonly<Record<string, Artifact>> | undefined

/** Compiles the contracts of Hostile.sol with the lockfile's solc. */
function hostileContracts(): Readonly<Record<string, Artifact>> {
  const sources = { 'Hostile.sol': readFileSync(join(import.meta.dirname, 'Hostile.sol'), 'utf8') }
  compiledContracts ??= compile({ compiler: 'solc', evmVersion: 'cancun', sources, packages: [] })
  return compiledContracts
}

/** Returns a contract of Balancer V2. `task` names the deployment that published the contract. */
const balancerArtifact = (task: string, name: string) =>
  loadArtifact(`@balancer-labs/v2-deployments/dist/tasks/${task}/artifact/${name}.json`)
const WEIGHTED_TASK = '20230206-weighted-pool-v3'
const STABLE_TASK = '20230206-composable-stable-pool-v3'
const ONE = 10n ** 18n
/** Minimum swap fee that Balancer's factories accept: 0.0001 %, with 18 decimals. */
const MIN_FEE = 10n ** 12n

/** A token of a pool, and its deposit in whole tokens. */
export type Side = { readonly token: Contract; readonly wholeTokens: number }

export class Attacker {
  readonly chain: Builder
  readonly devnet: Devnet

  constructor(devnet: Devnet) {
    this.devnet = devnet
    this.chain = createBuilder(devnet.url, devnet.info.accounts[7]!.address)
  }

  get address(): Address {
    return this.chain.from
  }

  /** Returns a token of the local chain. Anyone may mint it. */
  token(symbol: string): Contract {
    const abi = [
      'function mint(address,uint256)',
      'function approve(address,uint256)',
      'function transfer(address,uint256)',
      'function balanceOf(address) view returns (uint256)',
    ]
    return this.chain.contractAt(abi, this.devnet.info.tokens[symbol]!.address)
  }

  deploy(
    name: 'HostileToken' | 'PatientToken' | 'SurchargingToken' | 'HostileVault' | 'HostilePool',
    ...args: readonly unknown[]
  ): Promise<Contract> {
    return this.chain.deploy(hostileContracts()[name]!, args)
  }

  /** Creates a Uniswap V2 pair with liquidity. */
  async pair(...sides: readonly [Side, Side]): Promise<Contract> {
    const { routers } = this.devnet.info
    const factory = this.chain.contractAt(
      loadArtifact('@uniswap/v2-core/build/UniswapV2Factory.json').abi,
      routers.uniswapV2Factory!,
    )
    const [a, b] = sides.map(({ token }) => token.address)
    await factory.send('createPair', [a, b])
    const pair = this.chain.contractAt(
      loadArtifact('@uniswap/v2-core/build/UniswapV2Pair.json').abi,
      await factory.read<string>('getPair', [a, b]),
    )
    for (const { token, wholeTokens } of sides) await token.send('mint', [pair.address, tokenUnits(wholeTokens)])
    await pair.send('mint', [this.address])
    return pair
  }

  private get vault(): Contract {
    return this.chain.contractAt(
      balancerArtifact('20210418-vault', 'Vault').abi,
      this.devnet.info.routers.balancerV2Vault!,
    )
  }

  private factory(name: string): Address {
    return this.devnet.info.dexes.find(({ family }) => family === 'balancer-v2')!.contracts![name] as Address
  }

  /** Creates a pool with equal weights by Balancer's factory. The attacker is its owner and may set its fee. */
  async weightedPool(sides: readonly Side[]): Promise<Contract> {
    const factory = this.chain.contractAt(
      balancerArtifact(WEIGHTED_TASK, 'WeightedPoolFactory').abi,
      this.factory('weightedPoolFactory'),
    )
    const sortedSides = sortedByAddress(sides)
    const tokens = sortedSides.map(({ token }) => token.address)
    const noRateProviders = sortedSides.map(() => ZeroAddress)
    const args = [
      'Bait',
      'BAIT',
      tokens,
      sortedSides.map(() => ONE / BigInt(sortedSides.length)),
      noRateProviders,
      MIN_FEE,
      this.address,
    ]
    const address = await factory.read<string>('create', args)
    await factory.send('create', args)
    const pool = this.chain.contractAt(balancerArtifact(WEIGHTED_TASK, 'WeightedPool').abi, address)
    await this.join(pool, sortedSides, (amounts) =>
      AbiCoder.defaultAbiCoder().encode(['uint256', 'uint256[]'], [0, amounts]),
    )
    return pool
  }

  /** Creates a stable pool without an owner by Balancer's factory, with rate providers of the attacker. */
  async stablePool(sides: readonly (Side & { readonly rate?: Address })[]): Promise<Contract> {
    const factory = this.chain.contractAt(
      balancerArtifact(STABLE_TASK, 'ComposableStablePoolFactory').abi,
      this.factory('stablePoolFactory'),
    )
    const sortedSides = sortedByAddress(sides)
    const tokens = sortedSides.map(({ token }) => token.address)
    const rates = sortedSides.map(({ rate }) => rate ?? ZeroAddress)
    const [zeroDurations, noExemptions] = [sortedSides.map(() => 0), sortedSides.map(() => false)]
    const args = ['Bait', 'BAIT', tokens, 2000, rates, zeroDurations, noExemptions, MIN_FEE, ZeroAddress]
    const address = await factory.read<string>('create', args)
    await factory.send('create', args)
    const pool = this.chain.contractAt(balancerArtifact(STABLE_TASK, 'ComposableStablePool').abi, address)
    await this.join(pool, sortedSides, (amounts) =>
      AbiCoder.defaultAbiCoder().encode(['uint256', 'uint256[]'], [0, amounts]),
    )
    return pool
  }

  /** Creates a pool with the attacker's code in Balancer's vault. */
  async hostilePool(sides: readonly Side[]): Promise<Contract> {
    const sortedSides = sortedByAddress(sides)
    const tokens = sortedSides.map(({ token }) => token.address)
    const pool = await this.deploy('HostilePool', this.vault.address, tokens)
    await this.join(pool, sortedSides, (amounts) => AbiCoder.defaultAbiCoder().encode(['uint256[]'], [amounts]))
    return pool
  }

  /** Deposits the sides into a pool of Balancer's vault. `encode` returns the pool's `userData` of the deposit. */
  private async join(
    pool: Contract,
    sides: readonly Side[],
    encode: (amounts: readonly bigint[]) => string,
  ): Promise<void> {
    const id = await pool.read<Hex>('getPoolId')
    const { tokens: assets } = (await this.vault.readAll('getPoolTokens', [id])) as unknown as {
      tokens: readonly string[]
    }
    for (const { token, wholeTokens } of sides) {
      await token.send('mint', [this.address, tokenUnits(wholeTokens)])
      await token.send('approve', [this.vault.address, MaxUint256])
    }
    const amounts = assets.map((asset) => {
      const side = sides.find(({ token }) => token.address === asset.toLowerCase())
      return side ? tokenUnits(side.wholeTokens) : 0n
    })
    const request = {
      assets,
      maxAmountsIn: assets.map(() => MaxUint256),
      userData: encode(amounts),
      fromInternalBalance: false,
    }
    await this.vault.send('joinPool', [id, this.address, this.address, request])
  }
}

/** Returns base units of a token with 18 decimals. */
export const tokenUnits = (whole: number): bigint => BigInt(Math.round(whole * 1e6)) * 10n ** 12n

const sortedByAddress = <S extends Side>(sides: readonly S[]): readonly S[] =>
  [...sides].sort((a, b) => (BigInt(a.token.address) < BigInt(b.token.address) ? -1 : 1))
