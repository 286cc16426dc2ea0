// @ts-check
// The sentences of the scripts in the visitor's language, as language/translate.ts does it for the pages: t`${name} added.`
// is looked up by its English, `{0} added.`; what the catalog lacks stays English.

/**
 * @typedef {Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }} Forms
 * @typedef {Readonly<Record<string, string | Forms>>} Catalog
 */

const isGerman = document.documentElement.lang === 'de'
const locale = isGerman ? 'de-DE' : 'en-GB'
// An English page does without it.
/** @type {Catalog} */
const catalog = isGerman ? (await import('./german.js')).german : {}

/**
 * A sentence, or a word of one's own such as a label.
 * @param {TemplateStringsArray} parts
 * @param {Array<string | number>} values
 */
export function t(parts, ...values) {
  const key = parts.map((part, index) => (index === 0 ? part : `{${index - 1}}${part}`)).join('')
  const known = catalog[key]
  return fill(typeof known === 'string' ? known : key, values)
}

/**
 * Of how many: `#` stands for the number; found by the second sentence.
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
