// The translations of messages, for pages and for files that a worker writes. English texts have no catalog, because
// they are in the source code.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Language, LOCALES } from './languages.ts'
import type { Message } from './message.ts'
import { ENGLISH, type MessageCatalog, writeMessage } from './write-message.ts'

export const messageCatalogs: Record<Language, MessageCatalog> = {
  en: {},
  de: JSON.parse(readFileSync(join(import.meta.dirname, 'german.json'), 'utf8')) as MessageCatalog,
}

/** Writes a message in this language, for a file that a person reads. Fields have the names that the API uses. */
export function writeInLanguage(language: Language, told: Message): string {
  const [locale, catalog] = [LOCALES[language], messageCatalogs[language]]
  return writeMessage(told, { ...ENGLISH, locale, find: (text) => catalog[text] })
}
