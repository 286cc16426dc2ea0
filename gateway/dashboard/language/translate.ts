// Every sentence of the dashboard is written where it is shown, in English: t`Cancel the booking of ${name}`. The catalog
// of another language is looked up by that sentence, `Cancel the booking of {0}`; what it lacks stays English.
import { AsyncLocalStorage } from 'node:async_hooks'
import { type Content, type Html, html } from '../../http/html.ts'
import { DEFAULT_LANGUAGE, type Language, LOCALES } from './languages.ts'

/** Of what is counted: its forms, such as one and other; `#` stands for the number. */
export type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }
/** By the English sentence. Values are {0}, {1}…; a translation may put them in another order. */
export type Catalog = Readonly<Record<string, string | Forms>>

/** A sentence that is marked here and translated where it is shown, by `translate`. */
export type Sentence = string & { readonly [isSentence]: true }
declare const isSentence: unique symbol

type Reader = { language: Language; catalog: Catalog }
const ENGLISH: Reader = { language: DEFAULT_LANGUAGE, catalog: {} }

const readers = new AsyncLocalStorage<Reader>()

/** What is put together in here is for somebody who reads this language. */
export function speakLanguage<Result>(language: Language, catalog: Catalog, show: () => Result): Result {
  return readers.run({ language, catalog }, show)
}

const reader = (): Reader => readers.getStore() ?? ENGLISH

export function currentLanguage(): Language {
  return reader().language
}

/** By which dates and numbers are written. */
export function currentLocale(): string {
  return LOCALES[reader().language]
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

/** A sentence with links, or with words that stand out, as its values; its own words are text. */
export function tHtml(parts: TemplateStringsArray, ...values: Content[]): Html {
  return html`${fill(find(keyOf(parts)), values)}`
}

/** Of how many: `plural(3, '# desk in {0}', '# desks in {0}', floor)` is “3 desks in Floor 1”. Found by the second. */
export function plural(count: number, one: string, other: string, ...values: Array<string | number>): string {
  const known = reader().catalog[other] ?? { one, other }
  const forms = typeof known === 'string' ? { other: known } : known
  const form = forms[pluralRules().select(count)] ?? forms.other
  const number = count.toLocaleString(currentLocale())
  return fill(form.replace('#', `{${values.length}}`), [...values, number]).join('')
}

const pluralRules = byLocale((locale) => new Intl.PluralRules(locale))

/** Marks what is written down before anybody asks for it, such as the title of a page. */
export function sentence(parts: TemplateStringsArray): Sentence {
  return parts.join('') as Sentence
}

export function translate(marked: Sentence): string {
  return find(marked)
}

/** A word or sentence that came as data; undefined where it is none of ours. */
export function translateKnown(text: string): string | undefined {
  const known = reader().catalog[text]
  return typeof known === 'string' ? known : undefined
}

function find(key: string): string {
  return translateKnown(key) ?? key
}

const keys = new WeakMap<TemplateStringsArray, string>()

/** The sentence as a catalog has it: `Floor {0}`. */
function keyOf(parts: TemplateStringsArray): string {
  const known = keys.get(parts)
  if (known !== undefined) return known
  const key = parts.map((part, index) => (index === 0 ? part : `{${index - 1}}${part}`)).join('')
  keys.set(parts, key)
  return key
}

const split = new Map<string, Array<string | number>>()

/** The texts of a sentence, with the values between them. */
function fill<Value>(text: string, values: readonly Value[]): Array<string | Value> {
  const isValue = (piece: string | Value | undefined): piece is string | Value => piece !== undefined
  return piecesOf(text)
    .map((piece) => (typeof piece === 'string' ? piece : values[piece]))
    .filter(isValue)
}

/** A sentence as its texts and the numbers of its values. */
function piecesOf(text: string): Array<string | number> {
  const known = split.get(text)
  if (known) return known
  const pieces = text.split(/\{(\d+)\}/).map((piece, index) => (index % 2 === 0 ? piece : Number(piece)))
  split.set(text, pieces)
  return pieces
}
