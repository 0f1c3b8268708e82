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
/** Cases of each fuzz test, and sequences of each invariant test. 60 cases notice every mutant of scripts/mutants.ts. */
const runs = Number(process.env.RUNS ?? (process.env.LONG === '1' ? 10_000 : 200))
/** Seed of fuzz tests; constant unless `SEED` is set. */
const seed = process.env.SEED ?? '0x51ce'
const solcPath = createRequire(import.meta.url).resolve('solc/soljson.js')

/** True if scripts/coverage.ts runs the tests: unoptimized code that is never deployed, apart from the artifacts. */
const apart = process.env.COVERAGE === 'true'

const compiler = (evmVersion: 'cancun' | 'london') => ({
  version: '0.8.30',
  path: solcPath,
  settings: { evmVersion, optimizer: { enabled: !apart, runs: 1000000 }, viaIR: !apart },
})
/** Tests load Guard and Executor as they are deployed (test/support/Build.sol); what is around them need not take minutes. */
const ofTests = {
  version: '0.8.30',
  path: solcPath,
  settings: { evmVersion: 'cancun' },
}

/** Compilers on all cores, where Hardhat leaves one idle; another profile for tests. Lenses do without the coverage. */
const compiling: HardhatPlugin = {
  id: 'sluice-compiling',
  hookHandlers: {
    // Hardhat compiles together what has the very same settings: all lenses by one compiler, and not each by its own.
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
          const some = apart ? roots.filter((path) => !path.startsWith(lenses)) : roots
          return next(context, some, { ...options, concurrency: availableParallelism(), ...profile })
        },
      }),
    }),
  },
}

export default defineConfig({
  plugins: [viem, ethers, typechain, keystore, compiling],
  networks: registryNetworks(),
  paths: {
    sources: './src',
    ...(apart ? { artifacts: './cache/apart/artifacts', cache: './cache/apart' } : {}),
  },
  // Lenses are never deployed, and are tested in TypeScript.
  coverage: { skipFiles: ['src/lenses/**'] },
  typechain: { outDir: apart ? './cache/apart/types' : './types' },
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
    splitTestsCompilation: true,
    profiles: {
      tests: { compilers: [ofTests] },
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
