export * from './encode/index.ts'
export { findRoute } from './find-route.ts'
export { buildGraph, type Edge, type GasTable, type Graph } from './graph.ts'
export type * from './types.ts'
