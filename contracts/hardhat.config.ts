/** Hardhat configuration of the contracts: compilers, networks, and Solidity tests. */
import { readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import ethers from '@nomicfoundation/hardhat-ethers'
import keystore from '@nomicfoundation/hardhat-keystore'
import typechain from '@nomicfoundation/hardhat-typechain'
import viem from '@nomicfoundation/hardhat-viem'
import { defineConfig } from 'hardhat/config'
import type { HardhatPlugin } from 'hardhat/types/plugins'
import { registryNetworks } from './deploy/networks.ts'

const root = join(import.meta.dirname, '..')
const lenses = join(import.meta.dirname, 'src/lenses/')
/**
 * Number of cases of each fuzz test, and of sequences of each invariant test. 60 are enough to kill every mutant of
 * contracts/test/mutants.ts.
 */
const runs = Number(process.env.RUNS ?? (process.env.LONG === '1' ? 10_000 : 200))
/** Seed of fuzz tests. It is constant unless the variable `SEED` is set. */
const seed = process.env.SEED ?? '0x51ce'
const solcPath = createRequire(import.meta.url).resolve('solc/soljson.js')

/**
 * True if scripts/coverage.ts runs the tests. It compiles without the optimizer, into separate folders, because this
 * code must not replace the artifacts for deployments.
 */
const isCoverage = process.env.COVERAGE === 'true'

const compiler = (evmVersion: 'cancun' | 'london') => ({
  version: '0.8.30',
  path: solcPath,
  settings: { evmVersion, optimizer: { enabled: !isCoverage, runs: 1000000 }, viaIR: !isCoverage },
})
/**
 * Compiler of the Solidity tests. It does not optimize, which would take minutes. Tests load Guard and Executor from
 * the optimized artifacts (test/support/Build.sol).
 */
const testCompiler = {
  version: '0.8.30',
  path: solcPath,
  settings: { evmVersion: 'cancun' },
}

/**
 * Hardhat plugin that changes how contracts are compiled. It uses all cores (Hardhat leaves one idle), compiles tests
 * with their own profile, and leaves out the lenses if coverage is measured.
 */
const compilationPlugin: HardhatPlugin = {
  id: 'sluice-compiling',
  hookHandlers: {
    // Gives all files of a folder the same settings object, because Hardhat compiles files together only if they share
    // it.
    config: async () => ({
      default: async () => ({
        resolveUserConfig: async (user, variable, next) => {
          const config = await next(user, variable)
          const { overrides } = config.solidity.profiles.default!
          for (const folder of ['src/lenses', 'src/london']) {
            const files = Object.keys(overrides).filter((file) => file.startsWith(folder))
            for (const file of files) overrides[file] = overrides[files[0]!]!
          }
          return config
        },
      }),
    }),
    solidity: async () => ({
      default: async () => ({
        build: (context, roots, options, next) => {
          const profile = options?.scope === 'tests' ? { buildProfile: 'tests' } : {}
          const compiledRoots = isCoverage ? roots.filter((path) => !path.startsWith(lenses)) : roots
          return next(context, compiledRoots, { ...options, concurrency: availableParallelism(), ...profile })
        },
      }),
    }),
  },
}

export default defineConfig({
  plugins: [viem, ethers, typechain, keystore, compilationPlugin],
  networks: registryNetworks(),
  paths: {
    sources: './src',
    ...(isCoverage ? { artifacts: './cache/apart/artifacts', cache: './cache/apart' } : {}),
  },
  // Lenses are never deployed, and are tested in TypeScript.
  coverage: { skipFiles: ['src/lenses/**'] },
  typechain: { outDir: isCoverage ? './cache/apart/types' : './types' },
  // Folders that tests may read. They load the published bytecode of DEXes from npm packages.
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
    splitTestsCompilation: true,
    profiles: {
      tests: { compilers: [testCompiler] },
      default: {
        compilers: [compiler('cancun')],
        // The london EVM has no PUSH0. Lenses run on every chain, including chains without PUSH0. The london build of
        // Guard and Executor is only for such chains.
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
