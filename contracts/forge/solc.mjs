#!/usr/bin/env node
// Runs the solc of the lockfile with the command line that forge expects: `--version`, or standard JSON on stdin.
import { readFileSync } from 'node:fs'
import solc from 'solc'

if (process.argv.includes('--version')) {
  // forge rejects the platform name of the WebAssembly build, so this prints the name of a native one.
  console.log(`solc, the solidity compiler\nVersion: ${solc.version().replace('.Emscripten.clang', '.Linux.g++')}`)
} else {
  process.stdout.write(solc.compile(readFileSync(0, 'utf8')))
}
