// The catalogs of all pages, keyed by the English sentence. English itself is in the source code.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { messageCatalogs } from '../../../shared/messages/catalogs.ts'
import type { Language } from '../../../shared/messages/languages.ts'
import type { Catalog } from '../../../shared/messages/write-message.ts'

const german: Catalog = JSON.parse(readFileSync(join(import.meta.dirname, 'german.json'), 'utf8'))

const inSentence = (label: string) => label.charAt(0).toLowerCase() + label.slice(1)

// Within a sentence, English writes a label with a small letter. German does not, so one entry serves for both.
const labels = Object.fromEntries(Object.entries(german).map(([key, text]) => [inSentence(key), text]))

export const catalogs: Record<Language, Catalog> = {
  en: {},
  de: { ...labels, ...messageCatalogs.de, ...german },
}
