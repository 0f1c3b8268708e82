/** Public interface of the package: encoding and decoding of programs, which the Executor contract runs. */
export { decodeProgram } from './decode.ts'
export { encodeProgram } from './encode.ts'
export { ProgramError, type ProgramErrorCode } from './errors.ts'
export { SHARE_DENOMINATOR } from './format.ts'
export {
  acceptsPrepayment,
  executableFamilies,
  opOf,
  ops,
  type Step,
  saltOf,
  type TrustedList,
  trustedListOf,
  trustedLists,
  usesSingleton,
} from './ops/index.ts'
export type { Keccak, Mechanism, Op, PoolSalt, StepTrade } from './ops/op.ts'
export { shareOf, toShare } from './share.ts'
export type * from './step.ts'
export { joinSteps, keeperOf, singletonOf, tradesOf } from './trades.ts'
