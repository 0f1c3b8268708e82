/** Test tools for other packages: random steps, golden programs, and the byte reader. */
export { ByteReader } from '../bytes.ts'
export { decodeStep } from '../decode.ts'
export { inputKinds } from '../format.ts'
export { PULLED_TOKEN, program, step } from './arbitrary.ts'
export { type Golden, golden } from './golden.ts'
