export { parseVectors } from './parse.ts'
export { asksOf, runVectors, type VectorReport } from './run.ts'
export type { FormFile, Vector, VectorFile } from './types.ts'
