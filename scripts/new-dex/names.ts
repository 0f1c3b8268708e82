/** Converts the name of a family to its spellings in TypeScript and Solidity. */

/** The spellings of a family's name in TypeScript and Solidity. */
export type Names = {
  /** `some-dex`: folders, opcodes, entries of chain files. */
  readonly name: string
  /** `SomeDex`. */
  readonly Name: string
  /** `someDex`. */
  readonly camel: string
  /** `some_dex`. */
  readonly snake: string
}

/** Reason why a family cannot be created. */
export class NewDexError extends Error {
  override readonly name = 'NewDexError'
}

const MAX_LENGTH = 32

/**
 * Returns the spellings of a name.
 *
 * @throws NewDexError if the name is not lower-case words joined by hyphens
 */
export function namesOf(name: string): Names {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name) || name.length > MAX_LENGTH) {
    throw new NewDexError(
      `name: must be at most ${MAX_LENGTH} lower-case letters and digits in words joined by hyphens, such as some-dex-v2, not ${JSON.stringify(name)}`,
    )
  }
  const Name = name
    .split('-')
    .map((word) => word[0]!.toUpperCase() + word.slice(1))
    .join('')
  return { name, Name, camel: name[0] + Name.slice(1), snake: name.replaceAll('-', '_') }
}

/** Replaces each `{{key}}` of a template by the value of `key` in `words`. */
export function fill(template: string, words: Readonly<Record<string, string>>): string {
  return template.replace(/\{\{(\w+)\}\}/g, (_, key: string) => words[key]!)
}
