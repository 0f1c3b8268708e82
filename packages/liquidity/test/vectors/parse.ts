/** Parses and validates files of test vectors. */
import { adapters } from './adapters.ts'
import { forms } from './forms.ts'
import type { FormFile, Vector, VectorFile, VectorState } from './types.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * Parses a file; returns null for an index file, which only counts the vectors of other files.
 *
 * @throws TypeError that names the field that is missing or has the wrong type
 */
export function parseVectors(text: string): VectorFile | FormFile | null {
  let content: unknown
  try {
    content = JSON.parse(text)
  } catch (cause) {
    throw new TypeError(`is not JSON: ${(cause as SyntaxError).message}`, { cause })
  }
  const file = fieldsOf(content, 'the file')
  if (isIndex(file)) return null
  if (typeof file.family !== 'string') throw new TypeError('family: must be a string')
  if (hasForm(file)) return { family: file.family, content: file }
  if (!Array.isArray(file.vectors)) throw new TypeError('vectors: must be a list')
  const states = fieldsOf(file.states, 'states')
  for (const [key, value] of Object.entries(states)) {
    const state = fieldsOf(value, `states.${key}`)
    fieldsOf(state.pool, `states.${key}.pool`)
  }
  file.vectors.forEach(checkVector)
  return {
    family: file.family,
    vectors: file.vectors as readonly Vector[],
    states: states as Readonly<Record<string, VectorState>>,
  }
}

const isIndex = (file: Fields): boolean =>
  Object.keys(file).length > 0 &&
  Object.values(file).every((entry) => typeof (entry as Fields | null)?.vectors === 'number')

/** True if its states are in a format of the family's own, not `pool`s of other programs. */
function hasForm({ family, states, pools, vectors }: Fields): boolean {
  if (String(family) in adapters && !(String(family) in forms)) return false
  if ([pools, states].some((list) => Array.isArray(list) && list.length > 0)) return true
  if (typeof states !== 'object' || states === null || !Array.isArray(vectors) || vectors.length === 0) return false
  const values = Object.values(states) as (Fields | null)[]
  return values.length > 0 && values.every((state) => state?.pool === undefined)
}

function checkVector(value: unknown, index: number): void {
  const vector = fieldsOf(value, `vectors[${index}]`)
  const text = (name: string) => {
    if (typeof vector[name] !== 'string') throw new TypeError(`vectors[${index}].${name}: must be a string`)
    return vector[name]
  }
  const amount = (name: string) => {
    if (!/^\d+$/.test(text(name))) throw new TypeError(`vectors[${index}].${name}: must be a decimal integer`)
  }
  text('state')
  // Some sources name no tokens.
  for (const name of ['tokenIn', 'tokenOut']) if (vector[name] != null) text(name)
  if (text('mode') !== 'exactIn' || vector.sqrtPriceLimitX96 !== undefined) return
  amount('amountIn')
  if (!vector.fails) amount('amountOut')
}

function fieldsOf(value: unknown, name: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new TypeError(`${name}: must be an object`)
  return value as Fields
}
