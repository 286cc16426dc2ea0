// Every sentence of the dashboard is written where it is shown, in English: t`Cancel the booking of ${name}`. The catalog
// of another language is looked up by that sentence, `Cancel the booking of {0}`; what it lacks stays English.
import { AsyncLocalStorage } from 'node:async_hooks'
import { DEFAULT_LANGUAGE, type Language, LOCALES } from '../../../shared/messages/languages.ts'
import { keyOf, type Message } from '../../../shared/messages/message.ts'
import {
  type Forms,
  fill,
  fillCounted,
  type Reader,
  writeMessage,
} from '../../../shared/messages/write-message.ts'
import { type Html, html } from '../../http/html.ts'

/** By the English sentence. Values are {0}, {1}…; a translation may put them in another order. */
export type Catalog = Readonly<Record<string, string | Forms>>

/** A sentence that is marked here and translated where it is shown, by `translate`. */
export type Sentence = string & { readonly [isSentence]: true }
declare const isSentence: unique symbol

type Visitor = { language: Language; catalog: Catalog }
const ENGLISH: Visitor = { language: DEFAULT_LANGUAGE, catalog: {} }

const visitors = new AsyncLocalStorage<Visitor>()

/** What is put together in here is for somebody who reads this language. */
export function withLanguage<Result>(language: Language, catalog: Catalog, show: () => Result): Result {
  return visitors.run({ language, catalog }, show)
}

const visitor = (): Visitor => visitors.getStore() ?? ENGLISH

export function currentLanguage(): Language {
  return visitor().language
}

/** By which dates and numbers are written. */
export function currentLocale(): string {
  return LOCALES[visitor().language]
}

/** A format is costly to make: that of each language is made once. Returns what finds the visitor's. */
export function byLocale<Format>(make: (locale: string) => Format): () => Format {
  const formats = new Map<string, Format>()
  return () => {
    const locale = currentLocale()
    const format = formats.get(locale) ?? make(locale)
    formats.set(locale, format)
    return format
  }
}

/** A sentence, or a word of one's own such as a label. */
export function t(parts: TemplateStringsArray, ...values: Array<string | number>): string {
  return fill(find(keyOf(parts)), values).join('')
}

/** A value of a sentence with links: never nothing, which would leave “, or .”. */
export type SentencePart = Html | string | number | SentencePart[]

/** A sentence with links, or with words that stand out, as its values; its own words are text. */
export function tHtml(parts: TemplateStringsArray, ...values: SentencePart[]): Html {
  return html`${fill(find(keyOf(parts)), values)}`
}

/** A marked sentence whose values have names, such as `{name}`; undefined where one of them is. */
export function fillNamed(
  marked: Sentence,
  findValue: (name: string) => SentencePart | undefined,
): Html | undefined {
  const pieces = find(marked)
    .split(/\{(\w+)\}/)
    .map((piece, index) => (index % 2 === 0 ? piece : findValue(piece)))
  return pieces.includes(undefined) ? undefined : html`${pieces}`
}

/** Of how many: `plural(3, '# desk in {0}', '# desks in {0}', floor)` is “3 desks in Floor 1”. Found by the second. */
export function plural(count: number, one: string, other: string, ...values: Array<string | number>): string {
  const known = visitor().catalog[other] ?? { one, other }
  const forms = typeof known === 'string' ? { other: known } : known
  return fillCounted(forms, count, values.map(String), currentLocale())
}

/** What an API would say in English. `labels`: what the page calls the fields that it names. */
export function formatMessage(told: Message, labels: ReadonlyMap<string, string> = NO_LABELS): string {
  const reader: Reader = {
    locale: currentLocale(),
    find: (text) => visitor().catalog[text],
    nameField: (path) => labels.get(path) ?? path,
    formatDate: (date) => dayFormat().format(new Date(date)),
    // The times of a page are those of its place.
    formatZone: () => '',
  }
  return writeMessage(told, reader)
}

const NO_LABELS: ReadonlyMap<string, string> = new Map()
const dayFormat = byLocale(
  (locale) =>
    new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' }),
)

/** Marks what is written down before anybody asks for it, such as the title of a page. */
export function sentence(parts: TemplateStringsArray): Sentence {
  return parts.join('') as Sentence
}

export function translate(marked: Sentence): string {
  return find(marked)
}

function translateKnown(text: string): string | undefined {
  const known = visitor().catalog[text]
  return typeof known === 'string' ? known : undefined
}

function find(key: string): string {
  return translateKnown(key) ?? key
}
