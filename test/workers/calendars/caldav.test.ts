// What is CalDAV's own: the objects that other programs write, series that Berth changes, and what a server may answer.
import { expect } from 'chai'
import type { EntryContent } from '../../../shared/room-calendars/providers/provider.ts'
import { describeWithRadicale, type Radicale } from '../../support/calendars/caldav-servers.ts'
import { findFault, followChanges, readAll } from './follow-changes.ts'
import { createIcs, openCalDav } from './provider-worlds.ts'

const PERIOD = { from: '2026-10-01T00:00:00Z', to: '2027-01-01T00:00:00Z' }
const CONTENT: EntryContent = {
  title: 'Moved',
  text: '',
  from: '2026-11-10T15:00:00.000Z',
  to: '2026-11-10T16:00:00.000Z',
  isPrivate: false,
  attendees: [],
}

/** Makes a meeting weekly, three times, as another calendar program does. */
async function repeatWeekly(server: Radicale, href: string) {
  const text = await server.request('GET', href)
  await server.put(href, text.replace('END:VEVENT', 'RRULE:FREQ=WEEKLY;COUNT=3\r\nEND:VEVENT'))
}

async function fetchEtag(server: Radicale, href: string): Promise<string | undefined> {
  const properties = '<d:propfind xmlns:d="DAV:"><d:prop><d:getetag/></d:prop></d:propfind>'
  const text = await server.request('PROPFIND', href, properties, { Depth: '0' })
  return /getetag>([^<]+)</.exec(text)?.[1]?.replaceAll('&quot;', '"')
}

