import { expect } from 'chai'
import fc from 'fast-check'
import { mapTextFields, USER_TEXTS } from '../../../../shared/imports/user-columns.ts'
import { createLineWriter, LISTS, parseHeader } from '../../../../workers/sheets/lists/lists.ts'
import { parseLines } from '../support/read.ts'

const HEADER = [
  'id',
  'email',
  'upn',
  'name',
  'groups',
  'license_plates',
  'extensionAttribute1',
  'extensionAttribute99',
]

describe('the check of a row in an imported user list', () => {
  it('returns null for fields without a column in the file', () => {
    expect(check({ email: 'a@example.com' }, ['email'])).to.deep.equal({
      row_number: 7,
      id: null,
      email: 'a@example.com',
      ...mapTextFields(USER_TEXTS, () => null),
      attributes: null,
      groups: null,
      license_plates: null,
      errors: null,
    })
  })

  it('distinguishes empty cells from missing columns', () => {
    expect(check({ email: 'a@example.com', id: ' ' })).to.include({ id: null, upn: null, name: null })
    expect(check({ email: 'a@example.com' })).to.deep.include({
      attributes: { extensionAttribute1: null, extensionAttribute99: null },
      groups: [],
      license_plates: [],
      errors: null,
    })
  })

  it('treats text without visible characters as empty', () => {
    const invisible = '\u200b\u2800'
    const row = check({
      email: 'a@example.com',
      name: invisible,
      upn: invisible,
      groups: `a;${invisible}`,
      license_plates: invisible,
    })
    expect(row).to.deep.include({ name: null, upn: null, groups: ['a'], license_plates: [], errors: null })
  })

  it('trims cells, and reads groups and plates as sets in the order of their first occurrence', () => {
    const row = check({ email: ' a@example.com ', groups: ' b;a ;; b; "x\\', license_plates: 'NULL;{}' })
    expect(row.email).to.equal('a@example.com')
    expect(row.groups).to.deep.equal(['b', 'a', '"x\\'])
    expect(row.license_plates).to.deep.equal(['NULL', '{}'])
  })

  it('reports errors, and still identifies the user of the row', () => {
    const row = check({ id: '5', email: 'jane@', name: 'x'.repeat(256) })
    expect(row).to.include({ id: '5', email: 'jane@', name: null })
    expect(row.errors).to.deep.equal({
      email: ['Row 7: the email must be a valid e-mail address (it is “jane@”).'],
      name: ['Row 7: the name must be at most 255 characters long.'],
    })
  })

  for (const [column, wrong, sentence] of [
    ['email', '', 'the email is required.'],
    ['email', `${'x'.repeat(250)}@example.com`, 'the email must be at most 255 characters long.'],
    ['id', '12.5', 'the id must be a whole number (it is “12.5”).'],
    ['id', '99999999999999999', 'the id must be a whole number (it is “99999999999999999”).'],
    ['id', 'x'.repeat(100), `the id must be a whole number (it is “${'x'.repeat(60)}…”).`],
    ['name', 'a\u0000b', 'the name must not contain control characters or invalid Unicode.'],
    ['upn', '\ud800', 'the upn must not contain control characters or invalid Unicode.'],
    ['groups', `ok;${'g'.repeat(256)}`, 'the group name must be at most 255 characters long.'],
    ['license_plates', 'p'.repeat(256), 'the license plate must be at most 255 characters long.'],
    [
      'extensionAttribute1',
      'v'.repeat(1025),
      'the extensionAttribute1 must be at most 1024 characters long.',
    ],
  ] as const) {
    it(`refuses ${column} ${JSON.stringify(wrong.slice(0, 20))}`, () => {
      const row = check({ email: 'a@example.com', [column]: wrong })
      expect(row.errors).to.deep.equal({ [column]: [`Row 7: ${sentence}`] })
    })
  }

  it('measures the length of a cell in code points', () => {
    expect(check({ email: 'a@example.com', name: '😀'.repeat(255) }).errors).to.equal(null)
  })

  it('writes one COPY line with all columns, regardless of the content of the cells', () => {
    const cell = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom('\ud800', '\\', '\t', '\n', '"', ';') }),
    )
    fc.assert(
      fc.property(fc.array(cell, { maxLength: 8 }), (cells) => {
        const line = writeLine(cells)
        expect(line.isWellFormed()).to.equal(true)
        expect(line.split('\n')).to.have.length(2)
        expect(line.split('\t')).to.have.length(7 + USER_TEXTS.length)
      }),
    )
  })
})

function writeLine(cells: string[], header = HEADER) {
  return createLineWriter('users', parseHeader(header, LISTS.users))({ number: 7, cells })
}

function check(user: Record<string, string>, header = HEADER) {
  const cells = header.map((column) => user[column] ?? '')
  const [row] = parseLines(writeLine(cells, header))
  if (!row) throw new Error('There is no line')
  return row
}
