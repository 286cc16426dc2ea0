// The translations of messages, for the pages and for files that a worker writes. The English is in the
// sources themselves.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Language, LOCALES } from './languages.ts'
import type { Message } from './message.ts'
import { type Catalog, ENGLISH, writeMessage } from './write-message.ts'

export const messageCatalogs: Record<Language, Catalog> = {
  en: {},
  de: JSON.parse(readFileSync(join(import.meta.dirname, 'german.json'), 'utf8')) as Catalog,
}

/** For a file that a person reads: fields have the API's names. */
export function writeIn(language: Language, told: Message): string {
  const [locale, catalog] = [LOCALES[language], messageCatalogs[language]]
  return writeMessage(told, { ...ENGLISH, locale, find: (text) => catalog[text] })
}
