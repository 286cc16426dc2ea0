// What is Google's own: delegated tokens, throttling with 403, declined invitations and channels.
import { expect } from 'chai'
import { findFault, followChanges, readAll } from './follow-changes.ts'
import { openGoogle, ROOM } from './provider-worlds.ts'

const PERIOD = { from: '2026-10-01T00:00:00Z', to: '2027-01-01T00:00:00Z' }
const SECRET = 'the secret of the watch'
const MEETING = { title: 'Standup', from: '2026-11-20T09:00:00Z', to: '2026-11-20T09:30:00Z' }
const CONTENT = { ...MEETING, text: '', isPrivate: false, attendees: [] }

describe('the adapter for Google Workspace', function suite() {
  this.timeout(120_000)
  let world: Awaited<ReturnType<typeof openGoogle>>
  beforeEach(async () => {
    world = await openGoogle()
  })
  afterEach(() => world.close())

  it('acts in the name of the subject, and keeps its token', async () => {
    const { provider, calendar, server } = world
    await Promise.all([1, 2, 3].map(() => provider.listChanges(calendar, null, PERIOD)))
    expect(server.tokensIssued).to.equal(1)
    expect(server.lastClaims).to.include({ sub: 'admin@corp.test', iss: server.clientEmail })
    expect(server.lastClaims.scope).to.equal(
      'https://www.googleapis.com/auth/calendar https://www.googleapis.com/auth/admin.directory.resource.calendar.readonly',
    )
    server.expireTokens()
    await provider.listChanges(calendar, null, PERIOD)
    expect(server.tokensIssued).to.equal(2)
  })

  it('names the scope that is missing', async () => {
    world.server.hasDirectoryScope = false
    const fault = await findFault(world.provider.listRooms(null))
    expect(fault).to.include({ kind: 'forbidden', code: 'forbidden' })
    expect(fault.permission).to.include('admin.directory.resource.calendar.readonly')
  })

  it('treats a 403 about rate limits as throttling of all calendars, without saying how long to wait', async () => {
    const { provider, calendar, proxy } = world
    await provider.listRooms(null)
    for (const reason of ['rateLimitExceeded', 'userRateLimitExceeded', 'dailyLimitExceeded']) {
      const error = { code: 403, message: 'Rate Limit Exceeded', errors: [{ domain: 'usageLimits', reason }] }
      proxy.faults.push({ answer: { status: 403, body: { error } } })
      const fault = await findFault(provider.listChanges(calendar, null, PERIOD))
      expect(fault).to.include({
        kind: 'throttled',
        code: reason,
        isOfProvider: true,
        retryAfterMs: undefined,
      })
    }
  })

  it('declines in the room’s name, and keeps the other attendees', async () => {
    const { provider, calendar, server } = world
    const id = await world.addMeeting(MEETING)
    const store = await readAll(provider, calendar, PERIOD)
    expect(await provider.declineEntry(calendar, id, 'Taken. Free: Den.')).to.equal('declined')
    expect(await provider.declineEntry(calendar, id, 'Taken. Free: Den.')).to.equal('declined')
    await followChanges(provider, calendar, store, PERIOD)
    expect(store.require(id)).to.include({ isDeclined: true, isCancelled: false })
    expect(store.require(id).attendees.map(({ address, answer }) => [address, answer])).to.deep.equal([
      ['bob@corp.test', 'accepted'],
      [ROOM, 'declined'],
    ])
    expect(server.mails).to.deep.equal([{ id, method: 'PATCH' }])
  })

  it('does not decline over somebody else’s change', async () => {
    const { provider, calendar, server, proxy } = world
    const id = await world.addMeeting(MEETING)
    proxy.faults.push({
      matches: ({ method }) => method === 'PATCH',
      isCarriedOut: true,
      answer: { status: 412, body: { error: { code: 412, errors: [{ reason: 'conditionNotMet' }] } } },
    })
    expect(await findFault(provider.declineEntry(calendar, id, 'No.'))).to.include({ kind: 'conflict' })
    const patch = proxy.requests.find(({ method }) => method === 'PATCH')
    expect(patch?.headers['if-match']).to.match(/^"/)
    expect(server.mails).to.have.length(1)
  })

  it('gives all-day entries the zone of the building, even if Google’s calendar has another one', async () => {
    const { provider, calendar, server } = world
    server.timeZone = 'Asia/Tokyo'
    const id = await world.addAllDay('Fair', '2026-11-20', '2026-11-21')
    const listed = (await readAll(provider, calendar, PERIOD)).require(id)
    expect(listed.allDay).to.deep.equal({ from: '2026-11-20', to: '2026-11-21', zone: calendar.zone })
    expect(await provider.getEntry(calendar, id)).to.deep.equal(listed)
  })

  it('cannot decline what the room was not invited to', async () => {
    const { provider, calendar } = world
    const { id } = await provider.createEntry(calendar, 'k', CONTENT)
    expect(await provider.declineEntry(calendar, id, 'No.')).to.equal('impossible')
  })

  it('returns a deleted entry as cancelled when its key comes again', async () => {
    const { provider, calendar } = world
    const { id } = await provider.createEntry(calendar, 'k', CONTENT)
    await provider.cancelEntry(calendar, id)
    expect(await provider.createEntry(calendar, 'k', CONTENT)).to.include({ id, isCancelled: true })
  })

  it('chooses ids that Google takes, one for each key', async () => {
    const { provider, calendar } = world
    const [one, other] = await Promise.all(
      ['event-1', 'event-2'].map((key) => provider.createEntry(calendar, key, CONTENT)),
    )
    expect(one?.id).to.match(/^[a-v0-9]{5,1024}$/)
    expect(one?.id).not.to.equal(other?.id)
  })

  it('mails attendees only where there are some', async () => {
    const { provider, calendar, server } = world
    await provider.createEntry(calendar, 'alone', CONTENT)
    expect(server.mails).to.deep.equal([])
    const attendees = [{ address: 'bob@corp.test', name: null, isRoom: false }]
    const { id } = await provider.createEntry(calendar, 'invited', { ...CONTENT, attendees })
    expect(server.mails).to.deep.equal([{ id, method: 'POST' }])
  })

  it('watches with a channel, replaces it to renew it, and stops it', async () => {
    const { provider, calendar, server } = world
    const watch = await provider.watch(calendar, 'https://desk.test/calendars', SECRET)
    if (watch === 'impossible') return expect.fail()
    const [channel] = server.channels.values()
    expect(channel).to.include({ token: SECRET, address: 'https://desk.test/calendars' })
    expect(new Date(Number(channel?.expiration)).toISOString()).to.equal(watch.expiresAt)
    const renewed = await provider.renew(watch, calendar, 'https://desk.test/calendars', SECRET)
    expect(renewed.id).not.to.equal(watch.id)
    await provider.unwatch(watch)
    expect([...server.channels.keys()]).to.deep.equal([renewed.id.split(' ')[0]])
    await provider.unwatch(renewed)
    await provider.unwatch(renewed)
    expect(server.channels.size).to.equal(0)
  })

  it('reads notifications that know the secret, and refuses forged ones', async () => {
    const { provider, calendar, server } = world
    const watch = await provider.watch(calendar, 'https://desk.test/calendars', SECRET)
    if (watch === 'impossible') return expect.fail()
    const [channel = ''] = watch.id.split(' ')
    const read = (headers: Record<string, string | undefined>) =>
      provider.readNotification({ query: new URLSearchParams(), headers, body: '' }, (id) =>
        id === watch.id ? SECRET : undefined,
      )
    const sent = server.createNotification(channel)
    const changed = { watch: watch.id, event: 'changed' }
    expect(read(sent)).to.deep.equal({ kind: 'notices', notices: [changed], forged: 0 })
    const first = server.createNotification(channel, 'sync')
    expect(read(first)).to.deep.equal({ kind: 'notices', notices: [], forged: 0 })
    for (const name of ['x-goog-channel-token', 'x-goog-channel-id', 'x-goog-resource-id'])
      expect(read({ ...sent, [name]: 'guess' }), name).to.deep.equal({
        kind: 'notices',
        notices: [],
        forged: 1,
      })
    expect(read({ ...sent, 'x-goog-channel-token': undefined })).to.include({ forged: 1 })
    expect(read({})).to.deep.equal({ kind: 'malformed' })
  })
})