describeWithRadicale('the adapter for CalDAV', () =>
  describe('the adapter for CalDAV', function suite() {
    this.timeout(120_000)
    let world: Awaited<ReturnType<typeof openCalDav>>
    beforeEach(async () => {
      world = await openCalDav()
    })
    afterEach(() => world.close())

    it('has neither declined invitations nor notifications', async () => {
      const { provider, calendar } = world
      const id = await world.addMeeting({ title: 'Standup', from: CONTENT.from, to: CONTENT.to })
      expect(await provider.declineEntry(calendar, id, 'No.')).to.equal('impossible')
      expect(await provider.watch(calendar, 'https://desk.test', 's')).to.equal('impossible')
    })

    it('moves one occurrence of a series, and keeps the others and what it does not know', async () => {
      const { provider, calendar, server } = world
      const series = await world.addSeries('Weekly', '2026-11-02T09:00', 3)
      const store = await readAll(provider, calendar, PERIOD)
      const [first, second, third] = store.list()
      const changed = await provider.changeEntry(calendar, second?.id ?? '', second?.version ?? '', CONTENT)
      expect(changed).to.include({ id: second?.id, seriesId: series, title: 'Moved', uid: second?.uid })
      await followChanges(provider, calendar, store, PERIOD)
      expect(store.list().map(({ id, title }) => [id, title])).to.deep.equal([
        [first?.id, 'Weekly'],
        [second?.id, 'Moved'],
        [third?.id, 'Weekly'],
      ])
      expect(Date.parse(changed.from)).to.equal(Date.parse(CONTENT.from))
      expect(await server.request('GET', series)).to.include('RRULE:FREQ=WEEKLY;COUNT=3')
      const again = { ...CONTENT, title: 'Moved again' }
      await provider.changeEntry(calendar, changed.id, changed.version, again)
      await followChanges(provider, calendar, store, PERIOD)
      expect(store.list().map(({ title }) => title)).to.deep.equal(['Weekly', 'Moved again', 'Weekly'])
    })

    it('cancels one occurrence of a series, moved or not', async () => {
      const { provider, calendar } = world
      const series = await world.addSeries('Weekly', '2026-11-02T09:00', 3)
      await world.moveOccurrence(series, 1, CONTENT.from, CONTENT.to)
      const store = await readAll(provider, calendar, PERIOD)
      const [first, second, third] = store.list()
      for (const each of [first, second, second]) await provider.cancelEntry(calendar, each?.id ?? '')
      await followChanges(provider, calendar, store, PERIOD)
      expect(store.list().map(({ id }) => id)).to.deep.equal([third?.id])
      for (const id of [first?.id ?? '', `${series}#unknown`, `${series}#20261103T080000Z`])
        expect(await provider.getEntry(calendar, id)).to.equal(undefined)
      const late = provider.changeEntry(
        calendar,
        first?.id ?? '',
        store.require(third?.id ?? '').version,
        CONTENT,
      )
      expect(await findFault(late)).to.include({ kind: 'not_found' })
    })

    it('keeps the id of an entry that becomes a series, and changes and cancels only its first date', async () => {
      const { provider, calendar, server } = world
      const created = await provider.createEntry(calendar, 'event-7', CONTENT)
      const { id } = created
      const meeting = await world.addMeeting({ title: 'Outside', from: CONTENT.from, to: CONTENT.to })
      for (const each of [id, meeting]) await repeatWeekly(server, each)
      const store = await readAll(provider, calendar, PERIOD)
      const listKeys = () =>
        store.list().map((entry) => [entry.from.slice(5, 10), entry.id.split('#')[0], entry.key])
      expect(listKeys().sort()).to.deep.equal([
        ['11-10', id, 'event-7'],
        ['11-10', meeting, null],
        ['11-17', id, null],
        ['11-17', meeting, null],
        ['11-24', id, null],
        ['11-24', meeting, null],
      ])
      expect(store.require(id)).to.deep.include({
        ...created,
        seriesId: id,
        version: store.require(id).version,
      })
      expect(await provider.getEntry(calendar, id)).to.deep.equal(store.require(id))
      expect(await provider.createEntry(calendar, 'event-7', CONTENT)).to.deep.equal(store.require(id))
      const later = { ...CONTENT, from: '2026-11-12T15:00:00.000Z', to: '2026-11-12T16:00:00.000Z' }
      const changed = await provider.changeEntry(calendar, id, store.require(id).version, later)
      expect(changed).to.include({ id, key: 'event-7', from: '2026-11-12T15:00:00.000000Z' })
      await provider.cancelEntry(calendar, meeting)
      await followChanges(provider, calendar, store, PERIOD)
      expect(listKeys().sort()).to.deep.equal([
        ['11-12', id, 'event-7'],
        ['11-17', id, null],
        ['11-17', meeting, null],
        ['11-24', id, null],
        ['11-24', meeting, null],
      ])
      await provider.cancelEntry(calendar, id)
      await provider.cancelEntry(calendar, id)
      expect(await provider.getEntry(calendar, id)).to.equal(undefined)
      expect((await readAll(provider, calendar, PERIOD)).list()).to.have.length(4)
      // Another entry needs another key, because the object of this one has the other dates.
      expect(await findFault(provider.createEntry(calendar, 'event-7', CONTENT))).to.include({
        kind: 'exists',
      })
    })

    it('keeps what other programs wrote into an entry', async () => {
      const { provider, calendar, server } = world
      const href = `${calendar.id}foreign.ics`
      await server.put(
        href,
        createIcs([
          'UID:foreign',
          'DTSTART;VALUE=DATE:20261110',
          'SUMMARY:Whole day',
          'SEQUENCE:4',
          'X-ROOM-SETUP:U-shape',
          'CATEGORIES:Blue,Green',
        ]),
      )
      const entry = await provider.getEntry(calendar, href)
      expect(entry?.allDay).to.deep.equal({ from: '2026-11-10', to: '2026-11-11', zone: calendar.zone })
      await provider.changeEntry(calendar, href, entry?.version ?? '', CONTENT)
      const text = await server.request('GET', href)
      for (const line of [
        'X-ROOM-SETUP:U-shape',
        'CATEGORIES:Blue,Green',
        'SEQUENCE:5',
        'DTSTART:20261110T150000Z',
      ])
        expect(text).to.include(line)
      expect(text).not.to.include('VALUE=DATE')
    })

    it('reads the other entries beside one that it cannot read', async () => {
      const { provider, calendar, server } = world
      await world.addMeeting({ title: 'Standup', from: CONTENT.from, to: CONTENT.to })
      const href = `${calendar.id}hourly.ics`
      await server.put(
        href,
        createIcs(['UID:h', 'DTSTART:20261110T090000Z', 'RRULE:FREQ=HOURLY;COUNT=3', 'SUMMARY:Hourly']),
      )
      const page = await provider.listChanges(calendar, null, PERIOD)
      if ('isExpired' in page) return expect.fail()
      expect(page.changed.map(({ title }) => title)).to.deep.equal(['Standup'])
      expect(page.unreadable).to.deep.equal([
        { id: href, reason: 'Berth does not understand series that repeat HOURLY.' },
      ])
      expect(page.removed).to.include(href)
    })

    it('asks again for an entry that a server leaves out, and removes it only if it is gone', async () => {
      const { provider, calendar, proxy } = world
      const id = await world.addMeeting({ title: 'Standup', from: CONTENT.from, to: CONTENT.to })
      const status = (code: number) => `<d:status>HTTP/1.1 ${code} Any</d:status>`
      const member = (inner: string) => `<d:response><d:href>${id}</d:href>${inner}</d:response>`
      const answers = {
        forbidden: member(status(403)),
        failed: member(status(500)),
        withoutData: member(
          `<d:propstat><d:prop><d:getetag>"1"</d:getetag></d:prop>${status(200)}</d:propstat>
           <d:propstat><d:prop><c:calendar-data/></d:prop>${status(500)}</d:propstat>`,
        ),
        cutOff: '',
      }
      const leaveOut = (inner: string) =>
        proxy.faults.push({
          matches: ({ body }) => body.includes('calendar-multiget'),
          answer: {
            status: 207,
            body: `<d:multistatus xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav">${inner}</d:multistatus>`,
          },
        })
      const answerGet = (code: number) =>
        proxy.faults.push({ matches: ({ method }) => method === 'GET', answer: { status: code } })
      const readPage = () => provider.listChanges(calendar, null, PERIOD)
      for (const [name, inner] of Object.entries(answers)) {
        leaveOut(inner)
        const page = await readPage()
        expect('changed' in page && page.changed.map((entry) => entry.id), name).to.deep.equal([id])
      }
      leaveOut(answers.failed)
      answerGet(503)
      expect(await findFault(readPage())).to.include({ kind: 'unavailable' })
      leaveOut(answers.forbidden)
      answerGet(403)
      expect(await readPage()).to.deep.include({
        changed: [],
        unreadable: [{ id, reason: 'The server does not return the entry: 403.' }],
      })
      leaveOut(answers.cutOff)
      answerGet(404)
      expect(await readPage()).to.deep.include({ changed: [], removed: [id], unreadable: [] })
      leaveOut(member(status(404)))
      expect(await readPage()).to.deep.include({ changed: [], removed: [id], unreadable: [] })
    })

    it('refuses to change or cancel an entry that it cannot read', async () => {
      const { provider, calendar, server } = world
      const { id } = await provider.createEntry(calendar, 'event-7', CONTENT)
      const text = await server.request('GET', id)
      await server.put(id, text.replace('END:VEVENT', 'RRULE:FREQ=HOURLY;COUNT=3\r\nEND:VEVENT'))
      const etag = (await fetchEtag(server, id)) ?? ''
      const reason = { kind: 'rejected', message: 'Berth does not understand series that repeat HOURLY.' }
      expect(await findFault(provider.changeEntry(calendar, id, etag, CONTENT))).to.include(reason)
      expect(await findFault(provider.cancelEntry(calendar, id))).to.include(reason)
      expect(await findFault(provider.getEntry(calendar, id))).to.include(reason)
    })

    it('asks in parts for entries that are too large for one answer, and leaves out only an entry that is too large itself', async () => {
      const { calendar, server } = world
      const provider = world.createProvider({ limits: { answerBytesMax: 60_000 } })
      const add = (name: string, characters: number) =>
        server.put(
          `${calendar.id}${name}.ics`,
          createIcs([
            `UID:${name}`,
            'DTSTART:20261110T090000Z',
            `DESCRIPTION:${'x'.repeat(characters)}`,
            `SUMMARY:${name}`,
          ]),
        )
      for (const name of ['a', 'b', 'c', 'd', 'e']) await add(name, 20_000)
      await add('huge', 70_000)
      const page = await provider.listChanges(calendar, null, PERIOD)
      provider.close()
      if ('isExpired' in page) return expect.fail()
      expect(page.changed.map(({ title }) => title).sort()).to.deep.equal(['a', 'b', 'c', 'd', 'e'])
      expect(page.unreadable).to.deep.equal([
        {
          id: `${calendar.id}huge.ics`,
          reason: 'The answer has more than 60000 bytes, the maximum allowed.',
        },
      ])
      expect(page.removed).to.have.length(6)
    })

    // In a shared calendar, Nextcloud shows private entries only to the owner of the calendar, and not to the account that wrote them.
    it('writes private entries in a way that servers show to the account that wrote them', async () => {
      const { provider, calendar, server } = world
      const content = { ...CONTENT, title: 'Private', isPrivate: true }
      const created = await provider.createEntry(calendar, 'event-7', content)
      expect(created).to.include({ title: 'Private', isPrivate: true })
      expect(await server.request('GET', created.id)).not.to.match(/CLASS:(PRIVATE|CONFIDENTIAL)/)
      const changed = await provider.changeEntry(calendar, created.id, created.version, CONTENT)
      expect(changed).to.include({ isPrivate: false })
      const again = await provider.changeEntry(calendar, created.id, changed.version, content)
      expect(again).to.include({ isPrivate: true })
      expect(await server.request('GET', created.id)).not.to.match(/CLASS:(PRIVATE|CONFIDENTIAL)/)
    })

    it('says that the entry, and not the calendar, has a fault if the server hides an entry that Berth wrote', async () => {
      const { provider, calendar, proxy } = world
      const hide = () =>
        proxy.faults.push({
          matches: ({ method }) => method === 'GET',
          isLasting: true,
          answer: { status: 404 },
        })
      hide()
      const create = () => findFault(provider.createEntry(calendar, 'event-7', CONTENT))
      expect(await create()).to.include({ kind: 'rejected' })
      expect((await create()).kind).not.to.equal('not_found')
    })

    it('refuses XML with a document type, and names no other host', async () => {
      const { provider, calendar, proxy } = world
      const entities = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>'
      const multistatus = (href: string) =>
        `<d:multistatus xmlns:d="DAV:"><d:response><d:href>${href}</d:href></d:response></d:multistatus>`
      const answers = [
        { body: `${entities}${multistatus('&b;')}`, kind: 'unavailable' },
        { body: multistatus('<x>'.repeat(100)), kind: 'unavailable' },
        { body: '<html><body>Welcome</body></html>', kind: 'unavailable' },
        { body: 'no XML', kind: 'unavailable' },
        { body: multistatus('https://elsewhere.test/a.ics'), kind: 'rejected' },
      ]
      for (const { body, kind } of answers) {
        proxy.faults.push({ answer: { status: 207, body } })
        expect(await findFault(provider.listChanges(calendar, null, PERIOD)), body).to.include({ kind })
      }
    })

    it('goes on where a server reports a part of the changes', async () => {
      const { provider, calendar, proxy } = world
      const store = await readAll(provider, calendar, PERIOD)
      const id = await world.addMeeting({ title: 'Standup', from: CONTENT.from, to: CONTENT.to })
      const part = `<d:multistatus xmlns:d="DAV:"><d:response><d:href>${calendar.id}</d:href>
        <d:status>HTTP/1.1 507 Insufficient Storage</d:status></d:response>
        <d:sync-token>${JSON.parse(store.position ?? '').token}</d:sync-token></d:multistatus>`
      proxy.faults.push({ answer: { status: 207, body: part } })
      const pages = await followChanges(provider, calendar, store, PERIOD)
      expect(pages.map(({ hasMore }) => hasMore)).to.deep.equal([true, false])
      expect(store.list().map((entry) => entry.id)).to.deep.equal([id])
    })

    it('reads many entries in pages', async () => {
      const { provider, calendar } = world
      for (let day = 1; day <= 53; day++) {
        const from = new Date(Date.UTC(2026, 9, 1 + day, 9)).toISOString()
        await world.addMeeting({ title: `Day ${day}`, from, to: from })
      }
      const first = await provider.listChanges(calendar, null, PERIOD)
      expect(first).to.deep.include({ hasMore: true })
      expect((await readAll(provider, calendar, PERIOD)).list()).to.have.length(53)
    })
  }),
)
