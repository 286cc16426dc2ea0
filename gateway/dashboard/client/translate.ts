// Translates the scripts' sentences, as language/translate.ts does for the pages: the English text of
// t`${name} added.`, `{0} added.`, is its key in the catalog. Sentences that the catalog lacks stay English.

const isGerman = document.documentElement.lang === 'de'
const locale = isGerman ? 'de-DE' : 'en-GB'
// English pages do not load the catalog.
const catalog: Record<string, string> = isGerman ? (await import('./german.json')).default : {}

/** A sentence, or a single word such as a label. */
export function t(parts: TemplateStringsArray, ...values: Array<string | number>): string {
  const key = parts.map((part, index) => (index === 0 ? part : `{${index - 1}}${part}`)).join('')
  return fill(catalog[key] ?? key, values)
}

/** `#` stands for the number. The plural form is the key in the catalog, which has both: `# Tag | # Tage`. */
export function plural(count: number, one: string, other: string, ...values: Array<string | number>): string {
  const [single = one, several = single] = catalog[other]?.split(' | ') ?? [one, other]
  const form = count === 1 ? single : several
  return fill(form.replace('#', `{${values.length}}`), [...values, count.toLocaleString(locale)])
}

function fill(text: string, values: Array<string | number>): string {
  return text.replace(/\{(\d+)\}/g, (_whole, index) => String(values[Number(index)] ?? ''))
}
