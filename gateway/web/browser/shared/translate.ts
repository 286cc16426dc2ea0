// Translates the scripts' sentences, as locales/translate.ts does for the pages: the English text of
// t`${name} added.`, `{0} added.`, is its key in the catalog. Sentences that the catalog lacks stay English.
import { keyOf } from '../../../../shared/messages/message.ts'
import { fill, fillCounted } from '../../../../shared/messages/write-message.ts'

const isGerman = document.documentElement.lang === 'de'
const locale = isGerman ? 'de-DE' : 'en-GB'
// English pages do not load the catalog.
const catalog: Record<string, string> = isGerman ? (await import('./german.json')).default : {}

/** A sentence, or a single word such as a label. */
export function t(parts: TemplateStringsArray, ...values: Array<string | number>): string {
  const key = keyOf(parts)
  return fill(catalog[key] ?? key, values).join('')
}

/** `#` stands for the number. The plural form is the key in the catalog. */
export function plural(count: number, one: string, other: string, ...values: string[]): string {
  return fillCounted(catalog[other] ?? `${one} | ${other}`, count, values, locale)
}
