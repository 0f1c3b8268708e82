/** Parts that tests and benchmarks of other packages use in addition to this one's entry. */
export { SlotResolver } from '../src/slots/resolver.ts'
export { attacks } from './attacks.ts'
export { abiOf, deployer, grossGas, startTestChain } from './chain.ts'
export { compile } from './compile.ts'
export { readMainnet, startMainnet } from './mainnet.ts'
export { compareShape, shapesOn } from './shapes.ts'
export { type Check, checkToken, unusedAccount } from './token-check.ts'
