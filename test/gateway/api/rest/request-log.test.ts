// Tests the request log of a token: its last requests and their answers.
import { expect } from 'chai'
import { createToken } from '../../../../shared/tokens/token-store.ts'
import { useSignedIn } from '../../../support/dashboard/dashboard.ts'
import { createUser } from '../../../support/factories.ts'
import { Client } from '../../../support/http/http.ts'
import { eventually } from '../../../support/time.ts'
import { useWorld } from '../../../support/world.ts'

type LoggedRequest = {
  request_id: string
  time: string
  path: string
  method: string
  status: number
  code: string | null
}

describe('the request log of a token', () => {
  const world = useWorld({ workers: ['writes'] })
  const browser = useSignedIn(world)

  async function createClient() {
    const { id, token } = await createToken(world.database, {
      name: 'Sync',
      abilities: ['read', 'booking-write'],
      createdBy: 'test',
      rateLimitPerMinute: 1_000_000,
    })
    return { id, client: new Client(world.url, token) }
  }

  const listOf = async (client: Client, query = ''): Promise<LoggedRequest[]> =>
    (await client.get(`me/requests${query}`)).json.data

  it('lists the requests of the calling token, newest first, including refused ones', async () => {
    const { client } = await createClient()
    const user = await createUser(world.database)
    const before = new Date().toISOString()
    await client.get(`users/${user}?x=secret`, { 'X-Request-Id': 'first' })
    await client.post('bookings', { bookable_id: 0 })
    await client.delete('bookings/987654321')
    await client.post('users/import', {})
    const logged = await listOf(client)
    expect(logged.map(({ method, path, status, code }) => [method, path, status, code])).to.deep.equal([
      ['POST', '/api/v1/users/import', 403, 'missing_ability'],
      ['DELETE', '/api/v1/bookings/987654321', 404, 'not_found'],
      ['POST', '/api/v1/bookings', 422, 'validation_failed'],
      ['GET', `/api/v1/users/${user}`, 200, null],
    ])
    expect(logged.at(-1)).to.include({ request_id: 'first' })
    for (const { time } of logged) expect(time >= before.slice(0, 19)).to.equal(true)
    const { client: other } = await createClient()
    expect(await listOf(other)).to.deep.equal([])
  })

  it('can be filtered by status and refusal, and accepts a limit', async () => {
    const { client } = await createClient()
    for (const id of [1, 2]) await client.get(`users/99999${id}`)
    await client.get('groups')
    expect((await listOf(client, '?status=404')).map(({ path }) => path)).to.deep.equal([
      '/api/v1/users/999992',
      '/api/v1/users/999991',
    ])
    expect(await listOf(client, '?status=404&limit=1')).to.have.length(1)
    expect((await listOf(client, '?refused=true')).map(({ status }) => status)).to.deep.equal([404, 404])
    expect((await listOf(client, '?refused=false')).map(({ code }) => code)).to.not.include('not_found')
    expect((await client.get('me/requests?limit=1001')).status).to.equal(422)
  })

  it('stores no e-mail address and no query string', async () => {
    const { client } = await createClient()
    for (const path of [
      'users/by-email/ada@example.com',
      'users/by-email/ada%40example.com',
      'users?search=ada',
    ])
      await client.get(path)
    const { text } = await client.get('me/requests')
    expect(text).to.include('/api/v1/users/by-email/{email}')
    expect(text).to.not.include('ada')
  })

  it('keeps the last 1,000 requests of a token, across all gateway processes', async () => {
    const { client } = await createClient()
    const gateway = await world.startGateway()
    const elsewhere = new Client(gateway.url, client.token)
    for (const [name, each] of Object.entries({ here: client, elsewhere })) {
      for (let sent = 0; sent < 520; sent += 40)
        await Promise.all(Array.from({ length: 40 }, () => each.get('me', { 'X-Request-Id': name })))
    }
    // Reading the log is a request too, so the number may differ from 480.
    await eventually(async () => {
      const logged = await listOf(client, '?limit=1000')
      expect(logged).to.have.length(1_000)
      expect(new Set(logged.map(({ request_id }) => request_id))).to.include.all.keys('here', 'elsewhere')
    })
  })

  it('deletes requests after seven days', async () => {
    const { client } = await createClient()
    await client.get('groups')
    expect(await listOf(client)).to.have.length(1)
    const gateway = await world.startGateway({}, () => Date.now() + 7.01 * 86_400_000)
    const [inAWeek, ...others] = await listOf(new Client(gateway.url, client.token))
    expect(inAWeek).to.equal(undefined)
    expect(others).to.deep.equal([])
  })

  it('is not written if REQUEST_LOG=off', async () => {
    const { client } = await createClient()
    const gateway = await world.startGateway({ REQUEST_LOG: 'off' })
    const { status, json } = await new Client(gateway.url, client.token).get('me/requests')
    expect(status).to.equal(404)
    expect(json.message).to.equal('The request log is switched off.')
    expect(await listOf(client)).to.deep.equal([])
  })

  it('is shown to administrators on a page, where they can filter for refused requests', async () => {
    const { id, client } = await createClient()
    await client.get('groups')
    await client.get('users/987654321')
    await browser.open(`/dashboard/integrations/tokens/${id}/requests`)
    expect(browser.words).to.include('Requests of “Sync”')
    expect(browser.words).to.include('GET /api/v1/groups').and.include('not_found')
    await browser.open(`/dashboard/integrations/tokens/${id}/requests?refused=true`)
    expect(browser.words).to.not.include('GET /api/v1/groups')
    expect(browser.words).to.include('GET /api/v1/users/987654321')
  })
})
