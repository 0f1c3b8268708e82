export { parseVectors } from './parse.ts'
export { runVectors, type VectorReport, vectorReaders } from './run.ts'
export type { FormFile, Vector, VectorFile } from './types.ts'
