/** Parses large JSON without blocking the event loop: short texts by `JSON.parse`, long texts piece by piece. */
import { inSlices, type Steps } from './slices.ts'

/** Maximum characters per call of `JSON.parse`, so that a call takes at most about a millisecond. */
const MAX_PIECE_CHARS = 65_536

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_LIST = 0x5b
const BACKSLASH = 0x5c
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** Parses JSON like `JSON.parse`. @throws SyntaxError */
export async function parseJson(text: string): Promise<unknown> {
  return text.length <= MAX_PIECE_CHARS ? JSON.parse(text) : inSlices('json', new JsonReader(text).parseAll())
}

/**
 * Parses a text piece by piece. Each value that is short enough is one piece for `JSON.parse`. Longer arrays and
 * objects are split into their keys and items.
 */
class JsonReader {
  private readonly text: string
  private position = 0

  constructor(text: string) {
    this.text = text
  }

  *parseAll(): Steps<unknown> {
    const value = yield* this.parseValue()
    if (this.peekCharacter() !== undefined) throw this.syntaxError()
    return value
  }

  private *parseValue(): Steps<unknown> {
    const first = this.peekCharacter()
    const isContainer = first === OPEN_LIST || first === OPEN_OBJECT
    const end = isContainer ? this.endOfContainer() : this.endOfScalar()
    if (end !== -1) {
      yield
      return this.parseTo(end)
    }
    return yield* first === OPEN_LIST ? this.parseList() : this.parseObject()
  }

  private *parseList(): Steps<unknown[]> {
    const list: unknown[] = []
    this.position++
    if (this.peekCharacter() === CLOSE_LIST) {
      this.position++
      return list
    }
    for (;;) {
      list.push(yield* this.parseValue())
      if (this.consumeSeparator(CLOSE_LIST)) return list
    }
  }

  private *parseObject(): Steps<object> {
    const object = {}
    this.position++
    if (this.peekCharacter() === CLOSE_OBJECT) {
      this.position++
      return object
    }
    for (;;) {
      if (this.peekCharacter() !== QUOTE) throw this.syntaxError()
      const key = this.parseTo(this.endOfScalar()) as string
      if (this.peekCharacter() !== COLON) throw this.syntaxError()
      this.position++
      const value = yield* this.parseValue()
      // Like `JSON.parse`: a `__proto__` key becomes an own property.
      Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
      if (this.consumeSeparator(CLOSE_OBJECT)) return object
    }
  }

  /**
   * Consumes a comma or a closing bracket.
   *
   * @returns true if it was the closing bracket
   */
  private consumeSeparator(close: number): boolean {
    const character = this.peekCharacter()
    if (character !== close && character !== COMMA) throw this.syntaxError()
    this.position++
    return character === close
  }

  /** Parses the text up to an index, and moves there. */
  private parseTo(end: number): unknown {
    const value = JSON.parse(this.text.slice(this.position, end))
    this.position = end
    return value
  }

  /** Skips white space and returns the next character code; undefined at the end of the text. */
  private peekCharacter(): number | undefined {
    for (; this.position < this.text.length; this.position++) {
      const code = this.text.charCodeAt(this.position)
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return code
    }
    return undefined
  }

  /** Returns the index after an array or object; -1 if it is more than `MAX_PIECE_CHARS` characters away. */
  private endOfContainer(): number {
    let depth = 0
    const limit = Math.min(this.text.length, this.position + MAX_PIECE_CHARS)
    for (let position = this.position; position < limit; position++) {
      const code = this.text.charCodeAt(position)
      if (code === QUOTE) {
        position = this.endOfString(position) - 1
        if (position < 0) throw this.syntaxError()
      } else if (code === OPEN_LIST || code === OPEN_OBJECT) depth++
      else if ((code === CLOSE_LIST || code === CLOSE_OBJECT) && --depth === 0) return position + 1
    }
    if (limit === this.text.length) throw this.syntaxError()
    return -1
  }

  /** Returns the index after a string, number, boolean, or null. */
  private endOfScalar(): number {
    if (this.text.charCodeAt(this.position) === QUOTE) {
      const end = this.endOfString(this.position)
      if (end === -1) throw this.syntaxError()
      return end
    }
    let position = this.position
    while (position < this.text.length && /[-+.\w]/.test(this.text[position]!)) position++
    return position
  }

  /** @returns the index after the closing quote; -1 if there is none */
  private endOfString(start: number): number {
    for (
      let position = this.text.indexOf('"', start + 1);
      position !== -1;
      position = this.text.indexOf('"', position + 1)
    ) {
      let slashes = 0
      while (this.text.charCodeAt(position - 1 - slashes) === BACKSLASH) slashes++
      if (slashes % 2 === 0) return position + 1
    }
    return -1
  }

  private syntaxError(): SyntaxError {
    return new SyntaxError(`unexpected character of JSON at ${this.position}`)
  }
}
