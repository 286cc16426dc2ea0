// Translates the sentences of scripts the way locales/translate.ts does for pages: the catalog's key for
// t`${name} added.` is the English text `{0} added.` Sentences that the catalog lacks stay English.
import { getMessageKey } from '../../../../shared/messages/message.ts'
import { fillCountedMessage, fillPlaceholders } from '../../../../shared/messages/write-message.ts'

const isGerman = document.documentElement.lang === 'de'
const locale = isGerman ? 'de-DE' : 'en-GB'
// The catalog of the page's language. English pages load no catalog.
const catalog: Record<string, string> = isGerman ? (await import('./german.json')).default : {}

/** Translates a sentence, or a single word such as a label. */
export function t(parts: TemplateStringsArray, ...values: Array<string | number>): string {
  const key = getMessageKey(parts)
  return fillPlaceholders(catalog[key] ?? key, values).join('')
}

/** Translates a sentence with a number. `#` stands for the number. The plural form is the key in the catalog. */
export function plural(count: number, one: string, other: string, ...values: string[]): string {
  return fillCountedMessage(catalog[other] ?? `${one} | ${other}`, count, values, locale)
}
