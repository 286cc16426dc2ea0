// The catalogs of all pages, keyed by the English sentence. English itself is in the source code.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { messageCatalogs } from '../../../shared/messages/catalogs.ts'
import type { Language } from '../../../shared/messages/languages.ts'
import type { Catalog } from '../../../shared/messages/write-message.ts'

const german: Catalog = JSON.parse(readFileSync(join(import.meta.dirname, 'german.json'), 'utf8'))

const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

// One entry serves for a word within a sentence and at its beginning, such as a label.
const labels = Object.fromEntries(
  Object.entries(german).map(([key, text]) => [capitalize(key), capitalize(text)]),
)

export const catalogs: Record<Language, Catalog> = {
  en: {},
  de: { ...labels, ...messageCatalogs.de, ...german },
}
