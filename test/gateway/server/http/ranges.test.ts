// Tests the limits of `from` and `to` that every listing follows (docs/interface.md, “Limits”).
import { expect } from 'chai'
import { createOffice, type Office } from '../../../support/office.ts'
import { useClient, useWorld } from '../../../support/world.ts'

const NOW = '2027-11-20T09:30:00.500Z'
const DATE_TIME_MESSAGE =
  'must be an ISO 8601 date-time such as 2026-11-20T09:00:00Z, with a year from 0001 to 9999.'

describe('the parameters `from` and `to`', () => {
  const world = useWorld({ workers: [], now: () => Date.parse(NOW) })
  const client = useClient(world, 'read')
  let office: Office
  before(async () => {
    office = await createOffice(world.database)
  })

  const paths = () => [
    `users/${office.user.id}/bookings`,
    `users/by-email/${office.user.email}/bookings`,
    `buildings/${office.building.id}/bookings`,
    `locations/${office.location.id}/bookings`,
    `bookables/${office.desk.id}/bookings`,
    'bookings',
    'events',
  ]

  async function expectRefused(query: string, errors: Record<string, string[]>) {
    for (const path of paths()) {
      const answer = await client.get(`${path}?${query}`)
      expect(answer.status, `${path}?${query}`).to.equal(422)
      expect(answer.json.code).to.equal('validation_failed')
      expect(answer.json.errors, `${path}?${query}`).to.deep.equal(errors)
    }
  }

  async function expectTaken(query: string) {
    for (const path of paths()) {
      const answer = await client.get(`${path}?${query}`)
      expect(answer.status, `${path}?${query}: ${answer.text}`).to.equal(200)
      expect(answer.json).to.deep.equal({ data: [] })
    }
  }

  it('are required, and one error names both', async () => {
    const errors = { from: ['from is required.'], to: ['to is required.'] }
    await expectRefused('', errors)
    await expectRefused('From=2026-01-01T00:00:00Z', errors)
    await expectRefused('from=2026-01-01T00:00:00Z', { to: errors.to })
    await expectRefused('from=&to=', { from: [`from ${DATE_TIME_MESSAGE}`], to: [`to ${DATE_TIME_MESSAGE}`] })
    await expectRefused('from=tomorrow', { from: [`from ${DATE_TIME_MESSAGE}`], to: errors.to })
  })

  for (const wrong of [
    '2026-11-20',
    '2026-02-30T00:00:00Z',
    '2026-11-20T24:00:00Z',
    '2026-11-20 09:00:00',
    '1763629200',
    '20261120T090000Z',
    '2026-11-20T09:00:00Europe/Berlin',
    '0000-01-01T00:00:00Z',
    '0001-01-01T00:00:00%2B01:00',
    '10000-01-01T00:00:00Z',
    '%00',
    '2026-11-20T09:00:00Z&from=2026-11-20T09:00:00Z',
  ]) {
    it(`must be date-times, so ${wrong} is refused`, () =>
      expectRefused(`from=${wrong}&to=2026-11-21T00:00:00Z`, { from: [`from ${DATE_TIME_MESSAGE}`] }))
  }

  it('must be in order, and must not be equal', async () => {
    const errors = { to: ['to must be after from.'] }
    await expectRefused('from=2026-11-20T09:00:00Z&to=2026-11-20T09:00:00Z', errors)
    await expectRefused('from=2026-11-20T09:00:00Z&to=2026-11-20T09:00:00%2B01:00', errors)
    await expectTaken('from=2026-11-20T09:00:00Z&to=2026-11-20T09:00:00.000001Z')
  })

  it('lie at most one week apart, including exactly one week', async () => {
    const errors = { to: ['to must be at most 7 days after from.'] }
    await expectRefused('from=2026-11-20T09:00:00Z&to=2026-11-27T09:00:00.000001Z', errors)
    await expectTaken('from=2026-11-20T09:00:00Z&to=2026-11-27T09:00:00Z')
    await expectTaken('from=2026-10-19T00:00:00%2B02:00&to=2026-10-25T23:00:00%2B01:00')
  })

  it('may span one week of local time in which the clocks change', async () => {
    await expectTaken('from=2026-10-21T00:00%2B02:00&to=2026-10-28T00:00%2B01:00')
    await expectTaken('from=2026-10-21T00:00:00 02:00&to=2026-10-28T00:00:00 01:00')
    await expectTaken('from=2026-10-21T00:00%2B01:00&to=2026-10-28T00:00Z')
    await expectTaken('from=2027-03-24T00:00%2B01:00&to=2027-03-31T00:00%2B02:00')
    await expectRefused('from=2026-10-21T00:00%2B02:00&to=2026-10-28T00:00:00.000001%2B01:00', {
      to: ['to must be at most 7 days after from.'],
    })
    // The same days written with Z are 169 hours, which is too long.
    await expectRefused('from=2026-10-20T22:00Z&to=2026-10-27T23:00Z', {
      to: [
        'to must be at most 7 days (168 hours) after from. For a week in which clocks are set back, send both with their offsets.',
      ],
    })
    await expectRefused('from=2026-10-20T22:00&to=2026-10-27T23:00Z', {
      to: [
        'to must be at most 7 days (168 hours) after from. For a week in which clocks are set back, send both with their offsets.',
      ],
    })
  })

  it('end at most exactly one year from now', async () => {
    const errors = { to: ['to must be at most one year from now.'] }
    await expectRefused('from=2028-11-19T00:00:00Z&to=2028-11-20T09:30:00.500001Z', errors)
    await expectTaken('from=2028-11-19T00:00:00Z&to=2028-11-20T09:30:00.500000Z')
    await expectRefused('from=2028-11-01T00:00:00Z&to=9999-12-31T23:59:59.999999Z', {
      to: ['to must be at most 7 days after from.', ...errors.to],
    })
  })

  it('may lie any time in the past', () => expectTaken('from=0001-01-01T00:00:00Z&to=0001-01-08T00:00:00Z'))

  it('accept every form of ISO 8601, even with an unescaped plus sign', async () => {
    for (const [from, to] of [
      ['2026-11-20T09:00', '2026-11-20T10:00:00'],
      ['2026-11-20T10:00:00+01:00', '2026-11-20T10:00:00.000001+01'],
      ['2026-11-20T10:00:00%2B0100', '2026-11-20T05:00:00,5-0500'],
      ['2026-11-20t09:00:00.123456789z', '2026-11-20T09:00:00.123457Z'],
    ])
      await expectTaken(`from=${from}&to=${to}`)
  })

  it('truncate fractions of a second that are finer than microseconds', () =>
    expectRefused('from=2026-11-20T09:00:00.1234561Z&to=2026-11-20T09:00:00.1234569Z', {
      to: ['to must be after from.'],
    }))

  it('are checked before an unknown id is refused', async () => {
    expect((await client.get('locations/999999/bookings')).status).to.equal(422)
    expect((await client.get('locations/abc/bookings?from=x')).status).to.equal(422)
  })

  it('are ignored by listings that have no time range', async () => {
    for (const path of [`locations/${office.location.id}/bookables`, 'groups', 'buildings'])
      expect((await client.get(`${path}?from=x&to=y`)).status).to.equal(200)
  })
})
