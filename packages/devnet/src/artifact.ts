/** Loads compiled contracts from npm packages. */
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Hex } from '@sluice/chains'
import type { InterfaceAbi } from 'ethers'

/** A compiled contract: a token of this package, or a contract published on npm by its authors. */
export type Artifact = { readonly abi: InterfaceAbi; readonly bytecode: Hex }

type PublishedArtifact = {
  abi: InterfaceAbi
  bytecode?: string | { object: string }
  evm?: { bytecode: { object: string } }
}

const require = createRequire(import.meta.url)

/**
 * Loads a published artifact, such as `@uniswap/v2-core/build/UniswapV2Factory.json`. Accepts the formats of Truffle,
 * Hardhat, Foundry, and Waffle.
 */
export function loadArtifact(path: string): Artifact {
  const artifact = JSON.parse(readFileSync(inNodeModules(path), 'utf8')) as PublishedArtifact
  const bytecode = artifact.bytecode ?? artifact.evm?.bytecode
  const object = typeof bytecode === 'object' ? bytecode.object : bytecode
  if (!object) throw new TypeError(`${path} has no bytecode`)
  return { abi: artifact.abi, bytecode: (object.startsWith('0x') ? object : `0x${object}`) as Hex }
}

/**
 * Returns the absolute path of a file in `node_modules`. Does not use Node's module resolution, because the `exports`
 * of some packages omit files that the packages contain.
 */
export function inNodeModules(path: string): string {
  const folder = require.resolve.paths(path)?.find((candidate) => existsSync(join(candidate, path)))
  if (!folder) throw new TypeError(`${path} is in no node_modules folder`)
  return join(folder, path)
}

/**
 * Loads an artifact in Hardhat's layout, such as `loadHardhatArtifact('@uniswap/v3-core', 'UniswapV3Factory')`; `name`
 * may contain folders.
 */
export function loadHardhatArtifact(pkg: string, name: string): Artifact {
  return loadArtifact(`${pkg}/artifacts/contracts/${name}.sol/${name.split('/').at(-1)}.json`)
}
