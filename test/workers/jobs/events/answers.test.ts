// Tests answers to invitations over the API: who may answer, what an answer changes, and where Berth records it.
import { expect } from 'chai'
import { createDesk, createUser, hoursFromNow } from '../../../support/factories.ts'
import { readEndOfFeed } from '../../../support/http/feed.ts'
import { Client } from '../../../support/http/http.ts'
import { createPersonalToken } from '../../../support/personal-tokens.ts'
import { eventually } from '../../../support/time.ts'
import { useClient, useWorld } from '../../../support/world.ts'

const EMAIL = 'grace@visitor.example'

describe('the answer to an invitation', () => {
  const world = useWorld({ workers: ['writes'] })
  const client = useClient(world)
  let slot = 10

  async function createMeeting() {
    const { bookable_id: room, user_id: organizer } = await createDesk(world.database, { type: 2 })
    const colleague = await createUser(world.database)
    slot += 2
    const made = await client.post('events', {
      name: 'Harbour plans',
      organizer_user_id: organizer,
      from_time: hoursFromNow(slot),
      to_time: hoursFromNow(slot + 1),
      attendees: [
        { type: 'user', id: colleague },
        { type: 'visitor', email: EMAIL, name: 'Grace Hopper' },
        { type: 'bookable', id: room },
      ],
    })
    expect(made.status, made.text).to.equal(200)
    const { id, attendees } = made.json.data as {
      id: number
      attendees: Array<{ id: number; email: string }>
    }
    const guest = attendees.find(({ email }) => email === EMAIL)?.id ?? expect.fail('There is no guest')
    return { id, room, organizer, colleague, guest }
  }
  const answer = (id: number, attendee: number, status: number) =>
    client.post(`events/${id}/attendees/${attendee}/answer`, { status })
  const statusesOf = async (id: number) => {
    const { json } = await client.get(`events/${id}`)
    return Object.fromEntries(
      json.data.attendees.map((each: { id: number; status: number }) => [each.id, each.status]),
    )
  }
  const refusal = ({ status, json }: { status: number; json: { code?: string } }) => [status, json.code]
  const asPerson = async (user: number) =>
    new Client(world.url, await createPersonalToken(world.database, user))

  it('sets the status of a user or a visitor, and changes nothing else about the event', async () => {
    const { id, organizer, colleague, guest } = await createMeeting()
    const rowOf = () => world.database('events').where({ id }).first()
    const before = await rowOf()
    const answered = await answer(id, colleague, 2)
    expect([answered.status, answered.json]).to.deep.equal([200, { data: { id, status: 2 } }])
    expect((await answer(id, guest, 3)).status).to.equal(200)
    expect(await statusesOf(id)).to.deep.equal({ [organizer]: 1, [colleague]: 2, [guest]: 3 })
    expect(await rowOf()).to.deep.equal(before)
    const rows = await world.database('event_attendees').where({ event_id: id }).orderBy('id')
    expect(rows.map(({ answered_at }) => answered_at !== null)).to.deep.equal([false, true, true])
  })

  it('is refused if it names a former time of the event', async () => {
    const { id, colleague } = await createMeeting()
    const { from, to } = (await client.get(`events/${id}`)).json.data
    const path = `events/${id}/attendees/${colleague}/answer`
    for (const seen of [{ from_time: hoursFromNow(1) }, { from_time: from, to_time: hoursFromNow(90) }])
      expect(refusal(await client.post(path, { status: 1, ...seen }))).to.deep.equal([
        409,
        'changed_meanwhile',
      ])
    const own = { user_id: colleague, status: 1, to_time: from }
    expect(refusal(await client.post(`events/${id}/answer`, own))).to.deep.equal([409, 'changed_meanwhile'])
    expect((await statusesOf(id))[colleague]).to.equal(0)
    const done = await client.post(path, { status: 1, from_time: from, to_time: to })
    expect(done.status, done.text).to.equal(200)
    expect((await statusesOf(id))[colleague]).to.equal(1)
  })

  it('is recorded once in the audit log and in the change feed, even if it is repeated', async () => {
    const { id, colleague } = await createMeeting()
    const next = await readEndOfFeed(world.database, client)
    for (const status of [3, 3, 1]) expect((await answer(id, colleague, status)).status).to.equal(200)
    const entries = await world
      .database('audit_log')
      .where({ action: 'events.answer', resource_id: id })
      .orderBy('id')
    expect(
      entries.map(({ before, after }) =>
        [before, after].map(({ attendees: [each] }) => [each.user_id, each.status]),
      ),
    ).to.deep.equal([
      [
        [colleague, 0],
        [colleague, 3],
      ],
      [
        [colleague, 3],
        [colleague, 1],
      ],
    ])
    const statusIn = ({ attendees }: { attendees: Array<{ id: number; status: number }> }) =>
      attendees.find((each) => each.id === colleague)?.status
    // The feed holds a change back while an older transaction is open, so the creation of the meeting may follow too.
    await eventually(async () => {
      const { data } = (await client.get(`changes?after=${next}`)).json
      const changes = data.filter(
        (each: { id: number; action: string }) => each.id === id && each.action !== 'created',
      )
      expect(
        changes.map((each: { type: string; action: string; data: never; previous: never }) => [
          `${each.type}.${each.action}`,
          statusIn(each.previous),
          statusIn(each.data),
        ]),
      ).to.deep.equal([
        ['event.answered', 0, 3],
        ['event.answered', 3, 1],
      ])
    })
  })

  it('is a change that only webhooks for events can subscribe to', async () => {
    const subscribe = (types: string[]) =>
      client.post('webhooks', { url: 'https://receiver.example/berth', types })
    expect((await subscribe(['event.answered'])).status).to.equal(200)
    expect(refusal(await subscribe(['booking.answered']))).to.deep.equal([422, 'validation_failed'])
  })

  it('is refused for an unknown event or attendee, a cancelled event, and a past event', async () => {
    const { id, colleague, room } = await createMeeting()
    const stranger = await createUser(world.database)
    for (const [event, attendee] of [
      [999_999, colleague],
      [id, stranger],
      [id, room],
    ] as const)
      expect(refusal(await answer(event, attendee, 1))).to.deep.equal([404, 'not_found'])
    for (const status of [0, 4, 'yes', undefined])
      expect(refusal(await answer(id, colleague, status as number))).to.deep.equal([422, 'validation_failed'])
    const during = world.database.raw('tstzrange(?, ?)', [hoursFromNow(-2), hoursFromNow(-1)])
    const other = await createMeeting()
    await world.database('events').where({ id: other.id }).update({ during })
    expect(refusal(await answer(other.id, other.colleague, 1))).to.deep.equal([409, 'event_ended'])
    expect((await client.delete(`events/${id}`)).status).to.equal(204)
    expect(refusal(await answer(id, colleague, 1))).to.deep.equal([409, 'event_cancelled'])
  })

  it('is always yes for the organizer', async () => {
    const { id, organizer } = await createMeeting()
    expect((await answer(id, organizer, 1)).json).to.deep.equal({ data: { id, status: 1 } })
    const refused = await answer(id, organizer, 3)
    expect(refusal(refused)).to.deep.equal([422, 'validation_failed'])
    expect(refused.json.errors).to.deep.equal({ status: ['The organizer always attends.'] })
  })

  it('with a personal token counts only for the owner, and is 404 if the owner does not attend', async () => {
    const { id, organizer, colleague, guest } = await createMeeting()
    const own = await asPerson(colleague)
    expect((await own.post(`events/${id}/answer`, { status: 2 })).json).to.deep.equal({
      data: { id, status: 2 },
    })
    expect((await own.post(`events/${id}/answer`, { status: 3, user_id: colleague })).status).to.equal(200)
    for (const user_id of [organizer, guest])
      expect(refusal(await own.post(`events/${id}/answer`, { status: 1, user_id }))).to.deep.equal([
        403,
        'personal_token',
      ])
    expect(
      refusal(await own.post(`events/${id}/attendees/${colleague}/answer`, { status: 1 })),
    ).to.deep.equal([403, 'personal_token'])
    const stranger = await asPerson(await createUser(world.database))
    expect(refusal(await stranger.post(`events/${id}/answer`, { status: 1 }))).to.deep.equal([
      404,
      'not_found',
    ])
    expect(await statusesOf(id)).to.deep.equal({ [organizer]: 1, [colleague]: 3, [guest]: 0 })
  })

  it('with a personal token counts for its owner, even if a guest is shown with the owner’s id', async () => {
    const { id, colleague, guest } = await createMeeting()
    const { database } = world
    const guestRow = await database('event_attendees').where({ event_id: id, email: EMAIL }).first()
    // A guest whom an earlier release invited has no visitor's id, so responses show the id of the row.
    const own = await database('event_attendees').where({ event_id: id, user_id: colleague }).first()
    await database('event_attendees').whereIn('id', [guestRow.id, own.id]).delete()
    await database('event_attendees').where({ id: colleague }).delete()
    await database.raw(
      `INSERT INTO event_attendees (id, event_id, email, user_id, role, status) OVERRIDING SYSTEM VALUE
       VALUES (?, ?, ?, NULL, 1, 0), (?, ?, NULL, ?, 1, 0)`,
      [colleague, id, EMAIL, 1_000_000 + guest, id, colleague],
    )
    expect((await (await asPerson(colleague)).post(`events/${id}/answer`, { status: 3 })).status).to.equal(
      200,
    )
    const rows = await database('event_attendees').where({ event_id: id, status: 3 })
    expect(rows.map(({ user_id }) => user_id)).to.deep.equal([colleague])
  })

  it('needs a user_id if the token is not personal', async () => {
    const { id, colleague } = await createMeeting()
    const refused = await client.post(`events/${id}/answer`, { status: 1 })
    expect([refused.status, Object.keys(refused.json.errors)]).to.deep.equal([422, ['user_id']])
    expect((await client.post(`events/${id}/answer`, { status: 1, user_id: colleague })).status).to.equal(200)
  })

  it('stays when the event is renamed, and is reset when an event with invitations moves to another time', async () => {
    const { id, organizer, colleague, guest } = await createMeeting()
    await answer(id, colleague, 1)
    await client.patch(`events/${id}`, { name: 'Reef plans' })
    expect(await statusesOf(id)).to.deep.equal({ [organizer]: 1, [colleague]: 1, [guest]: 0 })
    await client.patch(`events/${id}?invite=true`, { to_time: hoursFromNow(slot + 2) })
    expect(await statusesOf(id)).to.deep.equal({ [organizer]: 1, [colleague]: 0, [guest]: 0 })
  })
})
