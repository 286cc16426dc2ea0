// Compares JSON built by SQL with the output of Postgres's own functions: escapes, nulls and every instant.
import { expect } from 'chai'
import fc from 'fast-check'
import {
  flag,
  type JsonSql,
  json,
  jsonOrNull,
  linkJson,
  listJson,
  number,
  objectJson,
  optionalMemberJson,
  selectJson,
  text,
  timestamp,
  timestampText,
} from '../../../shared/schemas/json.ts'
import { HOSTILE_TEXTS } from '../../support/dashboard/hostile-texts.ts'
import { useDatabase, usePool } from '../../support/databases.ts'
import { fromMicros, toMicros } from '../../support/instants.ts'

const FIRST_INSTANT = toMicros('0001-01-01T00:00:00Z')
const LAST_INSTANT = toMicros('9999-12-31T23:59:59Z')
const SECOND_MICROS = 1_000_000n

describe('JSON built by SQL', () => {
  const pool = usePool(useDatabase())
  const build = async (built: JsonSql<unknown>, values: unknown[] = [], from = '') => {
    const { rows } = await pool.query<{ built: string }>(`SELECT ${built} AS built ${from}`, values)
    return rows.map((row) => JSON.parse(row.built))
  }

  it('keeps any text unchanged', async () => {
    const texts = fc.string({ unit: 'binary', maxLength: 30 }).filter((each) => !each.includes('\0'))
    const examples: Array<[string]> = [...HOSTILE_TEXTS, '"', '\\', '\u0001\u001f\u007f\u2028', '😀'].map(
      (each) => [each],
    )
    await fc.assert(
      fc.asyncProperty(texts, async (value) => {
        const object = objectJson({ text: text('$1::text'), list: text('ARRAY[$1::text]') })
        expect(await build(object, [value])).to.deep.equal([{ text: value, list: [value] }])
      }),
      { numRuns: 100, examples },
    )
  })

  it('formats instants in the same way as to_char, in any time zone of the database session', async () => {
    const micros = fc.oneof(
      fc.bigInt({ min: FIRST_INSTANT, max: LAST_INSTANT }),
      fc
        .bigInt({ min: FIRST_INSTANT / SECOND_MICROS, max: LAST_INSTANT / SECOND_MICROS })
        .map((seconds) => seconds * SECOND_MICROS),
    )
    await fc.assert(
      fc.asyncProperty(
        micros,
        fc.constantFrom('UTC', 'Asia/Kathmandu', 'America/St_Johns'),
        async (at, zone) => {
          const instant = fromMicros(at)
          const client = await pool.connect()
          try {
            await client.query(`SET TIME ZONE '${zone}'; SET DateStyle = 'SQL, DMY'`)
            const built = `SELECT ${timestamp('$1::timestamptz')} AS json, ${timestampText('$1::timestamptz')} AS text`
            const { rows } = await client.query(built, [instant])
            expect(rows).to.deep.equal([{ json: JSON.stringify(instant), text: instant }])
          } finally {
            client.release(true)
          }
        },
      ),
      {
        numRuns: 60,
        examples: [
          [FIRST_INSTANT, 'UTC'],
          [LAST_INSTANT, 'UTC'],
          [1n, 'UTC'],
          [-1n, 'UTC'],
        ],
      },
    )
  })

  it('writes null for missing values, and keeps all other values', async () => {
    const object = objectJson({
      text: text('NULL::text'),
      number: number('NULL::bigint'),
      flag: flag('NULL::boolean'),
      json: json('NULL::jsonb'),
      timestamp: timestamp('NULL::timestamptz'),
      object: jsonOrNull('false', objectJson({ id: number('1') })),
      selected: selectJson(number('1'), 'WHERE false'),
      last: number('7'),
    })
    const nothing = {
      text: null,
      number: null,
      flag: null,
      json: null,
      timestamp: null,
      object: null,
      selected: null,
    }
    expect(await build(object)).to.deep.equal([{ ...nothing, last: 7 }])
  })

  it('writes every value with its JSON type', async () => {
    const object = objectJson({
      id: number('9007199254740991::bigint'),
      share: number('0.1::float8'),
      yes: flag('1 = 1'),
      no: flag('1 = 2'),
      uuid: text("'018f7bb0-0000-7000-8000-000000000000'::uuid"),
      attributes: json(`'{"a": ["b"]}'::jsonb`),
      nested: jsonOrNull('true', objectJson({ id: number('1') })),
      "it's": text("'quoted'::text"),
    })
    expect(await build(object)).to.deep.equal([
      {
        id: Number.MAX_SAFE_INTEGER,
        share: 0.1,
        yes: true,
        no: false,
        uuid: '018f7bb0-0000-7000-8000-000000000000',
        attributes: { a: ['b'] },
        nested: { id: 1 },
        "it's": 'quoted',
      },
    ])
  })

  it('includes a field only if its condition holds, and keeps the order of lists, even empty ones', async () => {
    const object = objectJson({
      id: number('n'),
      even: optionalMemberJson('n % 2 = 0', flag('true')),
      last: number('0'),
    })
    expect(await build(object, [], 'FROM generate_series(1, 2) AS n')).to.deep.equal([
      { id: 1, last: 0 },
      { id: 2, even: true, last: 0 },
    ])
    const numbers = 'FROM generate_series(1, 4) AS n'
    expect(await build(listJson(number('n'), 'n DESC', 'n > 2'), [], numbers)).to.deep.equal([[4, 3]])
    expect(await build(listJson(number('n'), 'n', 'n > 9'), [], numbers)).to.deep.equal([[]])
  })

  it('can contain URLs built from any base URL', async () => {
    const address = linkJson('$1', '/api/', number('n'), '/“x”')
    for (const base of ['https://desk.example.com', 'http://localhost:3000/a"b\\']) {
      expect(await build(address, [base], 'FROM generate_series(1, 2) AS n')).to.deep.equal([
        `${base}/api/1/“x”`,
        `${base}/api/2/“x”`,
      ])
    }
  })

  it('may have objects with any number of fields', async () => {
    const members = Object.fromEntries(
      Array.from({ length: 150 }, (_, index) => [`m${index}`, number(`${index}`)]),
    )
    const [object] = await build(objectJson(members))
    expect(Object.keys(object)).to.deep.equal(Object.keys(members))
  })
})
