// Finds the texts of a page outside of the brackets ⟦ and ⟧, also in attributes that people read or hear.

const UNREAD_ELEMENTS = /<(script|style|code|pre|time|textarea)\b[^>]*>[\s\S]*?<\/\1>/g
/** Elements that are marked as English or as not to be translated. */
const UNTRANSLATED_ELEMENTS = /<(\w+)\b[^>]*\s(?:lang="en"|translate="no")[^>]*>[\s\S]*?<\/\1>/g
const READ_ATTRIBUTES = /\s(?:aria-label|placeholder|title|alt|data-[a-z-]*(?:label|text|words?))="([^"]*)"/g
/** Punctuation that may stand between two names. */
const SEPARATOR = /(?:^|\s*)[,:·()](?:\s+|$)/
/** A date and time as German pages write it: 1. Jan. 2026, 09:00 MEZ. */
const DATE_TIME_PATTERN = /(?:\p{L}{2,}\.?, )?\d{1,2}\. \p{L}+\.? \d{4}, \d\d:\d\d(?: [A-Z]{3,4}\b)?/gu
const ENTITIES: Record<string, string> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
}

const decodeEntities = (text: string) =>
  text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? '')

/** A sentence may have tags in it, and begins and ends outside of them. */
export function findUnmarkedTexts(page: string, isKnown: (text: string) => boolean): string[] {
  const shown = page.replace(UNREAD_ELEMENTS, '').replace(UNTRANSLATED_ELEMENTS, '')
  const attributes = [...shown.matchAll(READ_ATTRIBUTES)].map(([, text = '']) => text)
  const texts = shown.replace(/<[^>]*>/g, '\n')
  return [texts, ...attributes]
    .flatMap((text) => outside(decodeEntities(text)).split('\n'))
    .map((text) => text.replace(DATE_TIME_PATTERN, '').replace(/\s+/g, ' ').trim())
    .filter(
      (text) => !isKnown(text) && !text.split(SEPARATOR).every((part) => isNoWord(part) || isKnown(part)),
    )
}

const isNoWord = (text: string) => !/\p{L}{2}/u.test(text)

function outside(text: string): string {
  let depth = 0
  let found = ''
  for (const character of text) {
    if (character === '⟦') depth++
    else if (character === '⟧') depth--
    else if (depth === 0) found += character
  }
  return found
}
