import { createRequire } from 'node:module'
import { join } from 'node:path'
import ethers from '@nomicfoundation/hardhat-ethers'
import typechain from '@nomicfoundation/hardhat-typechain'
import viem from '@nomicfoundation/hardhat-viem'
import { defineConfig } from 'hardhat/config'

const root = join(import.meta.dirname, '..')
const solcPath = createRequire(import.meta.url).resolve('solc/soljson.js')

export default defineConfig({
  plugins: [viem, ethers, typechain],
  paths: { sources: './src' },
  typechain: { outDir: './types' },
  // The tests put the DEXes' published bytecode on their chain.
  test: {
    solidity: { fsPermissions: { readDirectory: [join(root, 'node_modules'), join(root, 'packages/program/golden')] } },
  },
  solidity: {
    profiles: {
      default: {
        version: '0.8.30',
        path: solcPath,
        settings: { evmVersion: 'cancun', optimizer: { enabled: true, runs: 1000000 }, viaIR: true },
      },
    },
  },
})
