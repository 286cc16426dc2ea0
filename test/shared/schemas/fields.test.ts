// Tests the building blocks of schemas: no value is converted by accident, and each error is a sentence.
import { expect } from 'chai'
import fc from 'fast-check'
import type * as yup from 'yup'
import type { Message } from '../../../shared/messages/message.ts'
import { toDottedPath } from '../../../shared/messages/strict.ts'
import { writeEnglish } from '../../../shared/messages/write-message.ts'
import {
  email,
  flag,
  id,
  integer,
  object,
  pathId,
  pathText,
  queryFlag,
  queryId,
  required,
  text,
} from '../../../shared/schemas/fields.ts'
import { dateTime, queryDateTime } from '../../../shared/schemas/times.ts'
import { anything, expectAcceptsOnly, isDefined, read } from '../../support/fields.ts'

describe('the schema “id”', () => {
  const check = expectAcceptsOnly(
    id().nullable(),
    (value) => value === null || (Number.isSafeInteger(value) && Number(value) >= 1),
    'field must be a whole number above 0.',
  )

  it('accepts only integers from 1 to 2^53-1', () => {
    fc.assert(fc.property(fc.oneof(anything.filter(isDefined), fc.double(), fc.integer()), check))
    for (const value of ['1', ' 1', '', true, false, [1], {}, 0, -0, -1, 1.5, 2 ** 53, Number.NaN, 1e300, 1n])
      check(value)
    for (const value of [1, 2 ** 53 - 1, 1e3]) check(value)
  })
})

describe('the schema “integer”', () => {
  it('accepts integers within its limits, and names the limits in a refusal', () => {
    const check = expectAcceptsOnly(
      integer({ min: 0, max: 3 }),
      (value) => [0, 1, 2, 3].includes(value as number),
      'field must be a whole number from 0 to 3.',
    )
    for (const value of [0, 3, 4, -1, '1', 1.5, true, [2]]) check(value)
  })
})

describe('the schema “flag”', () => {
  it('accepts only the booleans true and false', () => {
    const check = expectAcceptsOnly(
      flag(),
      (value) => typeof value === 'boolean',
      'field must be true or false.',
    )
    fc.assert(
      fc.property(
        anything.filter((value) => isDefined(value) && value !== null),
        check,
      ),
    )
    for (const value of [true, false, 'true', 'false', 1, 0, '1', '', []]) check(value)
  })
})

describe('the schema “queryFlag”', () => {
  it('accepts the usual spellings of booleans, in any letter case', () => {
    const words = fc.constantFrom(
      ['true', true],
      ['1', true],
      ['yes', true],
      ['on', true],
      ['false', false],
      ['0', false],
      ['no', false],
      ['off', false],
    )
    fc.assert(
      fc.property(words, fc.infiniteStream(fc.boolean()), ([word, value], capital) => {
        const written = [...String(word)]
          .map((letter) => (capital.next().value ? letter.toUpperCase() : letter))
          .join('')
        expect(read(queryFlag(), written), written).to.deep.equal({ value })
      }),
    )
  })

  it('accepts no other spelling of a boolean', () => {
    for (const value of ['', 'tru', 'y', '2', '-1', 'null', 'wahr', ['true', 'false'], '1.0', 'on off']) {
      expect(read(queryFlag(), value), String(value)).to.deep.equal({
        refused: ['field must be true or false.'],
      })
    }
  })
})

describe('the schemas “queryId” and “pathId”', () => {
  it('accept only decimal digits as an id', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (number) => {
        expect(read(queryId(), String(number))).to.deep.equal({ value: number })
        expect(read(pathId(), String(number))).to.deep.equal({ value: number })
      }),
    )
    const bad = [
      '',
      '0',
      '-1',
      '+1',
      ' 1',
      '1 ',
      '1.0',
      '1e3',
      '0x1',
      '١',
      '1_000',
      '9007199254740992',
      '9'.repeat(30),
      ['1', '2'],
      '1n',
    ]
    for (const value of bad) {
      expect(read(queryId(), value), String(value)).to.deep.equal({
        refused: ['field must be a whole number above 0.'],
      })
    }
  })
})

