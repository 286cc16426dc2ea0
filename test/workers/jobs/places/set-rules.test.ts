// Tests rules over HTTP: how they are set, which rules apply to a bookable, and from which place a rule is inherited.
import { expect } from 'chai'
import { RULE_NAMES } from '../../../../shared/rules/rules.ts'
import { createDesk, createGroup, createLocation } from '../../../support/factories.ts'
import { useClient, useWorld } from '../../../support/world.ts'

const UNSET_RULE = { value: null, source: null }
const UNSET_RULES = Object.fromEntries(RULE_NAMES.map((name) => [name, UNSET_RULE]))

describe('the booking rules of a building, location or bookable', () => {
  const world = useWorld()
  const client = useClient(world, 'read', 'object-write')
  let places: { building: number; location: number; bookable: number }

  beforeEach(async () => {
    const desk = await createDesk(world.database, { name: 'Desk 12' })
    const location = await world.database('locations').where({ id: desk.location_id }).first()
    places = { building: location.building_id, location: desk.location_id, bookable: desk.bookable_id }
  })

  const put = (place: keyof typeof places, rules: object) =>
    client.put(`${place}s/${places[place]}/rules`, rules)
  const effective = async () => (await client.get(`bookables/${places.bookable}/rules`)).json.data.effective
  const sourceOf = async (type: keyof typeof places) => {
    const { name } = await world.database(`${type}s`).where({ id: places[type] }).first()
    return { type, id: places[type], name }
  }

  it('are empty if nobody has set any', async () => {
    for (const place of ['building', 'location', 'bookable'] as const) {
      const answer = await client.get(`${place}s/${places[place]}/rules`)
      expect(answer.json).to.deep.equal({ data: { own: {}, effective: UNSET_RULES, closed: [] } })
    }
  })

  it('are each inherited from the nearest place that sets the rule', async () => {
    const opening_hours = [{ day: 1, from: '07:00', to: '24:00' }]
    await put('building', { opening_hours, days_ahead_max: 14, minutes_max: 480 })
    await put('location', { minutes_max: 240, one_at_a_time: true })
    const answer = await put('bookable', { days_ahead_max: 0 })
    expect(answer.json.data).to.deep.equal({
      own: { days_ahead_max: 0 },
      closed: [],
      effective: {
        ...UNSET_RULES,
        opening_hours: { value: opening_hours, source: await sourceOf('building') },
        days_ahead_max: { value: 0, source: await sourceOf('bookable') },
        minutes_max: { value: 240, source: await sourceOf('location') },
        one_at_a_time: { value: true, source: await sourceOf('location') },
      },
    })
    expect(await effective()).to.deep.equal(answer.json.data.effective)
  })

  it('are replaced together: an absent rule is inherited again, and null lifts an inherited rule', async () => {
    await put('building', { minutes_max: 480, days_ahead_max: 14 })
    await put('location', { minutes_max: null, days_ahead_max: 7 })
    expect(await effective()).to.deep.include({
      minutes_max: { value: null, source: await sourceOf('location') },
      days_ahead_max: { value: 7, source: await sourceOf('location') },
    })
    const replaced = await put('location', { minutes_max: null })
    expect(replaced.json.data.own).to.deep.equal({ minutes_max: null })
    expect((await effective()).days_ahead_max).to.deep.equal({
      value: 14,
      source: await sourceOf('building'),
    })
    const emptied = await put('location', {})
    expect(emptied.json.data.own).to.deep.equal({})
    expect((await effective()).minutes_max.value).to.equal(480)
  })

  it('include the closed times of outer places, sorted by their start', async () => {
    const time = (day: number) => `2027-03-0${day}T00:00:00.000000Z`
    const closed = (first: number, reason: string) => [{ from: time(first), to: time(first + 1), reason }]
    await put('building', { closed: closed(2, 'New heating') })
    await put('location', { closed: closed(1, 'Moving') })
    const answer = await put('bookable', { closed: closed(3, 'Repair') })
    expect(answer.json.data.own).to.deep.equal({ closed: closed(3, 'Repair') })
    expect(answer.json.data.closed).to.deep.equal([
      { ...closed(1, 'Moving')[0], source: await sourceOf('location') },
      { ...closed(2, 'New heating')[0], source: await sourceOf('building') },
      { ...closed(3, 'Repair')[0], source: await sourceOf('bookable') },
    ])
  })

  it('list the outer place first if several places are closed for the same time', async () => {
    const closed = [
      { from: '2027-03-01T00:00:00.000000Z', to: '2027-03-02T00:00:00.000000Z', reason: 'Snow' },
    ]
    for (const place of ['building', 'location', 'bookable'] as const) await put(place, { closed })
    const { json } = await client.get(`bookables/${places.bookable}/rules`)
    const types = json.data.closed.map(({ source }: { source: { type: string } }) => source.type)
    expect(types).to.deep.equal(['building', 'location', 'bookable'])
  })

  it('are recorded in the audit log before and after a change', async () => {
    await put('location', { minutes_max: 60 })
    await put('location', { minutes_max: 90 })
    const entry = await world
      .database('audit_log')
      .where({ action: 'locations.set-rules', resource_id: places.location })
      .orderBy('id', 'desc')
      .first()
    expect([entry.before.rules, entry.after.rules]).to.deep.equal([{ minutes_max: 60 }, { minutes_max: 90 }])
  })

  it('may name only existing groups', async () => {
    const group = await createGroup(world.database)
    expect((await put('bookable', { group_ids: [group] })).status).to.equal(200)
    const refused = await put('bookable', { group_ids: [group, 999_999] })
    expect(refused.status).to.equal(422)
    expect(refused.json.errors).to.deep.equal({ group_ids: ['There is no group with the id 999999.'] })
  })

  for (const [rules, field] of [
    [{ opening_hours: [] }, 'opening_hours'],
    [{ opening_hours: [{ day: 8, from: '07:00', to: '20:00' }] }, 'opening_hours.0.day'],
    [{ opening_hours: [{ day: 1, from: '24:00', to: '24:00' }] }, 'opening_hours.0.from'],
    [{ opening_hours: [{ day: 1, from: '7:00', to: '20:00' }] }, 'opening_hours.0.from'],
    [{ opening_hours: [{ day: 1, from: '20:00', to: '07:00' }] }, 'opening_hours.0.to'],
    [{ opening_hours: [{ day: 1, from: '20:00' }] }, 'opening_hours.0.to'],
    [{ days_ahead_max: -1 }, 'days_ahead_max'],
    [{ minutes_min: 0 }, 'minutes_min'],
    [{ minutes_min: 61, minutes_max: 60 }, 'minutes_max'],
    [{ minutes_max: '60' }, 'minutes_max'],
    [{ bookings_ahead_max: 0 }, 'bookings_ahead_max'],
    [{ one_at_a_time: 1 }, 'one_at_a_time'],
    [{ group_ids: [] }, 'group_ids'],
    [{ closed: [{ from: '2027-03-01T00:00:00Z', to: '2027-03-01T00:00:00Z', reason: 'x' }] }, 'closed.0.to'],
    [
      { closed: [{ from: '2027-03-01T00:00:00Z', to: '2027-03-02T00:00:00Z', reason: ' ' }] },
      'closed.0.reason',
    ],
    [{ check_in: { opens_minutes_before: 15 } }, 'check_in.release_minutes_after'],
    [{ check_in: { opens_minutes_before: -1, release_minutes_after: 15 } }, 'check_in.opens_minutes_before'],
    [{ check_in: { opens_minutes_before: 15, release_minutes_after: 15, by: '24:00' } }, 'check_in.by'],
  ] as const) {
    it(`must not be ${JSON.stringify(rules)}`, async () => {
      const answer = await put('location', rules)
      expect(answer.status, answer.text).to.equal(422)
      expect(Object.keys(answer.json.errors)).to.deep.equal([field])
    })
  }

  it('answer 404 for unknown places', async () => {
    for (const place of ['buildings', 'locations', 'bookables']) {
      expect((await client.get(`${place}/999999/rules`)).status).to.equal(404)
      expect((await client.put(`${place}/999999/rules`, {})).status).to.equal(404)
    }
    const location = await createLocation(world.database)
    await world.database('bookables').where({ id: places.bookable }).update({ deleted_at: new Date() })
    expect((await client.get(`bookables/${places.bookable}/rules`)).status).to.equal(404)
    expect((await client.get(`locations/${location}/rules`)).status).to.equal(200)
  })
})
