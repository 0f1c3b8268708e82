/**
 * Long arrays of a state that stay encoded until they are first read. The ticks of most pools are never read, and
 * parsed numbers would dominate CPU time and memory.
 */
import { fromText, toText } from '../store/text.ts'

/** An array as JSON text, parsed on first access. */
export class Long {
  private jsonText: string | null
  private parsedItems: readonly unknown[] | null = null

  private constructor(jsonText: string) {
    this.jsonText = jsonText
  }

  /** Returns null if the text does not look like a JSON array. */
  static of(text: string): Long | null {
    return text.startsWith('[') && text.endsWith(']') ? new Long(text) : null
  }

  get items(): readonly unknown[] {
    if (this.jsonText !== null) {
      this.parsedItems = fromText<readonly unknown[]>(this.jsonText)
      this.jsonText = null
    }
    return this.parsedItems!
  }

  isParsedAs(items: unknown): boolean {
    return this.parsedItems !== null && this.parsedItems === items
  }

  get text(): string {
    return this.jsonText ?? toText(this.parsedItems)
  }
}

type Holder = { readonly [LONGS]?: Readonly<Record<string, Long>> }

const LONGS = Symbol('long arrays')
/** Property descriptors, shared by all states: separate getters would give each state a hidden class of its own. */
const properties = new Map<string, PropertyDescriptor>()

function propertyOf(name: string): PropertyDescriptor {
  const cached = properties.get(name)
  if (cached) return cached
  const property: PropertyDescriptor = {
    get(this: Holder) {
      return this[LONGS]![name]!.items
    },
    enumerable: true,
    configurable: true,
  }
  properties.set(name, property)
  return property
}

/**
 * Defines lazily parsed arrays on a state that no other code has a reference to yet. A spread copy of the state has
 * plain arrays.
 */
export function defineLongs(state: object, longs: Readonly<Record<string, Long>>): void {
  Object.defineProperty(state, LONGS, { value: longs })
  for (const name in longs) Object.defineProperty(state, name, propertyOf(name))
}

/**
 * Returns a value that identifies a property without parsing it: the `Long` if the property is still encoded, else the
 * property itself.
 */
export function sourceOf(state: object, name: string): unknown {
  return (state as Holder)[LONGS]?.[name] ?? (state as Readonly<Record<string, unknown>>)[name]
}

/**
 * True if the property is unchanged between two states. A state derived from another one contains the parsed array
 * itself.
 */
export function isSource(before: unknown, source: unknown): boolean {
  return before === source || (before instanceof Long && before.isParsedAs(source))
}
