// Finds what a person was called, in texts and in JSON: whole words, without regard to letter case, as Postgres and as
// JavaScript look for them.

const NOTHING = '(?!)'

/**
 * SQL that tells whether a text has one of the terms, by what termValues binds. The pattern alone would take ten times as
 * long: it is asked only where one of them stands at all.
 */
export const hasTerm = (text: string) =>
  `CASE WHEN lower(${text}) LIKE ANY(ARRAY(SELECT lower(likely) FROM unnest(CAST(:likely AS text[])) AS likely))
    THEN ${text} ~* :pattern ELSE false END`

export function termValues(terms: string[]): { likely: string[]; pattern: string } {
  const likely = terms.flatMap(writtenForms).map((form) => `%${form.replace(/[\\%_]/g, '\\$&')}%`)
  return { likely, pattern: postgresPattern(terms) }
}

// For the operator ~*.
function postgresPattern(terms: string[]): string {
  return terms.length === 0 ? NOTHING : patternOf(terms, '[:alnum:]')
}

/** Finds a person's terms and, in the payload of a job, their id. */
export function payloadPattern({ terms, userId }: { terms: string[]; userId: number }): RegExp {
  const id = `"(?:organizer_)?user_id":${userId}(?!\\d)`
  const name = terms.length === 0 ? [] : [patternOf(terms, '\\p{L}\\p{N}')]
  return new RegExp([id, ...name].join('|'), 'iu')
}

function patternOf(terms: string[], alphanumeric: string): string {
  return terms
    .flatMap((term) => writtenForms(term).map((form) => wholeWord(form, alphanumeric, term.includes('@'))))
    .join('|')
}

// In JSON a quote is escaped, and in JSON within JSON once more.
function writtenForms(term: string): string[] {
  const escaped = (text: string) => JSON.stringify(text).slice(1, -1)
  return [...new Set([term, escaped(term), escaped(escaped(term))])]
}

// “ada@example.com” is not in “lada@example.com”, nor in “ada@example.com.br”. What JSON writes as \n is no letter.
function wholeWord(text: string, alphanumeric: string, isEmail: boolean): string {
  const before = `(?:(?<![${alphanumeric}${isEmail ? '._%+-' : ''}])|(?<=\\\\[nrt]))`
  const after = `(?![${alphanumeric}])${isEmail ? `(?![.-][${alphanumeric}])` : ''}`
  return before + text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&') + after
}
