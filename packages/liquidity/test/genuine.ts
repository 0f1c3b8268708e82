/** Answers of genuine contracts, as the files of `vectors/genuine` hold them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

// biome-ignore lint/suspicious/noExplicitAny: each family has a form of its own.
export function genuineAnswers(family: string): any {
  const file = join(import.meta.dirname, '../vectors/genuine', `${family}.json.gz`)
  return JSON.parse(gunzipSync(readFileSync(file)).toString('utf8'))
}
