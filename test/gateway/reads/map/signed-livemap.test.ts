// Tests the signed URL of a booking's picture: it works without a token for an hour at most, and shows only what the
// original token may see.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { eraseUser } from '../../../../shared/erasures/erase-user.ts'
import {
  createToken,
  type NewToken,
  revokeToken,
  rotateToken,
} from '../../../../shared/tokens/token-store.ts'
import { browser, useChromium } from '../../../support/dashboard/browser.ts'
import { createBooking, createLocation, createUser } from '../../../support/factories.ts'
import { Client } from '../../../support/http/http.ts'
import { createOffice, type Office } from '../../../support/office.ts'
import { eventually } from '../../../support/time.ts'
import { useClient, useWorld } from '../../../support/world.ts'

const NOW_MS = Date.parse('2026-11-20T09:10:00Z')
const MINUTE_MS = 60_000
const NEXT_WEEK = { from: '2026-11-27T09:00:00Z', to: '2026-11-27T10:00:00Z' }
const AUTHOR = {
  actor: { type: 'system' as const, id: null, name: 'test' },
  requestId: 'test',
  attempt: null,
}

describe('GET bookings/{id}/livemap.svg', () => {
  let nowMs = NOW_MS
  const lines: string[] = []
  const world = useWorld({
    workers: [],
    now: () => nowMs,
    onLog: (line) => void lines.push(line),
    environment: { RATE_LIMIT_PER_MINUTE: '1000' },
  })
  const client = useClient(world, 'read')
  let office: Office
  let stranger: Client
  before(async () => {
    office = await createOffice(world.database)
    stranger = new Client(world.url)
  })
  beforeEach(() => {
    nowMs = NOW_MS
  })

  const book = (row: Record<string, unknown> = {}) =>
    createBooking(world.database, {
      bookable_id: office.desk.id,
      user_id: office.user.id,
      ...nextDay(),
      ...row,
    })
  const withToken = async (row: Partial<NewToken> = {}) => {
    const token = { name: 'lobby', abilities: ['read'] as const, createdBy: 'test', ...row }
    const made = await createToken(world.database, token)
    return { id: made.id, client: new Client(world.url, made.token) }
  }
  const addressOf = async (id: number, by: Client = client) => {
    const { pathname, search } = new URL((await by.get(`bookings/${id}`)).json.data.livemap_url)
    return pathname + search
  }
  async function expectRefused(address: string, by: Client = stranger) {
    const answer = await by.get(address)
    expect([answer.status, answer.json.code], address).to.deep.equal([403, 'invalid_signature'])
  }

  // Puts each booking on its own day, because all are of one desk.
  let days = 0
  function nextDay() {
    days++
    const move = (at: string) => new Date(Date.parse(at) + days * 24 * 60 * MINUTE_MS).toISOString()
    return { from: move(NEXT_WEEK.from), to: move(NEXT_WEEK.to) }
  }

  it('returns the same picture as a request with a token, and forbids caching', async () => {
    const id = await book()
    const picture = await stranger.get(await addressOf(id))
    expect(picture.status).to.equal(200)
    expect(picture.text).to.equal((await client.get(`bookings/${id}/livemap`)).text)
    expect(picture.text).to.include('Desk 1').and.not.include(office.user.name)
    expect(picture.headers.get('Content-Type')).to.match(/^image\/svg\+xml/)
    expect(picture.headers.get('Cache-Control')).to.equal('no-store')
  })

  it('is refused if any part of the signed URL was changed, whether the booking exists or not', async () => {
    const [id, other] = [await book(), await book()]
    const address = await addressOf(id)
    const [, expires = '', token = '', signature = ''] = /signature=(\d+)\.(\d+)\.(\w+)$/.exec(address) ?? []
    const at = (booking: number, ...parts: Array<string | number>) =>
      `/api/v1/bookings/${booking}/livemap.svg?signature=${parts.join('.')}`
    const { id: otherToken } = await withToken()
    await expectRefused(at(other, expires, token, signature))
    await expectRefused(at(999_999, expires, token, signature))
    await expectRefused(at(id, Number(expires) + 1, token, signature))
    await expectRefused(at(id, expires, otherToken, signature))
    await expectRefused(at(id, expires, 999_999, signature))
    for (let place = 0; place < signature.length; place += 21) {
      const digit = signature[place] === '0' ? '1' : '0'
      const changed = signature.slice(0, place) + digit + signature.slice(place + 1)
      await expectRefused(at(id, expires, token, changed))
    }
    for (const wrong of ['', 'x', `${expires}.${token}`, `${expires}.${token}.${signature}0`])
      await expectRefused(at(id, wrong))
    await expectRefused(`/api/v1/bookings/${id}/livemap.svg`)
    // A request with a token is refused as well.
    await expectRefused(at(other, expires, token, signature), client)
    expect((await client.get(at(id, expires, token, signature))).status).to.equal(200)
  })

  it('works with a URL for at least half an hour, and at most an hour', async () => {
    const id = await book()
    for (const minute of [0, 15, 29, 30, 45, 59]) {
      nowMs = NOW_MS + minute * MINUTE_MS
      const toldMs = nowMs
      const address = await addressOf(id)
      nowMs = toldMs + 30 * MINUTE_MS
      expect((await stranger.get(address)).status, `told at ${minute}`).to.equal(200)
      nowMs = toldMs + 60 * MINUTE_MS
      await expectRefused(address)
      // A URL is also refused long before it becomes valid, because no URL is signed that long in advance.
      nowMs = toldMs - 60 * MINUTE_MS
      await expectRefused(address)
    }
  })

  it('has the same URL for half an hour, so that an unchanged picture gets 304', async () => {
    const id = await book()
    nowMs = Date.parse('2026-11-20T09:30:00Z')
    const first = await client.get(`bookings/${id}`)
    const known = { 'If-None-Match': first.headers.get('ETag') ?? '' }
    nowMs += 29 * MINUTE_MS
    expect((await client.get(`bookings/${id}`, known)).status).to.equal(304)
    nowMs += MINUTE_MS
    const later = await client.get(`bookings/${id}`, known)
    expect(later.status).to.equal(200)
    expect(later.json.data.livemap_url).to.not.equal(first.json.data.livemap_url)
  })

  it('stops working when its token is revoked, expires or gets another secret', async () => {
    const id = await book()
    const { database } = world
    const revoked = await withToken()
    const ofRevoked = await addressOf(id, revoked.client)
    expect((await stranger.get(ofRevoked)).status).to.equal(200)
    await revokeToken(database, revoked.id)
    await expectRefused(ofRevoked)

    const expired = await withToken()
    const ofExpired = await addressOf(id, expired.client)
    await database('tokens').where({ id: expired.id }).update({ expires_at: new Date() })
    await expectRefused(ofExpired)

    const rotated = await withToken()
    const before = await addressOf(id, rotated.client)
    const secret = await rotateToken(database, rotated.id, 3_600)
    const after = await addressOf(id, new Client(world.url, secret))
    for (const address of [before, after]) expect((await stranger.get(address)).status).to.equal(200)
    await rotateToken(database, rotated.id, 0)
    for (const address of [before, after]) await expectRefused(address)
  })

  it('shows only the buildings that its token may see when the picture is requested', async () => {
    const id = await book()
    const limited = await withToken({ buildingIds: [office.building.id] })
    const [address, unlimited] = [await addressOf(id, limited.client), await addressOf(id)]
    expect((await stranger.get(address)).status).to.equal(200)
    const { desk, location } = office
    const elsewhere = await createLocation(world.database, { name: 'Elsewhere' })
    await world.database('bookables').where({ id: desk.id }).update({ location_id: elsewhere })
    expect((await stranger.get(address)).json.code).to.equal('not_found')
    expect((await stranger.get(unlimited)).text).to.include('Elsewhere')
    await world.database('bookables').where({ id: desk.id }).update({ location_id: location.id })
  })

  it('answers 404 once the booking is deleted, for example when a person is erased', async () => {
    const user_id = await createUser(world.database, { name: 'Somebody Erased' })
    const [deleted, erased] = [await book(), await book({ user_id })]
    const addresses = [await addressOf(deleted), await addressOf(erased)]
    await world.database('bookings').where({ id: deleted }).delete()
    const now = new Date(NOW_MS).toISOString()
    await world.database.transaction((trx) => eraseUser(trx, { id: user_id, now }, AUTHOR))
    for (const address of addresses) {
      const answer = await stranger.get(address)
      expect([answer.status, answer.json.code]).to.deep.equal([404, 'not_found'])
      expect(answer.text).to.not.include('Erased')
    }
  })

  it('never writes its signed URL to the log', async () => {
    const id = await book()
    const address = await addressOf(id)
    lines.length = 0
    await stranger.get(address)
    await expectRefused(`${address}0`)
    await eventually(() =>
      expect(lines.filter((line) => line.includes('livemap.svg'))).to.have.length.of.at.least(2),
    )
    const [, signature = ''] = /signature=\d+\.\d+\.(\w+)$/.exec(address) ?? []
    expect(lines.join('\n')).to.not.include(signature.slice(0, 16))
  })

  it('has a rate limit per token, apart from API requests, and a limit of wrong URLs per network', async () => {
    const id = await book()
    const slow = await withToken({ rateLimitPerMinute: 3 })
    const address = await addressOf(id, slow.client)
    const statuses: number[] = []
    for (let time = 0; time < 10; time++) statuses.push((await stranger.get(address)).status)
    expect(statuses).to.include.members([200, 429])
    expect((await slow.client.get(`bookings/${id}`)).status).to.equal(200)

    const { url } = await world.startGateway({ FAILED_SIGN_INS_PER_MINUTE: '3' })
    const guesser = new Client(url)
    const good = await addressOf(id)
    const guesses: number[] = []
    for (let time = 0; time < 10; time++)
      guesses.push((await guesser.get(good.replace(/\w{64}$/, 'f'.repeat(64)))).status)
    expect(guesses).to.include(429)
    expect((await guesser.get(good)).status).to.equal(200)
  })

  describe('the picture of a signed live map URL, in a browser', () => {
    useChromium()

    it('appears in an <img> on a page of another site', async () => {
      const { livemap_url } = (await client.get(`bookings/${await book()}`)).json.data
      const page = createServer((_request, response) => {
        response.writeHead(200, { 'Content-Type': 'text/html' })
        response.end(`<!doctype html><title>Mine</title><img src="${livemap_url}" alt="Where">`)
      })
      await new Promise<void>((listening) => page.listen(0, '127.0.0.1', listening))
      const context = await (await browser()).newContext()
      try {
        const shown = await context.newPage()
        await shown.goto(`http://127.0.0.1:${(page.address() as AddressInfo).port}/`)
        const width = await shown.evaluate<number>('document.images[0].naturalWidth')
        expect(width).to.be.above(300)
      } finally {
        await context.close()
        page.closeAllConnections()
        page.close()
      }
    })
  })
})
