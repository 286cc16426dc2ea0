// Finds what a person was called, in texts and in JSON: whole words, without regard to letter case, as Postgres and as
// JavaScript look for them. A name of one word is a word like any other (“Guest”, “Token”): it is looked for only where
// people are named.

// A regular expression of thousands takes seconds each time.
const TERMS_MAX = 100

/**
 * SQL that tells whether a text has one of the terms, by what termValues binds. The patterns alone would take ten times as
 * long: they are asked only where one of them stands at all.
 */
export const hasTerm = (text: string) => hasOne(text, ':likely', ':patterns')

/** SQL that tells whether the name of a person, or a plate, has one of the names of one word. */
export const hasName = (text: string) => hasOne(text, ':likelyNames', ':names')

/** SQL that tells whether JSON as text has one of the terms, or one of the names where it names somebody. */
export const namesThem = (text: string) => `(${hasTerm(text)} OR ${hasOne(text, ':likelyNames', ':members')})`

const hasOne = (text: string, likely: string, patterns: string) =>
  `CASE WHEN lower(${text}) LIKE ANY(ARRAY(SELECT lower(likely) FROM unnest(CAST(${likely} AS text[])) AS likely))
    THEN ${text} ~* ANY(CAST(${patterns} AS text[])) ELSE false END`

export function termValues(all: string[]) {
  const { terms, names } = splitTerms(all)
  const alphanumeric = '[:alnum:]'
  return {
    likely: likelyForms(terms),
    patterns: patternsOf(terms, (term) => anywhere(term, alphanumeric)),
    likelyNames: likelyForms(names),
    names: patternsOf(names, (name) => [inName(name, alphanumeric)]),
    members: patternsOf(names, (name) => inMembers(name, alphanumeric)),
  }
}

/** Finds a person's terms and, in the payload of a job, their id. */
export function payloadPattern({ terms: all, userId }: { terms: string[]; userId: number }): {
  test(text: string): boolean
} {
  const { terms, names } = splitTerms(all)
  const alphanumeric = '\\p{L}\\p{N}'
  const patterns = [
    `"(?:organizer_)?user_id":${userId}(?!\\d)`,
    ...patternsOf(terms, (term) => anywhere(term, alphanumeric)),
    ...patternsOf(names, (name) => inMembers(name, alphanumeric)),
  ].map((pattern) => new RegExp(pattern, 'iu'))
  return { test: (text) => patterns.some((pattern) => pattern.test(text)) }
}

// A plate has a digit mostly: with one, a word means somebody.
function splitTerms(all: string[]): { terms: string[]; names: string[] } {
  const isDistinctive = (term: string) => /[\s@\d]/.test(term)
  return { terms: all.filter(isDistinctive), names: all.filter((term) => !isDistinctive(term)) }
}

function likelyForms(terms: string[]): string[] {
  return terms.flatMap(writtenForms).map((form) => `%${form.replace(/[\\%_]/g, '\\$&')}%`)
}

function patternsOf(terms: string[], formsOf: (term: string) => string[]): string[] {
  const patterns: string[] = []
  for (let from = 0; from < terms.length; from += TERMS_MAX)
    patterns.push(
      terms
        .slice(from, from + TERMS_MAX)
        .flatMap(formsOf)
        .join('|'),
    )
  return patterns
}

// In JSON a quote is escaped, and in JSON within JSON once more.
function writtenForms(term: string): string[] {
  const escaped = (text: string) => JSON.stringify(text).slice(1, -1)
  return [...new Set([term, escaped(term), escaped(escaped(term))])]
}

// “ada@example.com” is not in “lada@example.com”, nor in “ada@example.com.br”. What JSON writes as \n is no letter. What
// is written like a key of JSON is not looked for in keys.
function anywhere(term: string, alphanumeric: string): string[] {
  const isEmail = term.includes('@')
  const before = `(?:(?<![${alphanumeric}${isEmail ? '._%+-' : ''}])|(?<=\\\\[nrt]))`
  const after = `(?![${alphanumeric}])${isEmail ? `(?![.-][${alphanumeric}])` : ''}`
  const noKey = /^\w+$/.test(term) ? `(?!\\w*\\\\*"\\s*:)` : ''
  return writtenForms(term).map((form) => before + quote(form) + after + noKey)
}

// “Guest” is not in “guest@example.com”, nor in “guest_1”.
function inName(form: string, alphanumeric: string): string {
  return `(?<![${alphanumeric}_@.+-])${quote(form)}(?![${alphanumeric}_@-])(?!\\.[${alphanumeric}])`
}

// What is called “name” may be a room as well: there it must be the whole of it.
function inMembers(name: string, alphanumeric: string): string[] {
  const opening = '\\\\*"'
  const start = (key: string) => `"${key}${opening}\\s*:\\s*`
  return writtenForms(name).flatMap((form) => [
    `${start('guest_name')}${opening}[^"]*${inName(form, alphanumeric)}`,
    `${start('(?:name|upn|license_plate)')}${opening}${quote(form)}${opening}`,
    `${start('license_plates')}\\[[^\\]]*"${quote(form)}${opening}`,
  ])
}

function quote(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
}
