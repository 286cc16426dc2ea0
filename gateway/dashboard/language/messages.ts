// What the API and the workers refuse is written in English, there; here it is told in the visitor's language. A message is
// known by its shape: `{0} is required.` What is not known stays as it is.
import { germanMessages } from './german-messages.ts'
import type { Language } from './languages.ts'
import { currentLanguage, t, translateKnown } from './translate.ts'

type Shape = { pattern: RegExp; translation: string }

const MESSAGES: Record<Language, Record<string, string>> = { en: {}, de: germanMessages }
const MORE = / \(and (\d+) more\)$/

const shapes = new Map<Language, Shape[]>()

/** Its values may be messages too: the label of a field, a span of time. What is quoted was typed by somebody, and stays. */
export function translateMessage(message: string): string {
  const language = currentLanguage()
  const [more, number] = MORE.exec(message) ?? []
  if (more !== undefined && number !== undefined)
    return t`${translateMessage(message.slice(0, -more.length))} (and ${number} more)`
  const known = Object.hasOwn(MESSAGES[language], message)
    ? MESSAGES[language][message]
    : translateKnown(message)
  if (known !== undefined) return known
  for (const { pattern, translation } of shapesOf(language)) {
    const values = pattern.exec(message)?.slice(1)
    if (values) return fill(translation, values)
  }
  return message
}

function fill(translation: string, values: string[]): string {
  return translation.replace(/(„?)\{(\d+)\}/g, (_whole, quote: string, index) => {
    const value = values[Number(index)] ?? ''
    return quote === '' ? translateMessage(value) : quote + value
  })
}

// The longest first: it says most about what it matches.
function shapesOf(language: Language): Shape[] {
  const known = shapes.get(language)
  if (known) return known
  const found = Object.entries(MESSAGES[language])
    .filter(([message]) => message.includes('{0}'))
    .sort(([one], [other]) => other.length - one.length)
    .map(([message, translation]) => ({ pattern: shapeOf(message), translation }))
  shapes.set(language, found)
  return found
}

// The values of a message stand in it in their order.
function shapeOf(message: string): RegExp {
  const texts = message.split(/\{\d+\}/).map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${texts.join('([^]+?)')}$`)
}
