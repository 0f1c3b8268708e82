/** Baseline for `/prices` and `/chains`: an Express server with two handlers that send given bytes. */
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import express from 'express'

const [pricesFile, chainsFile] = process.argv.slice(2) as [string, string]
const app = express()
for (const [path, file] of [
  ['/prices/:chainId', pricesFile],
  ['/chains', chainsFile],
] as const) {
  const body = readFileSync(file, 'utf8')
  app.get(path, (_request, response) => void response.type('application/json').send(body))
}
const server = app.listen(0, '127.0.0.1', () => {
  process.send!(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
process.once('disconnect', () => process.exit(0))
