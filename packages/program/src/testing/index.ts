/** Tools for tests of other packages: random steps, the golden programs, and the parts of the decoder. */
export { ByteReader } from '../bytes.ts'
export { decodeStep } from '../decode.ts'
export { inputKinds } from '../format.ts'
export { PULLED_TOKEN, program, step } from './arbitrary.ts'
export { type Golden, golden } from './golden.ts'
