import { readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import ethers from '@nomicfoundation/hardhat-ethers'
import keystore from '@nomicfoundation/hardhat-keystore'
import typechain from '@nomicfoundation/hardhat-typechain'
import viem from '@nomicfoundation/hardhat-viem'
import { defineConfig } from 'hardhat/config'
import { registryNetworks } from './deploy/networks.ts'

const root = join(import.meta.dirname, '..')
/** Cases of each fuzz test, and sequences of each invariant test. */
const runs = Number(process.env.RUNS ?? (process.env.LONG === '1' ? 10_000 : 1_000))
/** The same cases each time, unless another seed is asked for. */
const seed = process.env.SEED ?? '0x51ce'
const solcPath = createRequire(import.meta.url).resolve('solc/soljson.js')

/**
 * scripts/coverage.ts and scripts/mutants.ts test code that is never deployed: unoptimized, which compiles in seconds, and apart
 * from the artifacts.
 */
const apart = ['coverage', 'mutant'].find((purpose) => process.env[purpose.toUpperCase()] === 'true')

const compiler = (evmVersion: 'cancun' | 'london') => ({
  version: '0.8.30',
  path: solcPath,
  settings: { evmVersion, optimizer: { enabled: !apart, runs: 1000000 }, viaIR: !apart },
})

export default defineConfig({
  plugins: [viem, ethers, typechain, keystore],
  networks: registryNetworks(),
  paths: {
    sources: './src',
    ...(apart ? { artifacts: `./cache/apart/${apart}/artifacts`, cache: `./cache/apart/${apart}` } : {}),
  },
  // Lenses are never deployed, and are tested in TypeScript.
  coverage: { skipFiles: ['src/lenses/**'] },
  typechain: { outDir: apart ? `./cache/apart/${apart}/types` : './types' },
  // The tests put the DEXes' published bytecode on their chain.
  test: {
    solidity: {
      fsPermissions: {
        readDirectory: [
          join(root, 'node_modules'),
          join(root, 'packages'),
          join(import.meta.dirname, 'artifacts/src/london'),
          join(import.meta.dirname, 'cache/mutant'),
        ],
      },
      fuzz: { runs, seed },
      invariant: { runs, depth: 20 },
    },
  },
  solidity: {
    profiles: {
      default: {
        compilers: [compiler('cancun')],
        // Lenses run on every chain, also on those without PUSH0; the london build of Guard and Executor only there.
        overrides: Object.fromEntries(
          ['src/lenses', 'src/london'].flatMap((folder) =>
            readdirSync(join(import.meta.dirname, folder))
              .filter((file) => file.endsWith('.sol'))
              .map((file) => [`${folder}/${file}`, compiler('london')]),
          ),
        ),
      },
    },
  },
})
