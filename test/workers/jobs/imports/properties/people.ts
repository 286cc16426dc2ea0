// Generates users: with any allowed values, and often with characters that are special in csv, XML, spreadsheets or
// regular expressions; and inserts them into the database.
import fc from 'fast-check'
import type { Knex } from 'knex'
import { getTextField, mapTextFields, OPTIONAL_TEXTS } from '../../../../../shared/imports/user-columns.ts'
import { countCharacters, isPlainText } from '../../../../../shared/utilities/texts.ts'
import { texts } from '../../../sheets/support/write.ts'

export type Person = {
  email: string
  name: string
  upn: string | null
  /** The other text fields. */
  texts: Record<string, string | null>
  attributes: Record<string, string>
  isActive: boolean
  groups: string[]
  plates: string[]
}

const SPECIAL_TEXTS = [
  '=1+1',
  "'=1",
  "''",
  '+49 40 123',
  '+49 40/123',
  '-',
  '@a',
  '\\N',
  '\\.',
  '"',
  'a"b,c;d|e',
  'one\r\ntwo\nthree\rfour',
  'שלום‎ ‏عليكم',
  '👩‍👩‍👧',
  'NULL',
  '{a,b}',
  'x'.repeat(255),
  '😀'.repeat(255),
  '_x000D_',
  '1e5',
  '00042',
  '2026-11-20',
  'TRUE',
  'e\u0301',
  '\u00e9',
]

/** Generates trimmed texts, because all input is trimmed. */
export function generateCellTexts(max = 255): fc.Arbitrary<string> {
  return fc
    .oneof(fc.constantFrom(...SPECIAL_TEXTS), texts())
    .map((text) => text.trim())
    .filter((text) => text !== '' && isPlainText(text) && countCharacters(text) <= max)
}

export const generateItemTexts = () => generateCellTexts().filter((text) => !text.includes(';'))

const localParts = fc.constantFrom('ada', '=1+1', '+49', "'=o'neil", '-x', 'Ünal', '😀', 'a_x0041_b', '{}')

export function attributes(): fc.Arbitrary<Record<string, string>> {
  const names = fc.integer({ min: 1, max: 99 }).map((number) => `extensionAttribute${number}`)
  const values = fc.oneof(generateCellTexts(1024), fc.constant('y'.repeat(1024)))
  return fc.dictionary(names, values, { maxKeys: 4, noNullPrototype: true })
}

const OTHER_TEXTS = OPTIONAL_TEXTS.filter((name) => name !== 'upn')

/** Generates users who share groups, and whose e-mails and UPNs differ by more than letter case. */
export function people({ min = 1, max = 12 } = {}): fc.Arbitrary<Person[]> {
  const items = (from: fc.Arbitrary<string>) => fc.uniqueArray(from, { maxLength: 3 })
  return fc.uniqueArray(generateItemTexts(), { minLength: 1, maxLength: 6 }).chain((names) => {
    const person = fc.record({
      local: localParts,
      name: generateCellTexts(),
      upn: fc.option(generateCellTexts(200)),
      texts: fc.record(
        mapTextFields(OTHER_TEXTS, (name) => fc.option(generateCellTexts(getTextField(name).charactersMax))),
      ),
      attributes: attributes(),
      isActive: fc.boolean(),
      groups: items(fc.constantFrom(...names)),
      plates: items(generateItemTexts()),
    })
    return fc.array(person, { minLength: min, maxLength: max }).map((list) =>
      list.map(({ local, upn, ...rest }, place) => ({
        ...rest,
        email: `${local}${place}@Example.org`,
        upn: upn && `${upn}${place}`,
      })),
    )
  })
}

/** Inserts users. In an empty database they get ids from 1 on. */
export async function insertPeople(database: Knex, list: Person[]): Promise<void> {
  const rows = list.map(({ email, name, upn, texts, attributes: values, isActive }) => {
    const deactivated_at = isActive ? null : new Date()
    return { email, name, upn, ...texts, extension_attributes: JSON.stringify(values), deactivated_at }
  })
  const ids: number[] = (await database('users').insert(rows).returning('id')).map(({ id }) => id)
  const names = [...new Set(list.flatMap(({ groups }) => groups))]
  const groups = new Map<string, number>()
  if (names.length > 0) {
    const made = await database('groups')
      .insert(names.map((name) => ({ name })))
      .returning(['id', 'name'])
    for (const { id, name } of made) groups.set(name, id)
  }
  const members = list.flatMap((person, place) =>
    person.groups.map((name) => ({ user_id: ids[place], group_id: groups.get(name) })),
  )
  const vehicles = list.flatMap(({ plates }, place) =>
    plates.map((license_plate) => ({ user_id: ids[place], license_plate })),
  )
  if (members.length > 0) await database('group_members').insert(members)
  if (vehicles.length > 0) await database('vehicles').insert(vehicles)
}
