import { createRequire } from 'node:module'
import ethers from '@nomicfoundation/hardhat-ethers'
import typechain from '@nomicfoundation/hardhat-typechain'
import viem from '@nomicfoundation/hardhat-viem'
import { defineConfig } from 'hardhat/config'

const solcPath = createRequire(import.meta.url).resolve('solc/soljson.js')

export default defineConfig({
  plugins: [viem, ethers, typechain],
  paths: { sources: './src' },
  typechain: { outDir: './types' },
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
