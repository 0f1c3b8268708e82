/**
 * Long arrays of a state that stay JSON text until they are first read. The ticks of most pools are never read, and
 * parsed numbers would dominate CPU time and memory.
 */
import { fromText, toText } from '../store/text.ts'

/** An array as JSON text, parsed on first access. */
export class LazyArray {
  private jsonText: string | null
  private parsedItems: readonly unknown[] | null = null

  private constructor(jsonText: string) {
    this.jsonText = jsonText
  }

  /** Returns null if the text does not look like a JSON array. */
  static of(text: string): LazyArray | null {
    return text.startsWith('[') && text.endsWith(']') ? new LazyArray(text) : null
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

type StateWithLazyArrays = { readonly [LAZY_ARRAYS]?: Readonly<Record<string, LazyArray>> }

const LAZY_ARRAYS = Symbol('long arrays')
/** Property descriptors, shared by all states: separate getters would give each state a hidden class of its own. */
const descriptorByName = new Map<string, PropertyDescriptor>()

function descriptorOf(name: string): PropertyDescriptor {
  const cachedDescriptor = descriptorByName.get(name)
  if (cachedDescriptor) return cachedDescriptor
  const descriptor: PropertyDescriptor = {
    get(this: StateWithLazyArrays) {
      return this[LAZY_ARRAYS]![name]!.items
    },
    enumerable: true,
    configurable: true,
  }
  descriptorByName.set(name, descriptor)
  return descriptor
}

/**
 * Defines lazily parsed arrays on a new state. No other code may have a reference to the state yet. A spread copy of
 * the state has plain arrays.
 */
export function defineLazyArrays(state: object, lazyArrays: Readonly<Record<string, LazyArray>>): void {
  Object.defineProperty(state, LAZY_ARRAYS, { value: lazyArrays })
  for (const name in lazyArrays) Object.defineProperty(state, name, descriptorOf(name))
}

/**
 * Returns a value that identifies a property without parsing it: the `LazyArray` if the property is still encoded, else
 * the property itself.
 */
export function storedValueOf(state: object, name: string): unknown {
  return (state as StateWithLazyArrays)[LAZY_ARRAYS]?.[name] ?? (state as Readonly<Record<string, unknown>>)[name]
}

/**
 * True if two values of `storedValueOf` are the same array or value. A state that was spread from another one contains
 * the parsed array in place of the `LazyArray`.
 */
export function isSameStoredValue(before: unknown, after: unknown): boolean {
  return before === after || (before instanceof LazyArray && before.isParsedAs(after))
}
