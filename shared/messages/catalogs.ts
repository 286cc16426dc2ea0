// The sentences of messages in each language, for the pages and for what a worker writes. English is in the sources themselves.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Language, LOCALES } from './languages.ts'
import type { Message } from './message.ts'
import { ENGLISH, type Forms, writeMessage } from './write-message.ts'

type Catalog = Readonly<Record<string, string | Forms>>

export const messageCatalogs: Record<Language, Catalog> = {
  en: {},
  de: JSON.parse(readFileSync(join(import.meta.dirname, 'german.json'), 'utf8')) as Catalog,
}

/** Of a file that somebody reads: with fields as the API names them. */
export function writeIn(language: Language, told: Message): string {
  const [locale, catalog] = [LOCALES[language], messageCatalogs[language]]
  return writeMessage(told, { ...ENGLISH, locale, find: (text) => catalog[text] })
}
