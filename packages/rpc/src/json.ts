/** JSON of any length without holding the event loop: what is short is left to the engine, what is long is taken apart. */
import { inSlices, type Steps } from './slices.ts'

/** Characters that the engine reads at once, in a millisecond or less. */
const PIECE = 65_536

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_LIST = 0x5b
const BACKSLASH = 0x5c
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** As `JSON.parse`. @throws SyntaxError */
export async function parseJson(text: string): Promise<unknown> {
  return text.length <= PIECE ? JSON.parse(text) : inSlices('json', new Reader(text).all())
}

class Reader {
  private readonly text: string
  private at = 0

  constructor(text: string) {
    this.text = text
  }

  *all(): Steps<unknown> {
    const value = yield* this.value()
    if (this.next() !== undefined) throw this.wrong()
    return value
  }

  private *value(): Steps<unknown> {
    const first = this.next()
    const isContainer = first === OPEN_LIST || first === OPEN_OBJECT
    const end = isContainer ? this.endOfContainer() : this.endOfScalar()
    if (end !== -1) {
      yield
      return this.take(end)
    }
    return yield* first === OPEN_LIST ? this.list() : this.object()
  }

  private *list(): Steps<unknown[]> {
    const list: unknown[] = []
    this.at++
    if (this.next() === CLOSE_LIST) {
      this.at++
      return list
    }
    for (;;) {
      list.push(yield* this.value())
      if (this.separator(CLOSE_LIST)) return list
    }
  }

  private *object(): Steps<object> {
    const object = {}
    this.at++
    if (this.next() === CLOSE_OBJECT) {
      this.at++
      return object
    }
    for (;;) {
      if (this.next() !== QUOTE) throw this.wrong()
      const key = this.take(this.endOfScalar()) as string
      if (this.next() !== COLON) throw this.wrong()
      this.at++
      const value = yield* this.value()
      // As the engine does it: a key is never more than a key.
      Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
      if (this.separator(CLOSE_OBJECT)) return object
    }
  }

  /** @returns whether it is the end */
  private separator(close: number): boolean {
    const found = this.next()
    if (found !== close && found !== COMMA) throw this.wrong()
    this.at++
    return found === close
  }

  private take(end: number): unknown {
    const value = JSON.parse(this.text.slice(this.at, end))
    this.at = end
    return value
  }

  /** The first character that is no white space; undefined at the end. */
  private next(): number | undefined {
    for (; this.at < this.text.length; this.at++) {
      const code = this.text.charCodeAt(this.at)
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return code
    }
    return undefined
  }

  /** End of a list or an object; -1 when that is too far. */
  private endOfContainer(): number {
    let depth = 0
    const last = Math.min(this.text.length, this.at + PIECE)
    for (let at = this.at; at < last; at++) {
      const code = this.text.charCodeAt(at)
      if (code === QUOTE) {
        at = this.endOfString(at) - 1
        if (at < 0) throw this.wrong()
      } else if (code === OPEN_LIST || code === OPEN_OBJECT) depth++
      else if ((code === CLOSE_LIST || code === CLOSE_OBJECT) && --depth === 0) return at + 1
    }
    if (last === this.text.length) throw this.wrong()
    return -1
  }

  private endOfScalar(): number {
    if (this.text.charCodeAt(this.at) === QUOTE) {
      const end = this.endOfString(this.at)
      if (end === -1) throw this.wrong()
      return end
    }
    let at = this.at
    while (at < this.text.length && /[-+.\w]/.test(this.text[at]!)) at++
    return at
  }

  /** @returns -1 when there is none */
  private endOfString(start: number): number {
    for (let at = this.text.indexOf('"', start + 1); at !== -1; at = this.text.indexOf('"', at + 1)) {
      let slashes = 0
      while (this.text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes++
      if (slashes % 2 === 0) return at + 1
    }
    return -1
  }

  private wrong(): SyntaxError {
    return new SyntaxError(`unexpected character of JSON at ${this.at}`)
  }
}
