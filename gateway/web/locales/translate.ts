// Translates the dashboard. Each sentence is written in English where it is shown: t`Cancel the booking of
// ${name}`. In the catalog of another language, the sentence's key is `Cancel the booking of {0}`. Sentences
// that a catalog lacks stay English.
import { AsyncLocalStorage } from 'node:async_hooks'
import { DEFAULT_LANGUAGE, type Language, LOCALES } from '../../../shared/messages/languages.ts'
import { getMessageKey, type Message } from '../../../shared/messages/message.ts'
import {
  fillCountedMessage,
  fillPlaceholders,
  type MessageCatalog,
  type MessageReader,
  writeMessage,
} from '../../../shared/messages/write-message.ts'
import { type Html, html } from '../../html/html.ts'

/** A sentence that is marked where it is defined, and translated elsewhere with `translate`. */
export type Sentence = string & { readonly [isSentence]: true }
declare const isSentence: unique symbol

type Visitor = { language: Language; catalog: MessageCatalog }
const ENGLISH_VISITOR: Visitor = { language: DEFAULT_LANGUAGE, catalog: {} }

const visitors = new AsyncLocalStorage<Visitor>()

/** Runs `show`, and uses this language for everything that `show` formats. */
export function withLanguage<Result>(
  language: Language,
  catalog: MessageCatalog,
  show: () => Result,
): Result {
  return visitors.run({ language, catalog }, show)
}

const currentVisitor = (): Visitor => visitors.getStore() ?? ENGLISH_VISITOR

export function currentLanguage(): Language {
  return currentVisitor().language
}

/** Returns the visitor's locale for dates and numbers. */
export function currentLocale(): string {
  return LOCALES[currentVisitor().language]
}

/** Caches a format for each language, because creating a format is slow. Returns a function that finds the
 * visitor's format. */
export function cacheByLocale<Format>(make: (locale: string) => Format): () => Format {
  const formats = new Map<string, Format>()
  return () => {
    const locale = currentLocale()
    const format = formats.get(locale) ?? make(locale)
    formats.set(locale, format)
    return format
  }
}

/** Translates a sentence, or a single word such as a label. */
export function t(parts: TemplateStringsArray, ...values: Array<string | number>): string {
  return fillPlaceholders(findTranslation(getMessageKey(parts)), values).join('')
}

/** A value in a sentence with links. It must not be empty, because an empty value would leave “, or .” in the
 * sentence. */
export type SentencePart = Html | string | number | SentencePart[]

/** Translates a sentence whose values are links or emphasized words. The sentence itself is plain text. */
export function tHtml(parts: TemplateStringsArray, ...values: SentencePart[]): Html {
  return html`${fillPlaceholders(findTranslation(getMessageKey(parts)), values)}`
}

/**
 * Translates a marked sentence with named values, such as `{name}`, and optional parts: `[ in {place}]` is left out if
 * one of its values is undefined. Returns undefined if any other value is undefined.
 */
export function translateNamed(
  marked: Sentence,
  findValue: (name: string) => SentencePart | undefined,
): Html | undefined {
  const fillPart = (text: string) => {
    const pieces = text.split(/\{(\w+)\}/).map((piece, index) => (index % 2 === 0 ? piece : findValue(piece)))
    return pieces.includes(undefined) ? undefined : html`${pieces}`
  }
  const parts = findTranslation(marked)
    .split(/\[([^\]]*)\]/)
    .map((part, index) => fillPart(part) ?? (index % 2 === 0 ? undefined : ''))
  return parts.includes(undefined) ? undefined : html`${parts}`
}

/**
 * `plural(3, '# desk in {0}', '# desks in {0}', floor)` returns “3 desks in Floor 1”. The plural form is the key in the
 * catalog.
 */
export function plural(count: number, one: string, other: string, ...values: Array<string | number>): string {
  const forms = currentVisitor().catalog[other] ?? `${one} | ${other}`
  return fillCountedMessage(forms, count, values.map(String), currentLocale())
}

/** Formats a message in the visitor's language. (The API uses English.) `labels` has the page's labels of the
 * fields that the message names. */
export function formatMessage(told: Message, labels: ReadonlyMap<string, string> = NO_LABELS): string {
  const reader: MessageReader = {
    locale: currentLocale(),
    find: (text) => currentVisitor().catalog[text],
    nameField: (path) => labels.get(path) ?? path,
    formatDate: (date) => dayFormat().format(new Date(date)),
    // Leaves out the time zone, because a page shows times in the time zone of their place.
    formatZone: () => '',
  }
  return writeMessage(told, reader)
}

const NO_LABELS: ReadonlyMap<string, string> = new Map()
const dayFormat = cacheByLocale(
  (locale) =>
    new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' }),
)

/** Marks a sentence that is defined before any request, such as the title of a page. */
export function sentence(parts: TemplateStringsArray): Sentence {
  return parts.join('') as Sentence
}

/** Marks several sentences, which are separated by commas. */
export function sentences(parts: TemplateStringsArray): Sentence[] {
  return parts.join('').trim().split(/,\s+/) as Sentence[]
}

export function translate(marked: Sentence): string {
  return findTranslation(marked)
}

/** Returns the words of a name such as `too_far_ahead`. `sentences` marks these words. */
export const toWords = (name: string) => name.replaceAll('_', ' ') as Sentence

function findTranslation(key: string): string {
  return currentVisitor().catalog[key] ?? key
}
