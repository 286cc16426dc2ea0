// Tests mails about meetings with invitations: each attendee gets one mail about the meeting, one about each
// change, and one about the cancellation.
import { expect } from 'chai'
import { BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import { useAdmin } from '../../../support/dashboard/admin.ts'
import { createBookable } from '../../../support/factories.ts'
import { eventually } from '../../../support/time.ts'
import { entryOf, useMeetings } from './use-meetings.ts'

describe('invitations to a meeting', () => {
  const { smtp, world, client, queued, sendAll: send, createScene, invite, change, nextTimes } = useMeetings()
  const admin = useAdmin(world)

  it('are sent to a colleague, a guest and the organizer, each in one mail with a calendar entry', async () => {
    const scene = await createScene()
    const id = await invite(scene)
    await send()
    const [toColleague, ...more] = smtp.sentTo(scene.colleague.email)
    expect(more).to.deep.equal([])
    expect(toColleague?.headers).to.match(/^Subject: Invitation: Harbour plans on \w+day \d+ \w+/m)
    expect(toColleague?.headers).to.include(`Reply-To: ${scene.organizer.email}`)
    expect(toColleague?.text)
      .to.include('invites you to a meeting.')
      .and.include('(Asia/Kolkata)')
      .and.include('Lagoon, Third floor, Harbour')
      .and.include('Grace Hopper')
      .and.match(
        /Yes, I will come: http:\/\/desks\.example\.com\/my\/answer\?token=[\w-]{43}&answer=yes\r?\n/,
      )
      .and.include(`http://desks.example.com/my/meetings/${id}`)
    const entry = entryOf(toColleague)
    expect(entry).to.deep.include({ method: 'REQUEST', status: 'CONFIRMED' })
    expect(entry.organizer).to.match(new RegExp(`^ORGANIZER;CN=".+":mailto:${scene.organizer.email}$`))
    expect(entry.attendees).to.have.length(3)
    expect(entry.attendees.join('\n'))
      .to.match(new RegExp(`PARTSTAT=NEEDS-ACTION;RSVP=TRUE:mailto:${scene.colleague.email}`))
      .and.match(new RegExp(`PARTSTAT=ACCEPTED;RSVP=FALSE:mailto:${scene.organizer.email}`))
      .and.include(
        `;CN="Grace Hopper";ROLE=REQ-PARTICIPANT;PARTSTAT=NEEDS-ACTION;RSVP=FALSE:mailto:${scene.guest}`,
      )
    const [toGuest] = smtp.sentTo(scene.guest)
    expect(toGuest?.text).to.include('Your host: ').and.not.include('/my/me').and.not.include('/my/meetings')
    expect(entryOf(toGuest).attendees).to.have.length(2)
    const [toOrganizer] = smtp.sentTo(scene.organizer.email)
    expect(toOrganizer?.text).to.include('Your meeting is booked.').and.not.include('/my/answer')
    expect(new Set([toColleague, toGuest, toOrganizer].map((mail) => entryOf(mail).uid)).size).to.equal(1)
  })

  it('have a calendar entry in the language of the reader', async () => {
    const scene = await createScene({ language: 'de' })
    await invite(scene)
    await send()
    const describe = (address: string) =>
      /^DESCRIPTION:(\w+): /m.exec(smtp.sentTo(address)[0]?.calendar?.replace(/\r\n /g, '') ?? '')?.[1]
    expect(describe(scene.colleague.email)).to.equal('Organisation')
    expect(describe(scene.guest)).to.equal('Organizer')
  })

  it('are followed by a mail about each change of the meeting, and by a mail about its cancellation', async () => {
    const scene = await createScene()
    const id = await invite(scene)
    await send()
    await change(id, nextTimes())
    await send()
    await change(id, { name: 'Reef plans' })
    await send()
    expect((await client.delete(`events/${id}`)).status).to.equal(204)
    await send()
    for (const address of [scene.colleague.email, scene.guest, scene.organizer.email]) {
      const mails = smtp.sentTo(address)
      const entries = mails.map(entryOf)
      expect(entries.map(({ method }) => method)).to.deep.equal(['REQUEST', 'REQUEST', 'REQUEST', 'CANCEL'])
      const sequences = entries.map(({ sequence }) => sequence)
      expect(sequences, 'each is newer').to.deep.equal([...new Set(sequences)].sort((a, b) => a - b))
      expect(mails[1]?.headers).to.include('Subject: New time: Harbour plans on ')
      expect(mails[2]?.headers).to.include('Subject: Changed: Reef plans on ')
      expect(mails[2]?.text).to.include('Previous title: Harbour plans')
      expect(mails[3]?.headers).to.include('Subject: Cancelled: Reef plans on ')
    }
  })

  it('are not sent for a meeting that is cancelled, or to a person who is removed, before the mail is due', async () => {
    const [cancelled, changed] = [await createScene(), await createScene()]
    const ids = [await invite(cancelled), await invite(changed)]
    await client.delete(`events/${ids[0]}`)
    await change(ids[1] ?? 0, { attendees: { remove: [changed.colleague.user_id] } })
    await send()
    for (const { email } of [cancelled.colleague, cancelled.organizer, changed.colleague])
      expect(smtp.sentTo(email)).to.deep.equal([])
    expect(smtp.sentTo(changed.guest)).to.have.length(1)
  })

  it('are withdrawn from a person who is removed, and sent again with a newer entry if the person is added again', async () => {
    const scene = await createScene()
    const id = await invite(scene)
    await send()
    await change(id, { attendees: { remove: [scene.colleague.user_id] } })
    await send()
    await change(id, { attendees: { add: [{ type: 'user', id: scene.colleague.user_id }] } })
    await send()
    const mails = smtp.sentTo(scene.colleague.email)
    expect(mails[1]?.text)
      .to.include('You are no longer invited to this meeting.')
      .and.not.include('Invited: ')
    const entries = mails.map(entryOf)
    expect(entries.map(({ method }) => method)).to.deep.equal(['REQUEST', 'CANCEL', 'REQUEST'])
    expect(entries[2]?.sequence).to.be.greaterThan(entries[1]?.sequence ?? Infinity)
    expect(smtp.sentTo(scene.guest), 'the other attendees get no mail about it').to.have.length(1)
  })

  it('are not sent without invite=true, to people who mute them, or again if nothing in them has changed', async () => {
    const [silent, muted] = [await createScene(), await createScene({ muted_mails: ['meeting'] })]
    const made = await client.post('events', {
      name: 'Silent',
      organizer_user_id: silent.organizer.user_id,
      attendees: [{ type: 'user', id: silent.colleague.user_id }],
      ...silent.times,
    })
    const id = await invite(muted)
    await send()
    await change(id, { classification: 1 })
    await send()
    expect(smtp.sentTo(silent.colleague.email)).to.deep.equal([])
    expect(smtp.sentTo(muted.colleague.email)).to.deep.equal([])
    expect(smtp.sentTo(muted.guest)).to.have.length(1)
    const { status } = await client.patch(`events/${made.json.data.id}?invite=true`, { name: 'Loud' })
    expect(status).to.equal(200)
    await send()
    expect(smtp.sentTo(silent.colleague.email)).to.have.length(1)
  })

  it('are not sent to people whom the provider of the room’s calendar invites, as long as it does', async () => {
    const scene = await createScene()
    const id = await invite(scene)
    const people = [scene.organizer.email, scene.guest].map((address) => address.toLowerCase())
    await world.database('organizer_entries').insert({
      key: 'a key',
      event_id: id,
      provider: 'microsoft',
      mailbox: people[0],
      people,
      ends_at: '2100-01-01T00:00:00Z',
    })
    const countSent = () =>
      [scene.colleague.email, scene.guest, scene.organizer.email].map((each) => smtp.sentTo(each).length)
    await send()
    expect(countSent(), 'until the provider has answered').to.deep.equal([1, 0, 0])
    await world.database('organizer_entries').update({ uid: 'a uid' })
    await world
      .database('mails')
      .whereNotNull('next_at')
      .update({ next_at: new Date(0) })
    await send()
    await change(id, { name: 'Reef plans' })
    await send()
    expect(countSent(), 'while the provider invites them').to.deep.equal([2, 0, 0])
    await world.database('organizer_entries').update({ people: [] })
    await change(id, nextTimes())
    await send()
    expect(countSent(), 'once it no longer does').to.deep.equal([3, 1, 1])
    expect(smtp.sentTo(scene.guest)[0]?.headers).to.include('Subject: Invitation: Reef plans on ')
    await world.database('organizer_entries').delete()
  })

  it('are sent to people whom the provider of the room’s calendar was to invite, if it does not answer within minutes', async () => {
    const scene = await createScene()
    const id = await invite(scene)
    await world.database('organizer_entries').insert({
      key: 'a key',
      event_id: id,
      provider: 'microsoft',
      mailbox: scene.organizer.email.toLowerCase(),
      people: [scene.guest.toLowerCase()],
      ends_at: '2100-01-01T00:00:00Z',
    })
    await send()
    expect(smtp.sentTo(scene.guest)).to.have.length(0)
    await world
      .database('organizer_entries')
      .update({ asked_at: world.database.raw("now() - interval '11 minutes'") })
    await world
      .database('mails')
      .whereNotNull('next_at')
      .update({ next_at: new Date(0) })
    await send()
    expect(smtp.sentTo(scene.guest)).to.have.length(1)
    await world.database('organizer_entries').delete()
  })

  it('are followed immediately by a mail about a lost room to the organizer, and later by a mail about the new room to all others', async () => {
    const scene = await createScene()
    const { organizer, colleague, guest, location_id, room } = scene
    const id = await invite(scene)
    await send()
    const atoll = await createBookable(world.database, {
      location_id,
      type: BOOKABLE_TYPES.meetingRoom,
      name: 'Atoll',
    })
    const closed = await admin.ask('bookables.set-status', { ids: [room], status: 1, in_the_way: 'release' })
    expect(closed.status).to.equal(200)
    await send()
    const [, lost, ...more] = smtp.sentTo(organizer.email)
    expect(more).to.deep.equal([])
    expect(lost?.headers).to.include('Subject: Meeting without a room: Harbour plans on ')
    expect(lost?.text).to.include('Reason: the place is blocked.').and.include(`/my/meetings/${id}`)
    expect(entryOf(lost).method).to.equal('REQUEST')
    expect(smtp.sentTo(colleague.email)).to.have.length(1)
    const invitations = world.database('invitations').where({ event_id: id }).select('id')
    const waiting = await world
      .database('mails')
      .whereNotNull('next_at')
      .whereIn('invitation_id', invitations)
    expect(waiting.map(({ attempts }) => attempts)).to.deep.equal([0, 0])
    await change(id, { attendees: { add: [{ type: 'bookable', id: atoll }] } })
    await send()
    for (const address of [colleague.email, guest]) {
      expect(smtp.sentTo(address)).to.have.length(2)
      expect(smtp.sentTo(address)[1]?.text)
        .to.include('Atoll, Third floor')
        .and.include('Previous room: Lagoon')
    }
  })

  it('arrive once if the mail server refuses them at first, and describe the meeting at the time of delivery', async () => {
    const scene = await createScene()
    smtp.refusing = 451
    const id = await invite(scene)
    await queued()
    await world.database('mails').whereNotNull('next_at').update({ next_at: world.database.fn.now() })
    await eventually(async () =>
      expect(
        (await world.database('mails').where({ kind: 'meeting' }).whereNotNull('error')).length,
      ).to.be.at.least(3),
    )
    smtp.refusing = undefined
    await change(id, { name: 'Reef plans' })
    await queued()
    await world.database('mails').whereNotNull('next_at').update({ next_at: world.database.fn.now() })
    await send()
    await eventually(() => expect(smtp.sentTo(scene.guest)).to.have.length(1))
    expect(smtp.sentTo(scene.guest)[0]?.headers).to.include('Subject: Invitation: Reef plans on ')
  })
})
