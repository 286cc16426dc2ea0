// Finds a person's names in texts and JSON, as whole words and ignoring letter case, both in Postgres and in
// JavaScript. A name that is a single word may be an ordinary word (“Guest”, “Token”), so this code searches for it
// only in places that name people.
import { USER_TEXTS } from '../../../shared/imports/user-columns.ts'

// The limit on terms in one regular expression. With thousands of terms, each use would take seconds.
const TERMS_MAX = 100

/** SQL condition: a text contains one of the terms, which are bound values. Matching only the patterns would
 * take ten times as long, so Postgres matches them only if a plain LIKE matches. */
export const containsTermSql = (text: string) => containsAnySql(text, ':likely', ':patterns')

/** SQL condition that a person's name or a license plate contains one of the single-word names. */
export const containsNameSql = (text: string) => containsAnySql(text, ':likelyNames', ':names')

/** SQL condition that JSON text contains a term, or a single-word name in a field that names a person. */
export const containsPersonalDataSql = (text: string) =>
  `(${containsTermSql(text)} OR ${containsAnySql(text, ':likelyNames', ':members')})`

const containsAnySql = (text: string, likely: string, patterns: string) =>
  `CASE WHEN lower(${text}) LIKE ANY(ARRAY(SELECT lower(likely) FROM unnest(CAST(${likely} AS text[])) AS likely))
    THEN ${text} ~* ANY(CAST(${patterns} AS text[])) ELSE false END`

export function createTermValues(all: string[]) {
  const { terms, names } = splitTerms(all)
  const alphanumeric = '[:alnum:]'
  return {
    likely: listLikelyForms(terms),
    patterns: createPatterns(terms, (term) => createTermPatterns(term, alphanumeric)),
    likelyNames: listLikelyForms(names),
    names: createPatterns(names, (name) => [createNamePattern(name, alphanumeric)]),
    members: createPatterns(names, (name) => createMemberPatterns(name, alphanumeric)),
  }
}

/** Returns a pattern that finds a person's terms and, in the payload of a job, their user id. */
export function createPayloadPattern({ terms: all, userId }: { terms: string[]; userId: number }) {
  const { terms, names } = splitTerms(all)
  const alphanumeric = '\\p{L}\\p{N}'
  const patterns = [
    `"(?:organizer_)?user_id":${userId}(?!\\d)`,
    ...createPatterns(terms, (term) => createTermPatterns(term, alphanumeric)),
    ...createPatterns(names, (name) => createMemberPatterns(name, alphanumeric)),
  ].map((pattern) => new RegExp(pattern, 'iu'))
  return { test: (text: string) => patterns.some((pattern) => pattern.test(text)) }
}

// Separates single-word names from other terms. A word with a digit, such as most license plates, is distinctive enough
// to be searched for everywhere.
function splitTerms(all: string[]): { terms: string[]; names: string[] } {
  const isDistinctive = (term: string) => /[\s@\d]/.test(term)
  return { terms: all.filter(isDistinctive), names: all.filter((term) => !isDistinctive(term)) }
}

function listLikelyForms(terms: string[]): string[] {
  return terms.flatMap(listWrittenForms).map((form) => `%${form.replace(/[\\%_]/g, '\\$&')}%`)
}

function createPatterns(terms: string[], formsOf: (term: string) => string[]): string[] {
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

// Returns all spellings of a term. JSON escapes a quote, and JSON within JSON escapes it twice.
function listWrittenForms(term: string): string[] {
  const escaped = (text: string) => JSON.stringify(text).slice(1, -1)
  return [...new Set([term, escaped(term), escaped(escaped(term))])]
}

// Returns patterns that match a term as a whole word. For example, “ada@example.com” must not match in
// “lada@example.com” or “ada@example.com.br”. In JSON, the letter of an escape such as `\n` does not count as part of
// the word. A term that looks like a JSON key is not searched for in keys.
function createTermPatterns(term: string, alphanumeric: string): string[] {
  const isEmail = term.includes('@')
  const before = `(?:(?<![${alphanumeric}${isEmail ? '._%+-' : ''}])|(?<=\\\\[nrt]))`
  const after = `(?![${alphanumeric}])${isEmail ? `(?![.-][${alphanumeric}])` : ''}`
  const noKey = /^\w+$/.test(term) ? `(?!\\w*\\\\*"\\s*:)` : ''
  return listWrittenForms(term).map((form) => before + escapePattern(form) + after + noKey)
}

// Matches a name in a field that names people. “Guest” must not match in “guest@example.com” or “guest_1”.
function createNamePattern(form: string, alphanumeric: string): string {
  return `(?<![${alphanumeric}_@.+-])${escapePattern(form)}(?![${alphanumeric}_@-])(?!\\.[${alphanumeric}])`
}

// Matches a name in the fields of JSON. A field “name” may also be the name of a room, so there the person's name must
// be the whole value.
function createMemberPatterns(name: string, alphanumeric: string): string[] {
  const opening = '\\\\*"'
  const start = (key: string) => `"${key}${opening}\\s*:\\s*`
  return listWrittenForms(name).flatMap((form) => [
    `${start('guest_name')}${opening}[^"]*${createNamePattern(form, alphanumeric)}`,
    `${start(`(?:${[...USER_TEXTS, 'license_plate'].join('|')})`)}${opening}${escapePattern(form)}${opening}`,
    `${start('license_plates')}\\[[^\\]]*"${escapePattern(form)}${opening}`,
  ])
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
}
