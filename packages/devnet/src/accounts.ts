/** Accounts of the local chain. */
import { type Address, type Hex, toAddress } from '@sluice/chains'
import { HDNodeWallet } from 'ethers'

/** An unlocked account of the local chain with its private key. */
export type Account = { readonly address: Address; readonly privateKey: Hex }

/** The default mnemonic of anvil and Hardhat. It is public, so never send anything of value to these accounts. */
const MNEMONIC = 'test test test test test test test test test test test junk'

/**
 * Account that deploys all contracts and owns the liquidity. It has no private key. The node impersonates it while the
 * chain is built.
 */
export const DEPLOYER = toAddress('0xde00000000000000000000000000000000000001')

/** Returns the first `count` accounts of the mnemonic. Anvil unlocks ten of them and gives each 10,000 ETH. */
export function accounts(count = 10): Account[] {
  const root = HDNodeWallet.fromPhrase(MNEMONIC, '', "m/44'/60'/0'/0")
  return Array.from({ length: count }, (_, index) => {
    const { address, privateKey } = root.deriveChild(index)
    return { address: toAddress(address), privateKey: privateKey as Hex }
  })
}
