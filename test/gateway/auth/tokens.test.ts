// Tests authentication with missing, malformed, unknown, revoked, expired and valid tokens, and too many attempts.
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { serve } from '../../../gateway/server.ts'
import { createToken, listTokens, revokeToken } from '../../../shared/tokens/token-store.ts'
import { createLog } from '../../../shared/utilities/log.ts'
import { Client } from '../../support/http/http.ts'
import { useClient, useWorld } from '../../support/world.ts'

describe('authentication', () => {
  const world = useWorld({ workers: [] })
  const good = useClient(world, 'read')

  const newToken = (changes = {}) =>
    createToken(world.database, { name: 'test', abilities: ['read'], createdBy: 'test', ...changes })
  const askWith = (authorization: string) =>
    new Client(world.url).get('groups', { Authorization: authorization })

  for (const [title, header] of Object.entries({
    'no header': undefined,
    'an empty header': '',
    'another scheme': 'Basic dXNlcjpwYXNz',
    'no space after the scheme': 'Bearerberth_x',
    'no token after the scheme': 'Bearer',
    'a bare token': 'berth_000000000000000000000000000000000000',
  })) {
    it(`asks for a token if the request has ${title}`, async () => {
      const answer = await (header === undefined ? new Client(world.url).get('groups') : askWith(header))
      expect(answer.status).to.equal(401)
      expect(answer.headers.get('WWW-Authenticate')).to.equal('Bearer')
      expect(answer.json).to.include({
        code: 'unauthenticated',
        detail: 'Send your API token in the header “Authorization: Bearer <API_TOKEN>”.',
      })
    })
  }

  const swapped = (token: string, index: number) =>
    token.slice(0, index) + (token[index] === 'x' ? 'y' : 'x') + token.slice(index + 1)
  const refused: Record<string, () => Promise<string>> = {
    'that is malformed': async () => 'x',
    'that contains a space': async () => `${good.token} x`,
    'that is not ASCII': async () => 'berth_\u00e4',
    'of the wrong length': async () => `${good.token}0`,
    'with an error in its random part': async () => swapped(String(good.token), 12),
    'with an error in its checksum': async () => swapped(String(good.token), 40),
    'in another letter case': async () => String(good.token).toUpperCase(),
    'that Berth did not create': async () => {
      const elsewhere = await newToken()
      await world.database('tokens').where({ id: elsewhere.id }).delete()
      return elsewhere.token
    },
    'that was revoked': async () => {
      const { id, token } = await newToken()
      await revokeToken(world.database, id)
      return token
    },
    'that has expired': async () => (await newToken({ expiresAt: '2020-01-01T00:00:00Z' })).token,
    'that expires now': async () => (await newToken({ expiresAt: new Date().toISOString() })).token,
  }
  for (const [title, make] of Object.entries(refused)) {
    it(`refuses a token ${title}`, async () => {
      const answer = await askWith(`Bearer ${await make()}`)
      expect(answer.status).to.equal(401)
      expect(answer.headers.get('WWW-Authenticate')).to.equal('Bearer error="invalid_token"')
      expect(answer.json).to.include({
        code: 'invalid_token',
        detail: 'The token is unknown, malformed, revoked or expired.',
      })
    })
  }

  it('accepts any letter case of the scheme, and spaces around the token', async () => {
    for (const form of ['Bearer ', 'bearer ', 'BEARER ', 'Bearer    ']) {
      const answer = await askWith(`${form}${good.token}`)
      expect(answer.status, form).to.equal(200)
      expect(answer.headers.get('RateLimit-Policy')).to.equal('default;q=600;w=60')
    }
  })

  it('accepts a token until the token expires', async () => {
    const { token } = await newToken({ expiresAt: new Date(Date.now() + 60_000).toISOString() })
    expect((await askWith(`Bearer ${token}`)).status).to.equal(200)
  })

  it('refuses a revoked token in every process within a second', async () => {
    const { id, token } = await newToken()
    const other = await world.startGateway()
    const clients = [new Client(world.url, token), new Client(other.url, token)]
    for (const client of clients) expect((await client.get('groups')).status).to.equal(200)
    await revokeToken(world.database, id)
    await wait(1_000)
    for (const client of clients) expect((await client.get('groups')).json.code).to.equal('invalid_token')
  })

  it('refuses writes with a token as soon as the token is revoked', async () => {
    const { id, token } = await newToken({ abilities: ['read', 'booking-write'] })
    const client = new Client(world.url, token)
    expect((await client.get('groups')).status).to.equal(200)
    await revokeToken(world.database, id)
    expect((await client.delete('bookings/1')).status).to.equal(401)
  })

  it('stores only a hash of a token, and no part of it anywhere', async () => {
    const { id, token } = await newToken()
    const [row] = await world.database('tokens').where({ id })
    expect(row.hash).to.have.length(32)
    const { hash: _hash, ...rest } = row
    expect(JSON.stringify(rest)).to.not.include(token.slice(6, 16))
    expect(JSON.stringify(await listTokens(world.database))).to.not.include('hash')
  })

  it('records the minute of a token’s last use and the number of its uses', async () => {
    const gateway = await serve(world.config, createLog('test', 'silent'))
    const { id, token } = await newToken()
    const client = new Client(`http://127.0.0.1:${gateway.port}`, token)
    for (let number = 0; number < 3; number++) await client.get('groups')
    await client.get('users/999999')
    expect((await client.delete('bookings/1')).status).to.equal(403)
    const before = Date.now()
    // A process stores the last use of its tokens when it stops, if not earlier.
    await gateway.stop()
    const row = await world.database('tokens').where({ id }).first()
    expect(row.requests).to.equal(5)
    expect(Date.parse(row.last_used_at) % 60_000).to.equal(0)
    expect(before - Date.parse(row.last_used_at)).to.be.within(-10_000, 70_000)
  })
})

