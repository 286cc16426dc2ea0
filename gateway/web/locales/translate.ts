// Translates the dashboard. Each sentence is written where it is shown, in English: t`Cancel the booking of
// ${name}`. It is the key in the catalog of another language, as `Cancel the booking of {0}`. Sentences that
// a catalog lacks stay English.
import { AsyncLocalStorage } from 'node:async_hooks'
import { DEFAULT_LANGUAGE, type Language, LOCALES } from '../../../shared/messages/languages.ts'
import { keyOf, type Message } from '../../../shared/messages/message.ts'
import {
  type Catalog,
  fill,
  fillCounted,
  type Reader,
  writeMessage,
} from '../../../shared/messages/write-message.ts'
import { type Html, html } from '../../html/html.ts'

/** A sentence that is marked in one place and translated in another, by `translate`. */
export type Sentence = string & { readonly [isSentence]: true }
declare const isSentence: unique symbol

type Visitor = { language: Language; catalog: Catalog }
const ENGLISH: Visitor = { language: DEFAULT_LANGUAGE, catalog: {} }

const visitors = new AsyncLocalStorage<Visitor>()

/** Runs `show` with this language for everything that it formats. */
export function withLanguage<Result>(language: Language, catalog: Catalog, show: () => Result): Result {
  return visitors.run({ language, catalog }, show)
}

const visitor = (): Visitor => visitors.getStore() ?? ENGLISH

export function currentLanguage(): Language {
  return visitor().language
}

/** The locale for dates and numbers. */
export function currentLocale(): string {
  return LOCALES[visitor().language]
}

/**
 * Caches a format for each language, because creating one is costly. Returns a function that finds the
 * visitor's format.
 */
export function byLocale<Format>(make: (locale: string) => Format): () => Format {
  const formats = new Map<string, Format>()
  return () => {
    const locale = currentLocale()
    const format = formats.get(locale) ?? make(locale)
    formats.set(locale, format)
    return format
  }
}

/** A sentence, or a single word such as a label. */
export function t(parts: TemplateStringsArray, ...values: Array<string | number>): string {
  return fill(find(keyOf(parts)), values).join('')
}

/** A value in a sentence with links. It is never empty, which would leave “, or .”. */
export type SentencePart = Html | string | number | SentencePart[]

/** A sentence whose values are links or emphasized words. Its own words are plain text. */
export function tHtml(parts: TemplateStringsArray, ...values: SentencePart[]): Html {
  return html`${fill(find(keyOf(parts)), values)}`
}

/**
 * A marked sentence with named values, such as `{name}`, and optional parts: `[ in {place}]` is left out if one of
 * its values is undefined. Undefined if another value is.
 */
export function fillNamed(
  marked: Sentence,
  findValue: (name: string) => SentencePart | undefined,
): Html | undefined {
  const fillPart = (text: string) => {
    const pieces = text.split(/\{(\w+)\}/).map((piece, index) => (index % 2 === 0 ? piece : findValue(piece)))
    return pieces.includes(undefined) ? undefined : html`${pieces}`
  }
  const parts = find(marked)
    .split(/\[([^\]]*)\]/)
    .map((part, index) => fillPart(part) ?? (index % 2 === 0 ? undefined : ''))
  return parts.includes(undefined) ? undefined : html`${parts}`
}

/**
 * `plural(3, '# desk in {0}', '# desks in {0}', floor)` is “3 desks in Floor 1”. The plural form is the key
 * in the catalog.
 */
export function plural(count: number, one: string, other: string, ...values: Array<string | number>): string {
  const forms = visitor().catalog[other] ?? `${one} | ${other}`
  return fillCounted(forms, count, values.map(String), currentLocale())
}

/**
 * The visitor's language for a message that the API would show in English. `labels` has the page's labels of
 * the fields that the message names.
 */
export function formatMessage(told: Message, labels: ReadonlyMap<string, string> = NO_LABELS): string {
  const reader: Reader = {
    locale: currentLocale(),
    find: (text) => visitor().catalog[text],
    nameField: (path) => labels.get(path) ?? path,
    formatDate: (date) => dayFormat().format(new Date(date)),
    // Left out, because a page shows times in the zone of its place.
    formatZone: () => '',
  }
  return writeMessage(told, reader)
}

const NO_LABELS: ReadonlyMap<string, string> = new Map()
const dayFormat = byLocale(
  (locale) =>
    new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' }),
)

/** Marks a sentence that is defined before any request, such as the title of a page. */
export function sentence(parts: TemplateStringsArray): Sentence {
  return parts.join('') as Sentence
}

/** Marks several, separated by commas. */
export function sentences(parts: TemplateStringsArray): Sentence[] {
  return parts.join('').trim().split(/,\s+/) as Sentence[]
}

export function translate(marked: Sentence): string {
  return find(marked)
}

/** The words of a name, such as `too_far_ahead`, which `sentences` marks. */
export const wordsOf = (name: string) => name.replaceAll('_', ' ') as Sentence

function find(key: string): string {
  return visitor().catalog[key] ?? key
}
