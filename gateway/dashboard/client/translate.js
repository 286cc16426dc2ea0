// @ts-check
// Translates the scripts' sentences, as language/translate.ts does for the pages: the English text of
// t`${name} added.`, `{0} added.`, is its key in the catalog. Sentences that the catalog lacks stay English.

/**
 * @typedef {Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }} Forms
 * @typedef {Readonly<Record<string, string | Forms>>} Catalog
 */

const isGerman = document.documentElement.lang === 'de'
const locale = isGerman ? 'de-DE' : 'en-GB'
// English pages do not load the catalog.
/** @type {Catalog} */
const catalog = isGerman ? (await import('./german.js')).german : {}

/**
 * A sentence, or a single word such as a label.
 * @param {TemplateStringsArray} parts
 * @param {Array<string | number>} values
 */
export function t(parts, ...values) {
  const key = parts.map((part, index) => (index === 0 ? part : `{${index - 1}}${part}`)).join('')
  const known = catalog[key]
  return fill(typeof known === 'string' ? known : key, values)
}

/**
 * `#` stands for the number. The plural form is the key in the catalog.
 * @param {number} count
 * @param {string} one
 * @param {string} other
 * @param {Array<string | number>} values
 */
export function plural(count, one, other, ...values) {
  const known = catalog[other] ?? { one, other }
  const forms = typeof known === 'string' ? { other: known } : known
  const form = forms[new Intl.PluralRules(locale).select(count)] ?? forms.other
  return fill(form.replace('#', `{${values.length}}`), [...values, count.toLocaleString(locale)])
}

/**
 * @param {string} text
 * @param {Array<string | number>} values
 */
function fill(text, values) {
  return text.replace(/\{(\d+)\}/g, (_whole, index) => String(values[Number(index)] ?? ''))
}
