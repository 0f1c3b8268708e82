#!/usr/bin/env node
/**
 * Command line: `sluice-certificate <file|-> --rpc <url>`. Exits with 0 if the certificate is verified, with 1 if it is
 * refuted, and with 2 if it cannot be checked.
 */
import { readFileSync, statSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { checkCertificate } from '../dist/index.js'

const USAGE = 'usage: sluice-certificate <file|-> --rpc <url> [--deadline <ms>] [--must-include <pool id>]...'
/** Maximum bytes of a certificate. A certificate with 2,000 pools, the maximum, has about a tenth of this. */
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
// A response of `/quote` contains the certificate in `proof`.
const verdict = await checkCertificate(certificate?.proof ?? certificate, {
  url: values.rpc,
  deadlineMs,
  mustInclude: values['must-include'],
})
console.log(JSON.stringify(verdict, (_, value) => (typeof value === 'bigint' ? String(value) : value), 2))
process.exit(verdict.status === 'verified' ? 0 : verdict.status === 'refuted' ? 1 : 2)
