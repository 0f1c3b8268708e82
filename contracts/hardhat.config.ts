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
/** The long profile of fuzz and invariant tests. */
const long = process.env.LONG === '1'
/** The builds differ in two lines: the second pass is there to run all of the tests, with fewer cases of each. */
const runs = process.env.BUILD === 'london' ? 250 : 1_000
const solcPath = createRequire(import.meta.url).resolve('solc/soljson.js')

const compiler = (evmVersion: 'cancun' | 'london') => ({
  version: '0.8.30',
  path: solcPath,
  settings: { evmVersion, optimizer: { enabled: true, runs: 1000000 }, viaIR: true },
})

export default defineConfig({
  plugins: [viem, ethers, typechain, keystore],
  networks: registryNetworks(),
  paths: { sources: './src' },
  typechain: { outDir: './types' },
  // The tests put the DEXes' published bytecode on their chain.
  test: {
    solidity: {
      fsPermissions: {
        readDirectory: [
          join(root, 'node_modules'),
          join(root, 'packages'),
          join(import.meta.dirname, 'artifacts/src/london'),
        ],
      },
      fuzz: { runs: long ? 10_000 : runs },
      invariant: { runs: long ? 1_000 : 100, depth: 50 },
    },
  },
  solidity: {
    profiles: {
      default: {
        compilers: [compiler('cancun')],
        // Lenses run on every chain, also on those without PUSH0; the london build of Guard and Executor only there.
        overrides: Object.fromEntries(
          ['src/lenses', 'src/london'].flatMap((folder) =>
            readdirSync(join(import.meta.dirname, folder)).map((file) => [`${folder}/${file}`, compiler('london')]),
          ),
        ),
      },
    },
  },
})
