#!/usr/bin/env node
/** sluice-certificate <file|-> --rpc <url>: exits with 0 if verified, 1 if refuted, 2 if it cannot be checked. */
import { readFileSync, statSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { checkCertificate } from '../dist/index.js'

const USAGE = 'usage: sluice-certificate <file|-> --rpc <url> [--deadline <ms>] [--must-include <pool id>]...'
/** Bytes of the largest certificate: 2,000 pools take about a tenth. */
const MAX_BYTES = 16_000_000

function fail(message) {
  console.error(message)
  process.exit(2)
}

const options = {
  rpc: { type: 'string' },
  deadline: { type: 'string', default: '10000' },
  'must-include': { type: 'string', multiple: true, default: [] },
}
let parsed
try {
  parsed = parseArgs({ options, allowPositionals: true })
} catch (error) {
  fail(`${error.message}\n${USAGE}`)
}
const { values, positionals } = parsed
const [file] = positionals
const deadlineMs = Number(values.deadline)
if (positionals.length !== 1 || !values.rpc || !(deadlineMs >= 1)) fail(USAGE)

let certificate
try {
  if (file !== '-' && statSync(file).size > MAX_BYTES) fail(`${file} has more than ${MAX_BYTES} bytes`)
  const text = readFileSync(file === '-' ? 0 : file, 'utf8')
  if (text.length > MAX_BYTES) fail(`the certificate has more than ${MAX_BYTES} bytes`)
  certificate = JSON.parse(text)
} catch (error) {
  fail(`cannot read the certificate: ${error.message}`)
}
// An answer of `/quote` carries the certificate as `proof`.
const verdict = await checkCertificate(certificate?.proof ?? certificate, {
  url: values.rpc,
  deadlineMs,
  mustInclude: values['must-include'],
})
console.log(JSON.stringify(verdict, (_, value) => (typeof value === 'bigint' ? String(value) : value), 2))
process.exit(verdict.status === 'verified' ? 0 : verdict.status === 'refuted' ? 1 : 2)
