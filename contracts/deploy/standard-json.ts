/** Creates and compiles the standard JSON inputs with which explorers verify the contracts. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import type { Build, Hex } from '@sluice/chains'
import { BUILDS, EXECUTOR_VERSION } from './plan.ts'

const root = join(import.meta.dirname, '..')

/**
 * Returns solc's input for one contract: its source, all files that it imports, and the settings. Explorers and
 * Sourcify verify a deployment by it. Paths and settings equal those of Hardhat's build, so that the bytecode is the
 * same.
 */
export function standardJson(contract: 'Guard' | 'Executor', build: Build) {
  const name = BUILDS[build][contract]
  const sources: Record<string, { content: string }> = {}
  const add = (path: string) => {
    const key = `project/${path}`
    if (sources[key]) return
    const content = readFileSync(join(root, path), 'utf8')
    sources[key] = { content }
    for (const [, imported] of content.matchAll(/from "(\.[^"]+)"/g)) add(posix.join(posix.dirname(path), imported!))
  }
  add(`src/${build === 'london' ? 'london/' : ''}${name}.sol`)
  return {
    language: 'Solidity',
    sources: Object.fromEntries(Object.entries(sources).sort(([a], [b]) => (a < b ? -1 : 1))),
    settings: {
      evmVersion: BUILDS[build].evmVersion,
      optimizer: { enabled: true, runs: 1_000_000 },
      viaIR: true,
      remappings: [],
      outputSelection: { '*': { '*': ['evm.bytecode.object'] } },
    },
  }
}

/** Returns the name of a contract's file in `deployments/standard-json`. Each Executor version has its own file. */
export function standardJsonFile(contract: 'Guard' | 'Executor', build: Build, version = EXECUTOR_VERSION): string {
  return contract === 'Guard' ? `${BUILDS[build].Guard}.json` : `${BUILDS[build].Executor}.v${version}.json`
}

/** Compiles a standard JSON input without Hardhat. Returns the contract's creation code. */
export function compileStandardJson(json: string, contract: 'Guard' | 'Executor', build: Build): Hex {
  const script = join(import.meta.dirname, 'compile-standard-json.ts')
  // The compiler recurses deeply, so it runs in its own process with a larger stack.
  const args = ['--stack-size=8000', script, BUILDS[build][contract]]
  return execFileSync(process.execPath, args, { input: json, encoding: 'utf8', maxBuffer: 1 << 24 }) as Hex
}
