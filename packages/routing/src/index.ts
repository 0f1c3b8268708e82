export * from './encode/index.ts'
export type * from './types.ts'