describe('an IP address with too many failed sign-ins', () => {
  const environment = { FAILED_SIGN_INS_PER_MINUTE: '5', TRUST_PROXY: 'true' }
  const world = useWorld({ workers: [], environment })

  const fail = (address: string) =>
    new Client(world.url, 'berth_wrong').get('groups', { 'X-Forwarded-For': address })
  const statuses = async (address: string, times: number) => {
    const answers = []
    for (let number = 0; number < times; number++) answers.push((await fail(address)).status)
    return answers
  }

  it('gets 429 except with a valid token, and does not affect other addresses', async () => {
    expect(await statuses('10.0.0.1', 7)).to.deep.equal([401, 401, 401, 401, 401, 429, 429])
    const answer = await fail('10.0.0.1')
    expect(answer.json).to.include({ code: 'rate_limited', status: 429 })
    expect(Number(answer.headers.get('Retry-After'))).to.be.within(1, 60)
    const client = await world.client('read')
    expect((await client.get('groups', { 'X-Forwarded-For': '10.0.0.1' })).status).to.equal(200)
    expect((await fail('10.0.0.2')).status).to.equal(401)
  })

  it('cannot pretend to be another address with a forwarded header', async () => {
    const tries = []
    for (let number = 0; number < 6; number++) {
      tries.push((await fail(`192.0.2.${number}, 10.0.0.3`)).status)
    }
    expect(tries).to.deep.equal([401, 401, 401, 401, 401, 429])
  })

  it('counts with its whole /64 network, because one IPv6 customer has all of its addresses', async () => {
    const tries = []
    for (let number = 0; number < 6; number++) tries.push((await fail(`2001:db8::${number}`)).status)
    expect(tries).to.deep.equal([401, 401, 401, 401, 401, 429])
    expect((await fail('2001:db8:0:1::1')).status).to.equal(401)
  })

  it('is counted across all gateway processes', async () => {
    const other = await world.startGateway()
    expect(await statuses('10.0.0.4', 5)).to.not.include(429)
    const elsewhere = await new Client(other.url, 'berth_wrong').get('groups', {
      'X-Forwarded-For': '10.0.0.4',
    })
    expect(elsewhere.status).to.equal(429)
  })
})
