#!/usr/bin/env node
// The compiler of the lockfile as forge calls one: `--version`, or standard JSON from stdin.
import { readFileSync } from 'node:fs'
import solc from 'solc'

if (process.argv.includes('--version')) {
  // forge knows the names of native platforms only.
  console.log(`solc, the solidity compiler\nVersion: ${solc.version().replace('.Emscripten.clang', '.Linux.g++')}`)
} else {
  process.stdout.write(solc.compile(readFileSync(0, 'utf8')))
}
