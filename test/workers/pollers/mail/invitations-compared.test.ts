// Tests mails about meetings in rare cases: what they must not reveal, and which differences from the last mail they
// mention.
import { expect } from 'chai'
import { LOCKS } from '../../../../shared/database/locks.ts'
import { useAdmin } from '../../../support/dashboard/admin.ts'
import { createBookable, createEvent, createUser, hoursFromNow } from '../../../support/factories.ts'
import { eventually } from '../../../support/time.ts'
import { entryOf, useMeetings } from './use-meetings.ts'

describe('a mail about a meeting', () => {
  const { smtp, world, client, queued, sendAll, createPerson, createScene, invite, change, nextTimes } =
    useMeetings()
  const admin = useAdmin(world)
  const methodsOf = (address: string) => smtp.sentTo(address).map((mail) => entryOf(mail).method)
  const closeRoom = async (room: number) => {
    const closed = await admin.ask('bookables.set-status', { ids: [room], status: 1, in_the_way: 'release' })
    expect(closed.status).to.equal(200)
  }
  const waitingFor = (user_id: number) =>
    world
      .database('mails')
      .whereIn('invitation_id', world.database('invitations').where({ user_id }).select('id'))
      .whereNotNull('next_at')

  /** Runs this while no process turns changes into mails. */
  const withoutQueueing = (run: () => Promise<void>) =>
    world.database.transaction(async (trx) => {
      await trx.raw('SELECT pg_advisory_xact_lock(?)', [LOCKS.mailPosition])
      await run()
    })

  it('reveals nothing new about the meeting to a person who is removed', async () => {
    const scene = await createScene()
    const { organizer, colleague, guest, location_id } = scene
    const id = await invite(scene, { description: 'Bring the old map.' })
    await sendAll()
    const other = await createPerson()
    await world.database('users').where({ id: other.user_id }).update({ name: 'Ottilie Secret' })
    const room = await createBookable(world.database, { location_id, type: 2, name: 'Secret atoll' })
    await client.put(`events/${id}`, {
      name: 'Secret plans',
      description: 'Secret map',
      organizer_user_id: other.user_id,
      attendees: [{ type: 'bookable', id: room }],
      ...nextTimes(),
    })
    await sendAll()
    for (const address of [organizer.email, colleague.email, guest]) {
      const [invited, cancelled, ...more] = smtp.sentTo(address)
      expect(more).to.deep.equal([])
      const { method, organizer: named, uid } = entryOf(cancelled)
      expect([method, uid]).to.deep.equal(['CANCEL', entryOf(invited).uid])
      expect(named).to.equal(entryOf(invited).organizer)
      const { headers, text, calendar = '' } = cancelled ?? expect.fail('There is no mail')
      expect(headers + text + calendar.replaceAll('\r\n ', ''))
        .to.include('Harbour plans')
        .and.not.match(/secret/i)
        .and.not.include(other.email)
        .and.not.include('Atoll')
    }
  })

  it('mentions a new organizer even with the same name, because answers go to another address', async () => {
    const scene = await createScene()
    const { organizer, colleague } = scene
    const id = await invite(scene)
    await sendAll()
    const other = await createPerson()
    const { name } = await world.database('users').where({ id: organizer.user_id }).first('name')
    await world.database('users').where({ id: other.user_id }).update({ name })
    await change(id, { organizer_user_id: other.user_id })
    await sendAll()
    const [, changed] = smtp.sentTo(colleague.email)
    expect(entryOf(changed).organizer).to.include(`:mailto:${other.email}`)
  })

  it('says that the meeting has moved into the past, but only to people who know of the meeting', async () => {
    const scene = await createScene()
    const id = await invite(scene)
    await sendAll()
    const added = await createPerson()
    await change(id, {
      from_time: hoursFromNow(-30),
      to_time: hoursFromNow(-29),
      attendees: { add: [{ type: 'user', id: added.user_id }] },
    })
    await sendAll()
    for (const address of [scene.organizer.email, scene.colleague.email, scene.guest]) {
      expect(methodsOf(address)).to.deep.equal(['REQUEST', 'REQUEST'])
      expect(smtp.sentTo(address)[1]?.headers).to.include('Subject: New time: ')
    }
    expect(smtp.sentTo(added.email)).to.deep.equal([])
  })

  it('follows the settings of a hidden colleague who was invited as a guest', async () => {
    const german = await createPerson({ visibility: 'nobody', language: 'de' })
    const muted = await createPerson({ visibility: 'nobody', muted_mails: ['meeting'] })
    const scene = await createScene()
    await invite(scene, {
      attendees: [german, muted].map(({ email }) => ({ type: 'visitor', email })),
    })
    await sendAll()
    expect(smtp.sentTo(german.email)[0]?.text).to.include('lädt Sie zu einem Termin ein.')
    expect(smtp.sentTo(muted.email)).to.deep.equal([])
  })

  it('names the lost room even to an organizer who muted mails about meetings or has got none yet', async () => {
    const [muted, fresh] = [await createScene({}, { muted_mails: ['meeting'] }), await createScene()]
    await invite(muted)
    await sendAll()
    await invite(fresh)
    await queued()
    for (const { room } of [muted, fresh]) await closeRoom(room)
    await sendAll()
    for (const { organizer } of [muted, fresh]) {
      const [mail, ...more] = smtp.sentTo(organizer.email)
      expect(more).to.deep.equal([])
      expect(mail?.headers).to.include('Subject: Meeting without a room: Harbour plans on ')
    }
    expect(smtp.sentTo(fresh.colleague.email)[0]?.text).to.include('No room')
  })

  it('does not report a lost room because somebody answers at that moment', async () => {
    const { organizer, colleague, room, times } = await createScene()
    const span = { from: times.from_time, to: times.to_time }
    const id = await createEvent(world.database, { organizer_user_id: organizer.user_id, ...span })
    const bookables = (rooms: number[]) =>
      JSON.stringify({ id, bookables: rooms.map((each) => ({ id: each })) })
    await world.database('changes').insert({
      type: 'event',
      action: 'answered',
      resource_id: id,
      previous: bookables([room]),
      data: bookables([]),
      actor_type: 'user',
      actor_id: colleague.user_id,
      actor_name: 'Ada',
      request_id: 'answer',
    })
    await queued()
    expect(await world.database('mails').where({ user_id: organizer.user_id })).to.deep.equal([])
  })

  it('about a lost room is not queued twice if the meeting changes while a process has taken it', async () => {
    const scene = await createScene()
    const { colleague, room } = scene
    await invite(scene)
    await sendAll()
    await closeRoom(room)
    await sendAll()
    const [waiting] = await waitingFor(colleague.user_id)
    expect(waiting.attempts).to.equal(0)
    const { invitation_id, next_at } = waiting
    await world.database.transaction(async (trx) => {
      await trx('mails')
        .where({ id: waiting.id })
        .update({ attempts: 1, taken_attempts: 1, next_at: trx.fn.now() })
      await trx('mails').insert({ kind: 'meeting', invitation_id, next_at })
    })
    await eventually(async () => {
      const left = await waitingFor(colleague.user_id)
      expect(left.map(({ id, attempts }) => [id === waiting.id, attempts])).to.deep.equal([[false, 0]])
    })
    expect(smtp.sentTo(colleague.email)).to.have.length(1)
  })

  it('reaches people as soon as they can get mails again', async () => {
    const [muted, left] = [await createScene(), await createScene()]
    const ids = [await invite(muted), await invite(left)]
    await sendAll()
    const { database } = world
    const settings = () => database('person_settings').where({ user_id: muted.colleague.user_id })
    const account = () => database('users').where({ id: left.colleague.user_id })
    await settings().update({ muted_mails: ['meeting'] })
    await account().update({ deactivated_at: new Date() })
    for (const id of ids) await change(id, { name: 'Reef plans' })
    await sendAll()
    const people = [muted.colleague, left.colleague]
    for (const { user_id, email } of people) {
      expect(smtp.sentTo(email)).to.have.length(1)
      const [mail, ...more] = await waitingFor(user_id)
      expect(more).to.deep.equal([])
      const hours = (Date.parse(mail.next_at) - Date.now()) / 3_600_000
      expect(hours, 'the mail is tried again after a day').to.be.within(23, 25)
    }
    await settings().update({ muted_mails: [] })
    await account().update({ deactivated_at: null })
    for (const { user_id, email } of people) {
      await waitingFor(user_id).update({ next_at: database.fn.now() })
      await eventually(() => expect(smtp.sentTo(email)).to.have.length(2))
      expect(smtp.sentTo(email)[1]?.headers).to.include('Subject: Changed: Reef plans')
    }
  })

  it('does not wait beyond the end of the meeting', async () => {
    const scene = await createScene({ muted_mails: ['meeting'] })
    await invite(scene, { from_time: hoursFromNow(2), to_time: hoursFromNow(3) })
    await sendAll()
    expect(await waitingFor(scene.colleague.user_id)).to.deep.equal([])
    expect(smtp.sentTo(scene.guest)).to.have.length(1)
  })

  it('is tried once a day until the meeting is over, even if the mail server keeps refusing it', async () => {
    const scene = await createScene()
    await invite(scene)
    await queued()
    smtp.refuse = (address) => (address === scene.colleague.email ? 451 : undefined)
    const mail = () => waitingFor(scene.colleague.user_id).first()
    await waitingFor(scene.colleague.user_id).update({ tries: 20, next_at: world.database.fn.now() })
    await eventually(async () => expect((await mail())?.tries).to.equal(21))
    expect((Date.parse((await mail()).next_at) - Date.now()) / 3_600_000).to.be.within(23, 25)
    smtp.refuse = undefined
    await waitingFor(scene.colleague.user_id).update({ next_at: world.database.fn.now() })
    await eventually(() => expect(smtp.sentTo(scene.colleague.email)).to.have.length(1))
  })

  it('is sent about a change that is days old, unlike mails about bookings', async () => {
    const scene = await createScene()
    const id = await invite(scene)
    await sendAll()
    const { database } = world
    await withoutQueueing(async () => {
      await change(id, { name: 'Reef plans' })
      const days = (number: number) => database.raw("now() - ? * interval '1 day'", [number])
      await database('mail_position').update({ at: days(3) })
      await database('changes')
        .where({ resource_id: id, action: 'updated' })
        .update({ at: days(2) })
    })
    await sendAll()
    expect(smtp.sentTo(scene.colleague.email)).to.have.length(2)
  })

  it('goes to an address once if a guest becomes a user, even while both are invited', async () => {
    const scene = await createScene()
    const { guest } = scene
    const id = await invite(scene)
    await sendAll()
    const user_id = await createUser(world.database, { name: 'Grace Hopper', email: guest })
    const asUser = { type: 'user', id: user_id }
    const asGuest = { type: 'visitor', email: guest, name: 'Grace Hopper' }
    await world.database('event_attendees').insert({ event_id: id, user_id, role: 1, status: 0 })
    await change(id, { name: 'Reef plans' })
    await sendAll()
    expect(methodsOf(guest), 'while both attend').to.deep.equal(['REQUEST', 'REQUEST'])
    for (const [attendees, methods] of [
      [[asUser], []],
      [[], ['CANCEL']],
      [[asGuest], ['REQUEST']],
      [[asUser], []],
      [[asGuest], []],
    ] as const) {
      const before = smtp.sentTo(guest).length
      await change(id, { attendees })
      await sendAll()
      expect(methodsOf(guest).slice(before), JSON.stringify(attendees)).to.deep.equal(methods)
    }
    const entries = smtp.sentTo(guest).map(entryOf)
    expect(new Set(entries.map(({ uid }) => uid)).size).to.equal(1)
    const sequences = entries.map(({ sequence }) => sequence)
    expect(sequences, 'each is newer').to.deep.equal([...new Set(sequences)].sort((a, b) => a - b))
    expect(await world.database('invitations').where({ event_id: id, user_id })).to.deep.equal([])
  })

  it('is not queued for people who were removed before they got an invitation', async () => {
    const scene = await createScene()
    const id = await invite(scene)
    await queued()
    await change(id, { attendees: { remove: [scene.colleague.user_id] } })
    await sendAll()
    await change(id, { name: 'Reef plans' })
    await queued()
    expect(await waitingFor(scene.colleague.user_id)).to.deep.equal([])
    expect(smtp.sentTo(scene.colleague.email)).to.deep.equal([])
  })

  it('withdraws an invitation that was being sent when its reader was removed', async () => {
    const scene = await createScene()
    const id = await invite(scene)
    await queued()
    let isHeld = true
    smtp.beforeRecipient = () => eventually(() => expect(isHeld).to.equal(false))
    const asked = smtp.asked
    await waitingFor(scene.colleague.user_id).update({ next_at: world.database.fn.now() })
    await eventually(() => expect(smtp.asked).to.equal(asked + 1))
    await change(id, { attendees: { remove: [scene.colleague.user_id] } })
    await queued()
    isHeld = false
    smtp.beforeRecipient = undefined
    await sendAll()
    await eventually(() => expect(methodsOf(scene.colleague.email)).to.deep.equal(['REQUEST', 'CANCEL']))
  })

  it('is queued in batches if meetings have many attendees', async () => {
    const { database } = world
    const scenes = [await createScene(), await createScene(), await createScene()]
    const ids: number[] = []
    for (const scene of scenes) ids.push(await invite(scene))
    await sendAll()
    const GUESTS = 2_400
    await withoutQueueing(async () => {
      for (const id of ids) {
        await change(id, { name: 'Reef plans' })
        await database.raw(
          `INSERT INTO event_attendees (event_id, email, role, status)
           SELECT ?, 'crowd-' || n || '@visitor.example', 1, 0 FROM generate_series(1, ?) AS n`,
          [id, GUESTS],
        )
      }
    })
    await queued()
    const { rows } = await database.raw(
      `SELECT count(*)::int AS number FROM mails JOIN invitations ON invitations.id = invitation_id
       WHERE invitations.event_id = ANY (?) AND next_at IS NOT NULL GROUP BY mails.xmin::text`,
      [ids],
    )
    await database('mails').whereNotNull('next_at').delete()
    const pieces = rows.map(({ number }: { number: number }) => number)
    expect(pieces.reduce((sum: number, each: number) => sum + each, 0)).to.equal(3 * (GUESTS + 3))
    expect(Math.max(...pieces)).to.be.at.most(5_000)
  })
})
