// The catalogs of all pages, keyed by the English sentence. There is no English catalog, because the source
// code contains these sentences.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { messageCatalogs } from '../../../shared/messages/catalogs.ts'
import type { Language } from '../../../shared/messages/languages.ts'
import type { MessageCatalog } from '../../../shared/messages/write-message.ts'

const german: MessageCatalog = JSON.parse(readFileSync(join(import.meta.dirname, 'german.json'), 'utf8'))

const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

// One entry is used both for a word within a sentence and for the same word with a capital letter, such as a
// label.
const capitalizedLabels = Object.fromEntries(
  Object.entries(german).map(([key, text]) => [capitalize(key), capitalize(text)]),
)

export const catalogs: Record<Language, MessageCatalog> = {
  en: {},
  de: { ...capitalizedLabels, ...messageCatalogs.de, ...german },
}
