// Tests mails about series of meetings with invitations: each person gets one mail about each write, for any number of
// dates.
import { expect } from 'chai'
import { showWithIcalJs } from '../../../gateway/api/rest/calendars/shown-calendars.ts'
import { useAdmin } from '../../../support/dashboard/admin.ts'
import { Browser } from '../../../support/dashboard/dashboard.ts'
import type { ReceivedMail } from './smtp-server.ts'
import { useMeetings } from './use-meetings.ts'

describe('invitations to a series of meetings', () => {
  const { smtp, world, client, queued, sendAll, createScene } = useMeetings()
  const admin = useAdmin(world)
  const DATES = 4

  async function inviteToSeries(changes: object = {}) {
    const scene = await createScene()
    const body = {
      name: 'Harbour plans',
      organizer_user_id: scene.organizer.user_id,
      attendees: [
        { type: 'user', id: scene.colleague.user_id },
        { type: 'visitor', email: scene.guest, name: 'Grace Hopper' },
        { type: 'bookable', id: scene.room },
      ],
      ...scene.times,
      ...changes,
      repeat: { every: 'day', count: DATES },
    }
    const made = await client.post('events/series?invite=true', body)
    expect(made.status, made.text).to.equal(200)
    const ids: number[] = made.json.data.created.map(({ id }: { id: number }) => id)
    return { ...scene, ids, addresses: [scene.organizer.email, scene.colleague.email, scene.guest] }
  }
  const partOf = (mail: ReceivedMail | undefined) => mail?.calendar?.replace(/\r\n /g, '') ?? ''
  const showSeries = (mails: Array<ReceivedMail | undefined>) => showWithIcalJs(mails.map(partOf))

  it('are one mail for each person, which names all dates and has one entry with a rule', async () => {
    const { addresses } = await inviteToSeries()
    await queued()
    expect(await world.database('mails').where({ kind: 'meeting' }).whereNull('sent_at')).to.have.length(3)
    await sendAll()
    for (const address of addresses) {
      const [mail, ...more] = smtp.sentTo(address)
      expect(more).to.deep.equal([])
      expect(mail?.headers.replace(/\r\n /g, ' ')).to.match(/Harbour plans on .+ and 3 more dates/)
      expect(mail?.text).to.match(/Also on these dates: (\w+day \d+ \w+[^,]*, ?){2}/)
      expect(mail?.calendars).to.have.length(1)
      expect(showSeries([mail])).to.have.length(DATES)
      expect(partOf(mail))
        .to.match(/^UID:series-\d+@/m)
        .and.include('METHOD:REQUEST')
        .and.include('RRULE:FREQ=DAILY')
    }
  })

  it('are followed by one mail about each change, of several dates or of a single date', async () => {
    const { addresses, ids } = await inviteToSeries()
    await sendAll()
    const patched = async (path: string, body: object) =>
      expect((await client.patch(`events/${path}`, body)).status).to.equal(200)
    await patched(`${ids[1]}?scope=following`, { name: 'Reef plans' })
    await sendAll()
    const { json } = await client.get(`events/${ids[3]}`)
    const to_time = new Date(Date.parse(json.data.to) + 3_600_000).toISOString()
    const from_time = new Date(Date.parse(json.data.from) + 3_600_000).toISOString()
    await patched(`${ids[3]}`, { name: 'Last plans', from_time, to_time })
    await sendAll()
    expect((await client.delete(`events/${ids[2]}`)).status).to.equal(204)
    await sendAll()
    for (const address of addresses) {
      const [invited, changed, one, cancelled, ...more] = smtp.sentTo(address)
      expect(more).to.deep.equal([])
      expect(changed?.text).to.include('Previous title: Harbour plans')
      const names = (mails: Array<ReceivedMail | undefined>) => showSeries(mails).map(({ name }) => name)
      expect(names([invited, changed])).to.deep.equal([
        'Harbour plans',
        ...Array(DATES - 1).fill('Reef plans'),
      ])
      expect(one?.headers).to.include('Subject: New time: Last plans on ').and.not.include('more date')
      expect(partOf(one))
        .to.include('METHOD:REQUEST')
        .and.match(/^RECURRENCE-ID/m)
        .and.not.match(/^RRULE/m)
      expect(cancelled?.headers).to.include('Subject: Cancelled: Reef plans on ')
      expect(partOf(cancelled))
        .to.include('METHOD:CANCEL')
        .and.match(/^RECURRENCE-ID/m)
      expect(names([invited, changed, one, cancelled])).to.deep.equal([
        'Harbour plans',
        'Reef plans',
        'Last plans',
      ])
      const sequences = [invited, changed, one, cancelled].map((mail) =>
        Number(/^SEQUENCE:(.*)$/m.exec(partOf(mail))?.[1]),
      )
      expect(sequences).to.deep.equal([...new Set(sequences)].sort((first, second) => first - second))
    }
  })

  it('are cancelled by one entry without dates, or replaced by the remaining dates', async () => {
    const { addresses, ids } = await inviteToSeries()
    await sendAll()
    expect((await client.delete(`events/${ids[2]}?scope=following`)).status).to.equal(204)
    await sendAll()
    expect((await client.delete(`events/${ids[0]}?scope=all`)).status).to.equal(204)
    await sendAll()
    for (const address of addresses) {
      const [invited, some, all, ...more] = smtp.sentTo(address)
      expect(more).to.deep.equal([])
      expect(some?.headers).to.include('Subject: Cancelled: Harbour plans on ')
      expect(partOf(some)).to.include('METHOD:REQUEST')
      expect(showSeries([invited, some])).to.have.length(2)
      expect(all?.text).to.include('Also on these dates: ')
      expect(partOf(all))
        .to.include('METHOD:CANCEL')
        .and.not.match(/^(RECURRENCE-ID|RRULE|EXDATE)/m)
      expect(showSeries([invited, some, all])).to.deep.equal([])
    }
    const told = await world.database('invitations').whereIn('event_id', ids)
    expect(told.map((each) => each.told)).to.deep.equal(told.map(() => null))
  })

  it('reveal nothing new to somebody who is removed from one date, and keep the remaining dates', async () => {
    const { colleague, ids } = await inviteToSeries()
    await sendAll()
    const changes = { name: 'Secret plans', description: 'Secret map', attendees: [] }
    expect((await client.patch(`events/${ids[1]}`, changes)).status).to.equal(200)
    await sendAll()
    const [invited, removed, ...more] = smtp.sentTo(colleague.email)
    expect(more).to.deep.equal([])
    expect(removed?.text + partOf(removed))
      .to.include('Harbour plans')
      .and.not.match(/secret/i)
    const shown = showSeries([invited, removed])
    expect(shown.map(({ name }) => name)).to.deep.equal(Array(DATES - 1).fill('Harbour plans'))
  })

  it('do not mention a change that was undone before the mail was due', async () => {
    const { addresses, ids } = await inviteToSeries()
    await sendAll()
    await client.patch(`events/${ids[0]}?scope=all`, { name: 'Reef plans' })
    await client.patch(`events/${ids[0]}?scope=all`, { name: 'Harbour plans' })
    await sendAll()
    for (const address of addresses) expect(smtp.sentTo(address)).to.have.length(1)
  })

  const loseRoom = async (room: number) => {
    const closed = await admin.ask('bookables.set-status', { ids: [room], status: 1, in_the_way: 'release' })
    expect(closed.status).to.equal(200)
  }
  /** When the mail that waits for the organizer to choose another room is due, for each person except the organizer. */
  const listWaiting = async (ids: number[]) => {
    const mails = await world
      .database('mails')
      .join('invitations', 'invitations.id', 'invitation_id')
      .whereIn('invitations.event_id', ids)
      .whereNotNull('next_at')
    return mails.map(({ next_at }) => new Date(next_at).toISOString())
  }
  const hourBefore = async (id: number | undefined) => {
    const { json } = await client.get(`events/${id}`)
    return new Date(Date.parse(json.data.from) - 3_600_000).toISOString()
  }

  it('are followed by a mail about the lost room of each date, an hour before its start', async () => {
    const [from_time, to_time] = [0.75, 1.75].map((hours) =>
      new Date(Date.now() + hours * 3_600_000).toISOString(),
    )
    const times = { from_time, to_time }
    const { colleague, guest, ids, room } = await inviteToSeries(times)
    await sendAll()
    await loseRoom(room)
    await sendAll()
    for (const address of [colleague.email, guest]) {
      const [, lost, ...more] = smtp.sentTo(address)
      expect(more).to.deep.equal([])
      expect(lost?.text).to.include('No room').and.not.include('Also on these dates')
    }
    expect(await listWaiting(ids)).to.deep.equal(Array(2).fill(await hourBefore(ids[1])))
  })

  it('still report a lost room in time after a mail about another date, even if the server first refuses it', async () => {
    const { colleague, guest, ids, room } = await inviteToSeries()
    await sendAll()
    await loseRoom(room)
    await sendAll()
    expect((await client.patch(`events/${ids[1]}`, { name: 'Reef plans' })).status).to.equal(200)
    smtp.refusing = 451
    await sendAll()
    smtp.refusing = undefined
    await sendAll()
    for (const address of [colleague.email, guest])
      expect(smtp.sentTo(address).map(({ headers }) => /^Subject: .*$/m.exec(headers)?.[0])).to.have.length(2)
    expect(await listWaiting(ids)).to.deep.equal(Array(2).fill(await hourBefore(ids[0])))
  })

  it('have links that answer for all dates', async () => {
    const { guest, ids } = await inviteToSeries()
    await sendAll()
    const [mail] = smtp.sentTo(guest)
    const [link] = mail?.text.match(/\/my\/answer\?\S+answer=yes/) ?? []
    const browser = new Browser(world.url)
    await browser.open(link ?? '')
    await browser.submit('Yes, I will come')
    const attendees = await world.database('event_attendees').whereIn('event_id', ids).where({ email: guest })
    expect(attendees.map(({ status }) => status)).to.deep.equal(ids.map(() => 1))
  })
})
