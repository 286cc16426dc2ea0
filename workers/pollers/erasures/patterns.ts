// Finds a person's names in texts and JSON, as whole words and ignoring case, in both Postgres and
// JavaScript. A single-word name may be an ordinary word (“Guest”, “Token”), so it is searched for only where
// people are named.
import { USER_TEXTS } from '../../../shared/imports/user-columns.ts'

// A regular expression with thousands of terms takes seconds per use.
const TERMS_MAX = 100

/**
 * SQL that tells whether a text contains one of the terms, with the values that termValues binds. The
 * patterns alone would take ten times as long, so they run only if a plain LIKE matches.
 */
export const hasTerm = (text: string) => hasOne(text, ':likely', ':patterns')

/** SQL that tells whether a person's name or a license plate contains one of the single-word names. */
export const hasName = (text: string) => hasOne(text, ':likelyNames', ':names')

/** SQL that tells whether JSON text has a term, or a single-word name in a field that names a person. */
export const hasPersonalData = (text: string) =>
  `(${hasTerm(text)} OR ${hasOne(text, ':likelyNames', ':members')})`

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

/** Finds a person's terms and, in the payload of a job, their user id. */
export function payloadPattern({ terms: all, userId }: { terms: string[]; userId: number }) {
  const { terms, names } = splitTerms(all)
  const alphanumeric = '\\p{L}\\p{N}'
  const patterns = [
    `"(?:organizer_)?user_id":${userId}(?!\\d)`,
    ...patternsOf(terms, (term) => anywhere(term, alphanumeric)),
    ...patternsOf(names, (name) => inMembers(name, alphanumeric)),
  ].map((pattern) => new RegExp(pattern, 'iu'))
  return { test: (text: string) => patterns.some((pattern) => pattern.test(text)) }
}

// A license plate usually has a digit; a word with a digit is distinctive enough to mean a person.
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

// A quote is escaped in JSON, and escaped twice in JSON within JSON.
function writtenForms(term: string): string[] {
  const escaped = (text: string) => JSON.stringify(text).slice(1, -1)
  return [...new Set([term, escaped(term), escaped(escaped(term))])]
}

// “ada@example.com” must not match in “lada@example.com” or “ada@example.com.br”. The n of a JSON escape
//  does not count as a letter. A term that looks like a JSON key is not searched for in keys.
function anywhere(term: string, alphanumeric: string): string[] {
  const isEmail = term.includes('@')
  const before = `(?:(?<![${alphanumeric}${isEmail ? '._%+-' : ''}])|(?<=\\\\[nrt]))`
  const after = `(?![${alphanumeric}])${isEmail ? `(?![.-][${alphanumeric}])` : ''}`
  const noKey = /^\w+$/.test(term) ? `(?!\\w*\\\\*"\\s*:)` : ''
  return writtenForms(term).map((form) => before + quote(form) + after + noKey)
}

// “Guest” must not match in “guest@example.com” or “guest_1”.
function inName(form: string, alphanumeric: string): string {
  return `(?<![${alphanumeric}_@.+-])${quote(form)}(?![${alphanumeric}_@-])(?!\\.[${alphanumeric}])`
}

// A “name” field may also be a room's, so there the name must be the whole value.
function inMembers(name: string, alphanumeric: string): string[] {
  const opening = '\\\\*"'
  const start = (key: string) => `"${key}${opening}\\s*:\\s*`
  return writtenForms(name).flatMap((form) => [
    `${start('guest_name')}${opening}[^"]*${inName(form, alphanumeric)}`,
    `${start(`(?:${[...USER_TEXTS, 'license_plate'].join('|')})`)}${opening}${quote(form)}${opening}`,
    `${start('license_plates')}\\[[^\\]]*"${quote(form)}${opening}`,
  ])
}

function quote(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
}
