import { createMarket } from '../src/index.ts'
import { marketContract } from './contract.ts'

marketContract(async ({ chain, rpc }) => ({ make: () => createMarket({ chain, rpc }), stop: async () => {} }))
