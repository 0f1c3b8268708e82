/**
 * Long arrays of a state as the text in which they were told, until somebody asks for one. Of the pools of a chain few are asked
 * for their ticks, and numbers that nobody has asked for would be most of what a process has to make and to hold.
 */
import { fromText, toText } from '../store/text.ts'

export class Long {
  private told: string | null
  private read: readonly unknown[] | null = null

  private constructor(told: string) {
    this.told = told
  }

  /** Null for what is no text of an array. */
  static of(text: string): Long | null {
    return text.startsWith('[') && text.endsWith(']') ? new Long(text) : null
  }

  get items(): readonly unknown[] {
    if (this.told !== null) {
      this.read = fromText<readonly unknown[]>(this.told)
      this.told = null
    }
    return this.read!
  }

  isReadAs(items: unknown): boolean {
    return this.read !== null && this.read === items
  }

  get text(): string {
    return this.told ?? toText(this.read)
  }
}

type Holder = { readonly [LONGS]?: Readonly<Record<string, Long>> }

const LONGS = Symbol('long arrays')
/** One for all states: each with its own would be of a shape of its own. */
const properties = new Map<string, PropertyDescriptor>()

function propertyOf(name: string): PropertyDescriptor {
  const known = properties.get(name)
  if (known) return known
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

/** Gives a state that nobody else has yet arrays that are read when they are asked for. A copy of it has them as any others. */
export function holdLongs(state: object, longs: Readonly<Record<string, Long>>): void {
  Object.defineProperty(state, LONGS, { value: longs })
  for (const name in longs) Object.defineProperty(state, name, propertyOf(name))
}

/** By which a value of a state is known as the same without being read: the array that is still a text, else the value itself. */
export function sourceOf(state: object, name: string): unknown {
  return (state as Holder)[LONGS]?.[name] ?? (state as Readonly<Record<string, unknown>>)[name]
}

/** Nothing has changed from one to the other: a state that was made of one whose array was asked for has the array itself. */
export function isSource(before: unknown, source: unknown): boolean {
  return before === source || (before instanceof Long && before.isReadAs(source))
}
