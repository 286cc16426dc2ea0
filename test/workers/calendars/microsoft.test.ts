// What is Microsoft's own: its tokens, declined invitations, subscriptions and links.
import { expect } from 'chai'
import nock from 'nock'
import { ReachableNetworks } from '../../../shared/networks/reachable-networks.ts'
import { MicrosoftProvider } from '../../../shared/room-calendars/providers/microsoft.ts'
import { GraphServer } from '../../support/calendars/graph-server.ts'
import { startHttp } from '../../support/calendars/http.ts'
import { createTestCertificate, testPrivateKey } from '../../support/calendars/test-keys.ts'
import { findFault, followChanges, readAll } from './follow-changes.ts'
import { openMicrosoft, ROOM, ZONE } from './provider-worlds.ts'

const PERIOD = { from: '2026-10-01T00:00:00Z', to: '2027-01-01T00:00:00Z' }
const SECRET = 'the secret of the watch'
const MEETING = { title: 'Standup', from: '2026-11-20T09:00:00Z', to: '2026-11-20T09:30:00Z' }

describe('the adapter for Microsoft 365', function suite() {
  this.timeout(120_000)
  let world: Awaited<ReturnType<typeof openMicrosoft>>
  beforeEach(async () => {
    world = await openMicrosoft()
  })
  afterEach(() => world.close())
  const countTokenRequests = () =>
    world.proxy.requests.filter(({ url }) => url.pathname.endsWith('/token')).length

  it('fetches one token for requests at the same time, and keeps it', async () => {
    const { provider, calendar } = world
    await Promise.all([1, 2, 3].map(() => provider.listChanges(calendar, null, PERIOD)))
    await provider.listRooms(null)
    expect(countTokenRequests()).to.equal(1)
  })

  it('fetches another token when Microsoft no longer takes the first, and repeats the request once', async () => {
    const { provider, calendar, server } = world
    await provider.listChanges(calendar, null, PERIOD)
    server.expireTokens()
    await Promise.all([1, 2, 3].map(() => provider.listChanges(calendar, null, PERIOD)))
    expect(server.tokensIssued).to.be.within(2, 3)
    const refused = { status: 401, body: { error: { code: 'InvalidAuthenticationToken', message: 'No.' } } }
    const isListing = ({ url }: { url: URL }) => url.pathname.includes('calendarView')
    world.proxy.faults.push({ matches: isListing, answer: refused }, { matches: isListing, answer: refused })
    const fault = await findFault(provider.listChanges(calendar, null, PERIOD))
    expect(fault).to.include({ kind: 'credentials_refused', code: 'InvalidAuthenticationToken' })
    expect(world.proxy.faults).to.deep.equal([])
  })

  it('authenticates with a certificate', async () => {
    const certificate = createTestCertificate()
    const server = await new GraphServer({ certificate }).start()
    const create = (each: string) =>
      new MicrosoftProvider({
        credentials: { tenant: 'tenant', clientId: 'client', certificate: each, privateKey: testPrivateKey },
        networks: new ReachableNetworks(['127.0.0.1']),
        graphUrl: server.url,
        loginUrl: server.url,
      })
    const [known, unknown] = [create(certificate), create(createTestCertificate())]
    expect(await known.listRooms(null)).to.deep.equal({ rooms: [], next: null })
    expect(await findFault(unknown.listRooms(null))).to.include({ kind: 'credentials_refused' })
    for (const each of [known, unknown]) each.close()
    await server.close()
  })

  it('names the permission that is missing', async () => {
    const { provider, calendar, server } = world
    server.permissions = ['Calendars.ReadWrite']
    const rooms = await findFault(provider.listRooms(null))
    expect(rooms).to.include({ kind: 'forbidden', permission: 'Place.Read.All', code: 'ErrorAccessDenied' })
    server.permissions = []
    const changes = await findFault(provider.listChanges(calendar, null, PERIOD))
    expect(changes).to.include({ kind: 'forbidden', permission: 'Calendars.ReadWrite' })
  })

  it('sends its token to no other host, whatever a page says', async () => {
    const { provider, calendar, proxy } = world
    const elsewhere = nock('https://elsewhere.test').get(/.*/).reply(200, { value: [] })
    const link = 'https://elsewhere.test/v1.0/users/x/calendarView/delta?$skiptoken=1'
    proxy.faults.push({
      matches: ({ url }) => url.pathname.includes('calendarView'),
      answer: { status: 200, body: { value: [], '@odata.nextLink': link } },
    })
    const page = await provider.listChanges(calendar, null, PERIOD)
    const position = 'position' in page ? page.position : expect.fail()
    expect(await findFault(provider.listChanges(calendar, position, PERIOD))).to.include({ kind: 'rejected' })
    expect(elsewhere.isDone()).to.equal(false)
    nock.cleanAll()
  })

  it('recognizes other codes for an expired position and a conflict', async () => {
    const { provider, calendar, proxy } = world
    const answer = (status: number, code: string) => ({ status, body: { error: { code, message: 'No.' } } })
    await provider.listRooms(null)
    for (const [status, code] of [
      [410, 'resyncRequired'],
      [400, 'SyncStateInvalid'],
    ] as const) {
      proxy.faults.push({ answer: answer(status, code) })
      expect(await provider.listChanges(calendar, null, PERIOD), code).to.deep.equal({ isExpired: true })
    }
    proxy.faults.push({ answer: answer(409, 'ErrorIrresolvableConflict') })
    const fault = await findFault(provider.cancelEntry(calendar, 'any'))
    expect(fault).to.include({ kind: 'conflict' })
  })

  it('asks for times in UTC and for ids that do not change', async () => {
    await world.provider.listChanges(world.calendar, null, PERIOD)
    const prefer = world.proxy.requests.at(-1)?.headers.prefer
    expect(prefer).to.include('outlook.timezone="UTC"').and.include('IdType="ImmutableId"')
  })

  describe('that reads a daily series over many pages', () => {
    const addSeries = () => {
      const toTime = (day: number, time: string) => ({
        dateTime: `2026-11-${String(day).padStart(2, '0')}T${time}:00.0000000`,
        timeZone: 'UTC',
      })
      type Times = Parameters<GraphServer['addSeries']>[2]
      const times = Array.from({ length: 20 }, (_each, index): Times[number] => [
        toTime(index + 1, '09:00'),
        toTime(index + 1, '09:30'),
      ])
      return world.server.addSeries(ROOM, { subject: 'Standup' }, times)
    }
    const countReadings = () =>
      world.proxy.requests.filter(
        ({ url }) => url.pathname.endsWith('/instances') && !url.searchParams.has('$skip'),
      ).length

    it('reads its occurrences once', async () => {
      const { provider, calendar, server } = world
      const { id } = addSeries()
      const store = await readAll(provider, calendar, PERIOD)
      expect(store.list()).to.have.length(20)
      expect(countReadings()).to.equal(1)
      const [first] = server.listOccurrences(ROOM, id)
      server.changeEvent(ROOM, first?.id ?? '', { subject: 'Moved' })
      await followChanges(provider, calendar, store, PERIOD)
      expect(store.require(first?.id ?? '').title).to.equal('Moved')
    })

    it('reads them again if the series is reported again in the same round', async () => {
      const { provider, calendar, server, proxy } = world
      const master = addSeries()
      const first = await provider.listChanges(calendar, null, PERIOD)
      if ('isExpired' in first) return expect.fail()
      server.changeEvent(ROOM, server.listOccurrences(ROOM, master.id)[0]?.id ?? '', { subject: 'Moved' })
      const link = `${proxy.url}/v1.0/users/x/calendarView/delta?$deltatoken=1`
      proxy.faults.push({
        matches: ({ url }) => url.pathname.includes('calendarView'),
        answer: {
          status: 200,
          body: { value: [{ id: master.id, type: 'seriesMaster' }], '@odata.deltaLink': link },
        },
      })
      const last = await provider.listChanges(calendar, first.position, PERIOD)
      if ('isExpired' in last) return expect.fail()
      expect(last.changed.map(({ title }) => title))
        .to.include('Moved')
        .and.have.length(20)
      expect(last.position).not.to.include(master.id)
      return undefined
    })
  })

  it('does not take the transaction of another program for its key', async () => {
    const id = await world.addMeeting(MEETING)
    expect(await world.provider.getEntry(world.calendar, id)).to.include({ key: null })
  })

  it('declines in the room’s name, with a sentence for the organizer', async () => {
    const { provider, calendar, server } = world
    const id = await world.addMeeting(MEETING)
    const silent = await world.addMeeting(MEETING)
    server.changeEvent(ROOM, silent, { responseRequested: false })
    const store = await readAll(provider, calendar, PERIOD)
    expect(await provider.declineEntry(calendar, id, 'Taken. Free: Den.')).to.equal('declined')
    expect(await provider.declineEntry(calendar, silent, 'Taken.')).to.equal('declined')
    expect(server.responses).to.deep.equal([
      { id, comment: 'Taken. Free: Den.', sendResponse: true },
      { id: silent, comment: 'Taken.', sendResponse: false },
    ])
    await followChanges(provider, calendar, store, PERIOD)
    expect(store.list()).to.deep.equal([])
  })

  it('cannot decline what the room organizes itself', async () => {
    const { provider, calendar, server } = world
    const content = { ...MEETING, text: '', isPrivate: false, attendees: [] }
    const { id } = await provider.createEntry(calendar, 'k', content)
    expect(await provider.declineEntry(calendar, id, 'No.')).to.equal('impossible')
    expect(server.responses).to.deep.equal([])
  })

  it('invites attendees only if Berth asks it to', async () => {
    const { provider, calendar } = world
    const room = { address: ROOM, name: 'Aquarium', isRoom: true }
    const content = { ...MEETING, text: '', isPrivate: false, attendees: [room] }
    const invited = await provider.createEntry(calendar, 'k', content)
    expect(invited.attendees).to.deep.equal([{ ...room, answer: 'none' }])
    const alone = await provider.createEntry(calendar, 'l', { ...content, attendees: [] })
    expect(alone.attendees).to.deep.equal([])
  })

  it('shows an all-day entry without a zone of its own in the zone of the calendar', async () => {
    const id = await world.addAllDay('Offsite', '2026-10-24', '2026-10-25')
    world.server.changeEvent(ROOM, id, { originalStartTimeZone: 'UTC' })
    const entry = await world.provider.getEntry({ id: ROOM, zone: 'Asia/Tokyo' }, id)
    expect(entry?.allDay).to.deep.equal({ from: '2026-10-24', to: '2026-10-25', zone: 'Asia/Tokyo' })
    world.server.changeEvent(ROOM, id, { originalStartTimeZone: 'W. Europe Standard Time' })
    const outlook = await world.provider.getEntry({ id: ROOM, zone: 'Asia/Tokyo' }, id)
    expect(outlook?.allDay?.zone).to.equal(ZONE)
  })

  it('watches at an address that answers the validation, renews and ends the watch', async () => {
    const { provider, calendar, server } = world
    const receiver = await startHttp(async ({ url, headers, body }) => {
      const read = provider.readNotification({ query: url.searchParams, headers, body }, () => SECRET)
      return read.kind === 'validation'
        ? { status: 200, headers: { 'Content-Type': 'text/plain' }, body: read.reply }
        : { status: 202 }
    })
    const watch = await provider.watch(calendar, `${receiver.url}/calendars`, SECRET)
    if (watch === 'impossible') return expect.fail()
    expect(server.subscriptions.get(watch.id)).to.include({
      resource: `users/${ROOM}/events`,
      clientState: SECRET,
    })
    expect(Date.parse(watch.expiresAt)).to.be.above(Date.now() + 5 * 24 * 3_600_000)
    const renewed = await provider.renew(watch, calendar, `${receiver.url}/calendars`, SECRET)
    expect(renewed.id).to.equal(watch.id)
    await provider.unwatch(watch)
    await provider.unwatch(watch)
    expect(server.subscriptions.size).to.equal(0)
    const late = provider.renew(watch, calendar, receiver.url, SECRET)
    expect(await findFault(late)).to.include({ kind: 'not_found' })
    await receiver.close()
    const dead = provider.watch(calendar, receiver.url, SECRET)
    expect(await findFault(dead)).to.include({ kind: 'rejected', code: 'ValidationError' })
  })

  it('reads notifications that know the secret, and leaves out forged ones', () => {
    const { provider } = world
    const findSecret = (watch: string) => (watch === 'w1' ? SECRET : undefined)
    const read = (value: unknown) =>
      provider.readNotification(
        {
          query: new URLSearchParams(),
          headers: {},
          body: typeof value === 'string' ? value : JSON.stringify(value),
        },
        findSecret,
      )
    const notice = {
      subscriptionId: 'w1',
      clientState: SECRET,
      changeType: 'updated',
      resource: 'users/x/events/1',
    }
    const changed = { watch: 'w1', event: 'changed' }
    expect(read({ value: [notice, notice] })).to.deep.equal({
      kind: 'notices',
      notices: [changed],
      forged: 0,
    })
    const forged = [
      { ...notice, clientState: 'guess' },
      { ...notice, clientState: undefined },
      { ...notice, subscriptionId: 'w2' },
      { ...notice, subscriptionId: 7 },
      null,
    ]
    expect(read({ value: [...forged, notice] })).to.deep.equal({
      kind: 'notices',
      notices: [changed],
      forged: 5,
    })
    const lifecycle = {
      missed: 'missed',
      reauthorizationRequired: 'ending',
      subscriptionRemoved: 'ended',
      somethingNew: 'missed',
    }
    for (const [lifecycleEvent, event] of Object.entries(lifecycle))
      expect(read({ value: [{ ...notice, lifecycleEvent }] })).to.deep.include({
        notices: [{ watch: 'w1', event }],
      })
    for (const broken of ['', '[', '{}', '{"value":7}', 'null', { value: Array(1_001).fill(notice) }])
      expect(read(broken)).to.deep.equal({ kind: 'malformed' })
  })
})
