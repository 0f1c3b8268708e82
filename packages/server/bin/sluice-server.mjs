#!/usr/bin/env node
// The service needs Node 22.15 (`node:sqlite`, iterator helpers, zstd). An older one, from 20 up, has npm fetch the one that the service is
// tested with.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const main = new URL('../dist/packages/server/src/main.js', import.meta.url)
const [major, minor] = process.versions.node.split('.').map(Number)

if (major > 22 || (major === 22 && minor >= 15)) await import(main.href)
else {
  const node = ['--yes', '--package=node@24', '--', 'node', fileURLToPath(main), ...process.argv.slice(2)]
  const child = spawn('npx', node, { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)))
}
