// Tests bookings that a person makes for somebody else with a personal token, if a rule of the place allows it.
import { expect } from 'chai'
import { useAdmin } from '../../../../support/dashboard/admin.ts'
import {
  createBookable,
  createGroup,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../../support/factories.ts'
import { Client } from '../../../../support/http/http.ts'
import { createPersonalToken } from '../../../../support/personal-tokens.ts'
import { useClient, useWorld } from '../../../../support/world.ts'

const TIMES = { from_time: hoursFromNow(48), to_time: hoursFromNow(50) }

describe('bookings for somebody else', () => {
  const world = useWorld({ workers: ['writes'], environment: { RATE_LIMIT_PER_MINUTE: '100000' } })
  const client = useClient(world)
  const admin = useAdmin(world)
  let location_id: number
  let bookable_id: number
  let group: number
  let anna: Client
  let annaId: number
  let ben: number
  let stranger: number

  beforeEach(async () => {
    const { database } = world
    annaId = await createUser(database, { name: 'Anna Berg' })
    ben = await createUser(database, { name: 'Ben Tal' })
    stranger = await createUser(database, { name: 'Dora Feld' })
    group = await createGroup(database)
    for (const user_id of [annaId, ben]) await database('group_members').insert({ group_id: group, user_id })
    location_id = await createLocation(database)
    bookable_id = await createBookable(database, { location_id, name: 'Desk 12' })
    anna = new Client(world.url, await createPersonalToken(database, annaId))
  })

  const wanted = (user_id: number, more: object = {}) => ({
    bookable_id,
    location_id,
    user_id,
    ...TIMES,
    ...more,
  })
  const allow = async (book_for_others: object | null, place = `locations/${location_id}`) => {
    const answer = await client.put(`${place}/rules`, { book_for_others })
    expect(answer.status, answer.text).to.equal(200)
  }
  const book = (user_id: number, more?: object) => anna.post('bookings', wanted(user_id, more))
  const check = async (user_id: number) => {
    const { status, json } = await anna.post('bookings/check', wanted(user_id))
    return status === 403 ? { allowed: false, detail: json.detail } : json.data
  }
  const rowOf = (id: number) => world.database('bookings').where({ id }).first()

  /** Asserts what booking and asking first answer, and frees the desk again. */
  async function expectAllowed(user_id: number, isAllowed: boolean) {
    expect((await check(user_id)).allowed, 'asked first').to.equal(isAllowed)
    const { status, json, text } = await book(user_id)
    expect([status, json.code], text).to.deep.equal(isAllowed ? [200, undefined] : [403, 'personal_token'])
    await world.database('bookings').where({ bookable_id }).delete()
  }

  it('are refused unless a rule allows them', async () => {
    await expectAllowed(ben, false)
    await expectAllowed(annaId, true)
  })

  it('are allowed for everybody or within a group, by the nearest rule', async () => {
    await allow({ everybody: true })
    for (const id of [ben, stranger]) await expectAllowed(id, true)
    await allow({ group_ids: [group] })
    await expectAllowed(ben, true)
    await expectAllowed(stranger, false)
    await allow(null, `bookables/${bookable_id}`)
    await expectAllowed(ben, false)
  })

  it('get the same refusal for people who have left, who do not exist and who hide', async () => {
    await allow({ everybody: true })
    const left = await createUser(world.database, { deactivated_at: new Date() })
    await world.database('person_settings').insert({ user_id: ben, visibility: 'nobody' })
    const answers = await Promise.all([left, 999_999_999, ben].map((id) => book(id)))
    const [first] = answers.map(({ json: { request_id: _, ...json } }) => json)
    for (const { status, json } of answers) {
      const { request_id: _, ...same } = json
      expect(status).to.equal(403)
      expect(same).to.deep.equal(first)
    }
    const checks = await Promise.all([left, 999_999_999, ben].map((id) => check(id)))
    expect(new Set(checks.map((each) => JSON.stringify(each))).size).to.equal(1)
  })

  it('belong to the other person, follow the rules for that person, and record who booked', async () => {
    await allow({ everybody: true })
    const { json } = await book(ben)
    const [{ id, user }] = json.data
    expect(user.id).to.equal(ben)
    expect(await rowOf(id)).to.include({ user_id: ben, booked_by_user_id: annaId })
    const entry = await world
      .database('audit_log')
      .where({ action: 'bookings.create', resource_id: id })
      .first()
    expect(entry.after).to.include({ user_id: ben, booked_by_user_id: annaId })
    const other = await createBookable(world.database, { location_id, name: 'Desk 13' })
    await client.put(`locations/${location_id}/rules`, {
      book_for_others: { everybody: true },
      one_at_a_time: true,
    })
    const second = await book(ben, { bookable_id: other })
    expect([second.status, second.json.code]).to.deep.equal([409, 'already_booked'])
    expect(second.json.detail, 'does not say which desk the colleague has').to.not.include('Desk 12')
    expect((await anna.post('bookings', wanted(annaId, { bookable_id: other }))).status).to.equal(200)
  })

  it('can be cancelled by both people, but changed only by their owner', async () => {
    await allow({ everybody: true })
    const bens = new Client(world.url, await createPersonalToken(world.database, ben))
    for (const canceller of [anna, bens]) {
      const [{ id }] = (await book(ben)).json.data
      expect((await bens.get(`bookings/${id}`)).status).to.equal(200)
      expect((await anna.patch(`bookings/${id}`, { to_time: hoursFromNow(49) })).status).to.equal(404)
      expect((await anna.post(`bookings/${id}/check-in`, undefined)).status).to.equal(404)
      const doras = new Client(world.url, await createPersonalToken(world.database, stranger))
      expect((await doras.delete(`bookings/${id}`)).status).to.equal(404)
      expect((await canceller.delete(`bookings/${id}`)).status).to.equal(204)
      expect(await rowOf(id)).to.equal(undefined)
    }
    expect((await bens.post('bookings', wanted(ben))).status).to.equal(200)
    const [own] = await world.database('bookings').where({ bookable_id })
    expect(own.booked_by_user_id).to.equal(null)
    expect((await anna.delete(`bookings/${own.id}`)).status, 'not booked by Anna').to.equal(404)
  })

  it('can be cancelled by the booker even if a closed time has split them', async () => {
    await allow({ everybody: true })
    const [{ id }] = (await book(ben, { to_time: hoursFromNow(96) })).json.data
    const closed = [{ from: hoursFromNow(60), to: hoursFromNow(72), reason: 'Works' }]
    const input = { id: bookable_id, rules: { closed }, in_the_way: 'release' }
    const answer = await admin.ask('bookables.set-rules', input)
    expect(answer.status, JSON.stringify(answer.json)).to.equal(200)
    const parts = await world.database('bookings').where({ bookable_id }).orderBy('id')
    expect(parts.map((each) => each.booked_by_user_id)).to.deep.equal([annaId, annaId])
    expect((await anna.delete(`bookings/${parts.at(-1).id}`)).status).to.equal(204)
    expect((await anna.delete(`bookings/${id}`)).status).to.equal(204)
  })

  it('are no longer visible to the booker after the other person hides', async () => {
    await allow({ everybody: true })
    const [{ id }] = (await book(ben)).json.data
    await world.database('person_settings').insert({ user_id: ben, visibility: 'nobody' })
    expect((await anna.delete(`bookings/${id}`)).status).to.equal(404)
    expect(await rowOf(id)).to.include({ user_id: ben })
  })

  it('are created one at a time: batches, series and requests are only for the owner of the token', async () => {
    await allow({ everybody: true })
    for (const answer of [
      await anna.post('bookings/batch', { bookings: [wanted(ben)] }),
      await anna.post('bookings/series', wanted(ben, { repeat: { every: 'day', count: 2 } })),
      await anna.post('booking-requests', wanted(ben)),
    ])
      expect([answer.status, answer.json.code], answer.text).to.deep.equal([403, 'personal_token'])
  })

  it('are created once for each idempotency key', async () => {
    await allow({ everybody: true })
    const headers = { 'Idempotency-Key': 'for-ben' }
    const answers = [
      await anna.post('bookings', wanted(ben), headers),
      await anna.post('bookings', wanted(ben), headers),
    ]
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200])
    expect(answers[1]?.text).to.equal(answers[0]?.text)
    expect(await world.database('bookings').where({ bookable_id })).to.have.length(1)
  })

  it('need a group that exists, and a group in a rule cannot be deleted', async () => {
    const unknown = await client.put(`locations/${location_id}/rules`, {
      book_for_others: { group_ids: [999_999] },
    })
    expect(unknown.json.errors).to.have.property('book_for_others.group_ids')
    const nobody = await client.put(`locations/${location_id}/rules`, { book_for_others: {} })
    expect(nobody.json.errors).to.have.property('book_for_others')
    await allow({ group_ids: [group] })
    expect((await client.delete(`groups/${group}`)).json.code).to.equal('in_use')
  })
})
