/** Text that contracts say of themselves, which may be anything. */
import type { Hex } from '@sluice/chains'
import { AbiCoder, toUtf8String, Utf8ErrorFuncs } from 'ethers'

/** Characters that are looked at, whatever a contract answers. */
const MOST_READ = 4_096
/** Controls, formats (bidirectional overrides and characters without width among them), private and unassigned ones. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}]/gu
/** More than a letter needs: piles of them reach over other lines. */
const PILED_MARKS = /(\p{M}{2})\p{M}+/gu
const SPACES = /[\p{Z}\s]+/gu

/** On one line, in reading order, of so many characters at most; empty where nothing is left. */
export function harmless(text: string, most: number): string {
  const clean = text
    .slice(0, MOST_READ)
    .toWellFormed()
    .replace(SPACES, ' ')
    .replace(UNSEEN, '')
    .replace(PILED_MARKS, '$1')
    .trim()
  return clean.length <= most ? clean : clean.slice(0, most).toWellFormed().replace(/�$/u, '').trimEnd()
}

/** Text that `symbol()` or `name()` answered; null for no text. Older tokens answer 32 bytes instead of a string. */
export function textOf(answer: Hex, most: number): string | null {
  const text = answer.length === 66 ? bytes32Text(answer) : stringText(answer)
  return (text && harmless(text, most)) || null
}

function bytes32Text(answer: Hex): string {
  return toUtf8String(answer.replace(/(00)+$/, ''), Utf8ErrorFuncs.replace)
}

function stringText(answer: Hex): string | null {
  try {
    // As bytes, that are no UTF-8 maybe. What is beyond is cut off, not decoded.
    const [bytes] = AbiCoder.defaultAbiCoder().decode(['bytes'], answer)
    return toUtf8String((bytes as Hex).slice(0, 2 + 2 * MOST_READ), Utf8ErrorFuncs.replace)
  } catch {
    // Not a string either: the token has no readable text.
    return null
  }
}
