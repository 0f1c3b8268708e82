/** Sanitizes text returned by contracts. */
import type { Hex } from '@sluice/chains'
import { AbiCoder, toUtf8String, Utf8ErrorFuncs } from 'ethers'

/** Maximum characters of the input that are processed. */
const MAX_READ = 4_096
/** Control, format (bidirectional overrides and zero-width characters), private-use, and unassigned characters. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}]/gu
/** More than two combining marks in a row, which would overlap other lines. */
const PILED_MARKS = /(\p{M}{2})\p{M}+/gu
const SPACES = /[\p{Z}\s]+/gu

/** Returns the text on one line, without invisible characters, at most `maxLength` long; may be empty. */
export function sanitizeText(text: string, maxLength: number): string {
  const cleanText = text
    .slice(0, MAX_READ)
    .toWellFormed()
    .replace(SPACES, ' ')
    .replace(INVISIBLE, '')
    .replace(PILED_MARKS, '$1')
    .trim()
  return cleanText.length <= maxLength
    ? cleanText
    : cleanText.slice(0, maxLength).toWellFormed().replace(/�$/u, '').trimEnd()
}

/**
 * Decodes the result of `symbol()` or `name()`; null if there is no text. Older tokens return bytes32 instead of a
 * string.
 */
export function decodeText(answer: Hex, maxLength: number): string | null {
  const text = answer.length === 66 ? bytes32Text(answer) : stringText(answer)
  return (text && sanitizeText(text, maxLength)) || null
}

function bytes32Text(answer: Hex): string {
  return toUtf8String(answer.replace(/(00)+$/, ''), Utf8ErrorFuncs.replace)
}

function stringText(answer: Hex): string | null {
  try {
    // The string may be invalid UTF-8 and very long, so decode it as bytes, and cut these before the conversion.
    const [bytes] = AbiCoder.defaultAbiCoder().decode(['bytes'], answer)
    return toUtf8String((bytes as Hex).slice(0, 2 + 2 * MAX_READ), Utf8ErrorFuncs.replace)
  } catch {
    // Not a string: the token has no readable text.
    return null
  }
}
