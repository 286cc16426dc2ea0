// Generates lists that people may upload: correct and wrong rows, columns in any order, and the options of an import.
import fc from 'fast-check'
import papaparse from 'papaparse'
import { getTextField, IMPORTED_TEXTS, mapTextFields } from '../../../../../shared/imports/user-columns.ts'
import { generateCellTexts, generateItemTexts, type Person } from './people.ts'

export type Options = Record<'update' | 'restore' | 'deactivate' | 'key_column', string>

export function options(): fc.Arbitrary<Options> {
  const flag = fc.boolean().map(String)
  const key_column = fc.constantFrom('email', 'id', 'upn')
  return fc.record({ update: flag, restore: flag, deactivate: flag, key_column })
}

type Row = Record<string, string>

const OTHER_COLUMNS = [
  ...IMPORTED_TEXTS,
  'groups',
  'license_plates',
  'extensionAttribute1',
  'extensionAttribute7',
  'a column of no field',
]

function generateOtherCells(): fc.Arbitrary<Row> {
  const several = fc.array(generateItemTexts(), { maxLength: 3 }).map((items) => items.join(';'))
  const one = fc.oneof(fc.constant(''), generateCellTexts())
  return fc.record({
    ...mapTextFields(IMPORTED_TEXTS, (name) => {
      const max = getTextField(name).charactersMax
      return fc.oneof(fc.constant(''), generateCellTexts(max), fc.constant('n'.repeat(max + 1)))
    }),
    groups: several,
    license_plates: fc.oneof(several, fc.constant('p'.repeat(256))),
    extensionAttribute1: one,
    extensionAttribute7: one,
    'a column of no field': one,
  })
}

/** Writes the list as csv, with `columns` in any order. */
function listOf(
  rows: fc.Arbitrary<Row[]>,
  always: string[],
): fc.Arbitrary<{ rows: Row[]; columns: string[] }> {
  const columns = fc
    .subarray(OTHER_COLUMNS)
    .chain((some) => fc.shuffledSubarray([...always, ...some], { minLength: always.length + some.length }))
  return fc.record({ rows, columns })
}

export function formatCsv({ rows, columns }: { rows: Row[]; columns: string[] }): string {
  const lines = rows.map((row) => columns.map((column) => row[column] ?? ''))
  return papaparse.unparse([columns, ...lines], { newline: '\n' })
}

/** Generates rows that match a user, nobody, the same user several times, or another user's e-mail. */
export function generateList(known: Person[]) {
  const letterCase = fc.constantFrom(
    (text: string) => text,
    (text: string) => text.toUpperCase(),
  )
  const knownEmail = fc.tuple(fc.constantFrom(...known), letterCase).map(([{ email }, write]) => write(email))
  const wrong = fc.constantFrom('', 'nobody', 'a@', `${'l'.repeat(250)}@example.org`)
  const fresh = fc.integer({ min: 1, max: 4 }).map((number) => `new${number}@example.org`)
  const ids = fc.oneof(
    fc.integer({ min: 1, max: known.length + 2 }).map(String),
    fc.constantFrom('', 'x', '1.5', '-1', '9'.repeat(20)),
  )
  const upns = fc.constantFrom('', 'UPN', ...known.map(({ upn }) => upn ?? ''))
  const row = fc
    .tuple(generateOtherCells(), fc.record({ email: fc.oneof(knownEmail, fresh, wrong), id: ids, upn: upns }))
    .map(([cells, keys]) => ({ ...cells, ...keys }))
  return listOf(fc.array(row, { maxLength: 12 }), ['email', 'id', 'upn'])
}

/** Generates rows in which each user and e-mail occurs at most once. Some users exchange fields, even their e-mails. */
export function listWithoutRepeats(known: Person[]) {
  const emails = known.map(({ email }) => email)
  const fresh = [1, 2, 3].map((number) => `new${number}@example.org`)
  const own = known.map((_, place) => place)
  // Rows with an id may swap e-mails. Otherwise users keep their own, and some users are new.
  const moved = fc
    .tuple(fc.shuffledSubarray([...emails, ...fresh], { minLength: known.length }), fc.shuffledSubarray(own))
    .map(([mixed, places]) =>
      places.map((place, index) => ({ id: String(place + 1), email: mixed[index] ?? '' })),
    )
  const stayed = fc
    .tuple(fc.subarray(own), fc.subarray(fresh), fc.boolean())
    .map(([places, others, hasIds]) => [
      ...places.map((place) => ({ id: hasIds ? String(place + 1) : '', email: emails[place] ?? '' })),
      ...others.map((email) => ({ id: '', email })),
    ])
  const keys = fc.oneof(moved, stayed)
  const rows = keys.chain((list) =>
    fc
      .array(generateOtherCells(), { minLength: list.length, maxLength: list.length })
      .map((cells) => list.map((key, place) => ({ ...cells[place], ...key }))),
  )
  return listOf(rows, ['email', 'id'])
}