describe('the schema “dateTime”', () => {
  const sentence =
    'field must be an ISO 8601 date-time such as 2026-11-20T09:00:00Z, with a year from 0001 to 9999.'

  it('converts every date-time to the canonical form', () => {
    expect(read(dateTime(), ' 2026-11-20T09:00:00.5+01:00 ')).to.deep.equal({
      value: '2026-11-20T08:00:00.500000Z',
    })
    expect(read(dateTime().nullable(), null)).to.deep.equal({ value: null })
    expect(read(dateTime(), undefined)).to.deep.equal({ value: undefined })
  })

  it('refuses numbers, Dates and incomplete date-times', () => {
    for (const value of [1763629200, new Date(), '', '2026-11-20', '2026-11-20T09:00:00 01:00', true, []]) {
      expect(read(dateTime(), value)).to.deep.equal({ refused: [sentence] })
    }
  })

  it('accepts a date-time in a query whose plus sign has become a space', () => {
    expect(read(queryDateTime(), '2026-11-20T09:00:00 01:00')).to.deep.equal({
      value: '2026-11-20T08:00:00.000000Z',
    })
    expect(read(queryDateTime(), '2026-11-20 09:00')).to.deep.equal({ refused: [sentence] })
    expect(read(queryDateTime(), ['2026-11-20T09:00:00Z', 'x'])).to.deep.equal({ refused: [sentence] })
  })
})

describe('the schemas “required” and “object”', () => {
  const schema = object({
    name: required(text({ max: 5 })),
    inner: object({ id: required(id()) }).default(undefined),
  })
  const refusedBy = (value: unknown) => {
    try {
      schema.validateSync(value, { abortEarly: false, stripUnknown: true })
      return undefined
    } catch (error) {
      const { inner } = error as yup.ValidationError
      return inner.map(({ path, errors }) => [
        toDottedPath(path ?? ''),
        ...(errors as unknown as Message[]).map(writeEnglish),
      ])
    }
  }

  it('refuse null or a missing value in a required field', () => {
    expect(read(required(id()), undefined)).to.deep.equal({ refused: ['field is required.'] })
    expect(read(required(id()), null)).to.deep.equal({ refused: ['field is required.'] })
  })

  it('refuse null in an optional field with a sentence', () => {
    for (const schema of [id(), flag(), text({ max: 5 }), email(), dateTime()]) {
      expect(read(schema, null)).to.deep.equal({ refused: ['field must not be null.'] })
    }
  })

  it('report all invalid fields together, each with its path', () => {
    expect(refusedBy({ name: 5, inner: { id: '7' } })).to.have.deep.members([
      ['name', 'name must be a string.'],
      ['inner.id', 'inner.id must be a whole number above 0.'],
    ])
    expect(refusedBy({ name: 'x', inner: [] })).to.deep.equal([['inner', 'inner must be a JSON object.']])
  })

  it('keep only known fields that are not inherited', () => {
    const input = JSON.parse(
      '{"name":"x","extra":1,"__proto__":{"inner":{"id":1}},"constructor":2,"toString":null}',
    )
    const value = schema.validateSync(input, { stripUnknown: true })
    expect(Object.keys(value)).to.deep.equal(['name'])
    expect(value).to.deep.equal({ name: 'x' })
    fc.assert(
      fc.property(fc.dictionary(fc.string(), anything), (members) => {
        const { name, inner: _inner, ...unknown } = members
        expect(schema.validateSync({ ...unknown, name: 'x' }, { stripUnknown: true })).to.deep.equal({
          name: 'x',
        })
      }),
    )
  })
})

describe('the schema “pathText”', () => {
  it('keeps texts unchanged, and refuses characters that Postgres cannot store', () => {
    expect(read(pathText(), ' a b ')).to.deep.equal({ value: ' a b ' })
    expect(read(pathText(), 'a\u0000')).to.have.property('refused')
  })
})
