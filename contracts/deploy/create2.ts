/** Addresses and calldata of CREATE2 deployments through the keyless deployer. */
import type { Address, Hex } from '@sluice/chains'
import { toAddress } from '@sluice/chains'
import { concatHex, getContractAddress, keccak256 } from 'viem'

/**
 * The keyless deployer, a contract that most chains have at the same address. It creates a contract by CREATE2 with the
 * salt `calldata[:32]` and the init code `calldata[32:]`. Its own creation transaction has a made-up signature. So
 * nobody has the key of its `signer`, and anyone can publish the transaction on a new chain.
 *
 * @see https://github.com/Arachnid/deterministic-deployment-proxy
 */
export const KEYLESS_DEPLOYER = {
  address: toAddress('0x4e59b44847b379578588920cA78FbF26c0B4956C'),
  /** Sender of the creation transaction. Needs a balance of `cost`. */
  signer: toAddress('0x3fAB184622Dc19b6109349B94811493BF2a45362'),
  /** Cost of the creation in wei: 100,000 gas at 100 gwei. */
  cost: 10_000_000_000_000_000n,
  gasLimit: 100_000n,
  /** Gas price of the creation transaction, in wei. */
  gasPrice: 100_000_000_000n,
  initCode:
    '0x604580600e600039806000f350fe7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3',
  runtime:
    '0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3',
  transaction:
    '0xf8a58085174876e800830186a08080b853604580600e600039806000f350fe7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf31ba02222222222222222222222222222222222222222222222222222222222222222a02222222222222222222222222222222222222222222222222222222222222222',
} as const

/** Salt of all our contracts. With a constant salt, an address depends only on the init code. */
export const SALT: Hex = `0x${'00'.repeat(32)}`

export function create2Address(initCodeHash: Hex, salt: Hex = SALT): Address {
  return toAddress(
    getContractAddress({ opcode: 'CREATE2', from: KEYLESS_DEPLOYER.address, salt, bytecodeHash: initCodeHash }),
  )
}

export function create2Calldata(initCode: Hex): Hex {
  return concatHex([SALT, initCode])
}

export const hashOf = (code: Hex): Hex => keccak256(code)
