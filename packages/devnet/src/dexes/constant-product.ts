/** Creates and fills the pools of Uniswap V2 and its forks. */
import { type Hex, toAddress } from '@sluice/chains'
import { keccak256 } from 'ethers'
import type { Artifact } from '../artifact.ts'
import type { Builder, Contract } from '../builder.ts'
import type { PoolSpec } from '../pools.ts'
import { amountWorth, giveTokens, type Tokens } from '../tokens.ts'
import { type DevnetPool, type Dex, type DexEntry, START_BLOCK } from './dex.ts'

/** Returns the initial deposits of a pool in base units, in the order of `pair`. */
export function depositAmounts({ pair: [a, b], dollars, skewBps }: PoolSpec): readonly [bigint, bigint] {
  return [amountWorth(a, dollars / 2n), (amountWorth(b, dollars / 2n) * (10_000n + skewBps)) / 10_000n]
}

/** A fork of Uniswap V2, and the specifications of its pools. */
type Fork = {
  readonly brand: string
  readonly feePpm: number
  readonly factory: Contract
  readonly pairArtifact: Artifact
  readonly specs: readonly PoolSpec[]
}

/** Creates the pools of a fork. Returns them and the fork's DEX entry. */
export async function addFork(
  chain: Builder,
  tokens: Tokens,
  { brand, feePpm, factory, pairArtifact, specs }: Fork,
): Promise<Pick<Dex, 'rows' | 'pools'>> {
  const family = 'uniswap-v2'
  const pools: DevnetPool[] = []
  for (const spec of specs) {
    const [a, b] = spec.pair
    const pairAddresses = [tokens[a].address, tokens[b].address]
    await factory.send('createPair', pairAddresses)
    const address = toAddress(await factory.read<string>('getPair', pairAddresses))
    const [amountA, amountB] = depositAmounts(spec)
    await giveTokens(chain, tokens, a, address, amountA)
    await giveTokens(chain, tokens, b, address, amountB)
    await chain.contractAt(pairArtifact.abi, address).send('mint', [chain.from])
    pools.push({ dex: brand, family, address, tokens: spec.pair, feePpm })
  }
  const initCodeHash = keccak256(pairArtifact.bytecode) as Hex
  const { address } = factory
  const row: DexEntry = {
    family,
    brand,
    role: 'factory',
    address,
    feePpm,
    feeBasis: 'measured',
    initCodeHash,
    startBlock: START_BLOCK,
  }
  return { rows: [row], pools }
}
