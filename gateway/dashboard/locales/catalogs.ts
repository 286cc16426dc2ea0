// The catalogs of all pages, keyed by the English sentence. English itself is in the source code.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { messageCatalogs } from '../../../shared/messages/catalogs.ts'
import type { Language } from '../../../shared/messages/languages.ts'
import type { Catalog } from './translate.ts'

const german = JSON.parse(readFileSync(join(import.meta.dirname, 'german.json'), 'utf8')) as Catalog

export const catalogs: Record<Language, Catalog> = { en: {}, de: { ...messageCatalogs.de, ...german } }
