// Tests rules for every request: the format of errors, request ids, HEAD and OPTIONS.
import { expect } from 'chai'
import type { RefusalCode } from '../../../../shared/messages/refusal.ts'
import { REFUSALS } from '../../../../shared/messages/refusal-kinds.ts'
import { createUser } from '../../../support/factories.ts'
import { type ApiAnswer, Client } from '../../../support/http/http.ts'
import { useClient, useWorld } from '../../../support/world.ts'

describe('every error response', () => {
  const world = useWorld({ workers: [] })
  const client = useClient(world)
  let nobody: Client
  before(async () => {
    nobody = new Client(world.url)
  })

  const cases: Array<[RefusalCode, () => Promise<ApiAnswer>]> = [
    ['not_found', () => nobody.get('nothing')],
    ['not_found', () => nobody.get('/api/v2')],
    ['not_found', () => client.get('users/1')],
    ['method_not_allowed', () => client.put('groups', {})],
    ['unauthenticated', () => nobody.get('groups')],
    ['invalid_token', () => new Client(world.url, 'berth_x').get('groups')],
    ['missing_ability', async () => (await world.client('object-write')).get('groups')],
    ['malformed_body', () => client.ask('bookings', { method: 'POST', raw: '', headers: json })],
    ['unsupported_media_type', () => client.ask('bookings', { method: 'POST', raw: 'x' })],
  ]
  const json = { 'Content-Type': 'application/json' }

  for (const [code, ask] of cases) {
    it(`has the documented format: ${code}`, async () => {
      const answer = await ask()
      const { status, title } = REFUSALS[code]
      expect(answer.status).to.equal(status)
      expect(answer.headers.get('Content-Type')).to.equal('application/json; charset=utf-8')
      expect(answer.headers.get('Vary')).to.equal('Accept')
      expect(answer.json).to.have.all.keys(
        'type',
        'title',
        'status',
        'code',
        'detail',
        'message',
        'request_id',
      )
      expect(answer.json).to.include({
        type: `${world.url}/api/docs/errors#${code}`,
        title,
        status,
        code,
        message: answer.json.detail,
        request_id: answer.headers.get('X-Request-Id'),
      })
      expect(answer.json.detail).to.match(/^[A-Z].+\.$/)
    })
  }

  it('names the invalid fields of a 422, and has no undocumented members', async () => {
    const answer = await client.post('bookings', { to_time: 5 })
    expect(answer.json).to.have.all.keys(
      'type',
      'title',
      'status',
      'code',
      'detail',
      'message',
      'errors',
      'request_id',
    )
    const { errors } = answer.json
    expect(errors).to.have.all.keys('bookable_id', 'location_id', 'user_id', 'to_time')
    const told = Object.values<string[]>(errors).flat().slice(0, 3)
    expect(answer.json.detail).to.equal(`${told.join(' ')} There is 1 more error.`)
  })

  it('is application/problem+json if Accept names that type, and is never a 406', async () => {
    const typeFor = async (accept: string) => {
      const answer = await client.get('users/1', { Accept: accept })
      expect(answer.status).to.equal(404)
      expect(answer.headers.get('Vary')).to.equal('Accept')
      return answer.headers.get('Content-Type')
    }
    expect(await typeFor('application/problem+json')).to.equal('application/problem+json')
    expect(await typeFor('text/html, Application/Problem+JSON;q=0.5')).to.equal('application/problem+json')
    for (const accept of [
      'application/json',
      '*/*',
      'text/html',
      'image/png',
      'application/problem+jsonx',
      'application/problem+json;q=0',
      'application/json, application/problem+json; charset=utf-8; Q=0.000',
      ',;',
    ]) {
      expect(await typeFor(accept), accept).to.equal('application/json; charset=utf-8')
    }
    const found = await client.get('groups', { Accept: 'application/problem+json, image/png' })
    expect(found.headers.get('Content-Type')).to.equal('application/json; charset=utf-8')
  })

  it('reveals nothing about an internal error', async () => {
    await world.database.raw('ALTER TABLE groups RENAME TO gruppen')
    const answer = await client.get('groups')
    await world.database.raw('ALTER TABLE gruppen RENAME TO groups')
    expect(answer.status).to.equal(500)
    expect(answer.json.code).to.equal('internal_error')
    expect(answer.text).to.not.match(/groups|relation|gateway|\.ts/)
  })
})

describe('the header X-Request-Id', () => {
  const world = useWorld({ workers: [] })
  const client = useClient(world)

  const sent = async (id: string) =>
    (await client.get('groups', { 'X-Request-Id': id })).headers.get('X-Request-Id')

  it('is returned unchanged if the client sends a valid id', async () => {
    for (const id of ['a', 'A-1_b.c:d/e+f=g@h', 'x'.repeat(128)]) expect(await sent(id)).to.equal(id)
  })

  it('gets a new id if the client sends none or an invalid one', async () => {
    const made = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
    for (const id of ['', 'x'.repeat(129), 'a b', 'a,b', 'ü', '<b>', '"', '{}', 'a\tb']) {
      expect(await sent(id), id).to.match(made)
    }
    const both = await Promise.all([client.get('groups'), client.get('groups')])
    const ids = both.map(({ headers }) => headers.get('X-Request-Id'))
    for (const id of ids) expect(id).to.match(made)
    expect(ids[0]).to.not.equal(ids[1])
  })

  it('is set on every response', async () => {
    for (const path of ['/healthz', '/metrics', '/api/docs', '/nothing', 'groups', 'nothing']) {
      const answer = await client.get(path, { 'X-Request-Id': 'mine' })
      expect(answer.headers.get('X-Request-Id'), path).to.equal('mine')
    }
    const options = await client.ask('groups', { method: 'OPTIONS', headers: { 'X-Request-Id': 'mine' } })
    expect(options.headers.get('X-Request-Id')).to.equal('mine')
  })
})

describe('HEAD and OPTIONS requests', () => {
  const world = useWorld({ workers: [] })
  const client = useClient(world)

  const head = (path: string) => client.ask(path, { method: 'HEAD' })

  it('get the headers of a GET for HEAD, without a body', async () => {
    const id = await createUser(world.database, { name: 'Änne' })
    for (const path of ['groups', `users/${id}`, 'users/999999', 'openapi.json', '/healthz', '/api/docs']) {
      const [got, headed] = [await client.get(path), await head(path)]
      expect(headed.text).to.equal('')
      expect(headed.status).to.equal(got.status)
      for (const name of ['Content-Type', 'Content-Length', 'Vary', 'RateLimit-Policy']) {
        if (name === 'Content-Length' && got.status === 404) continue
        expect(headed.headers.get(name), `${path} ${name}`).to.equal(got.headers.get(name))
      }
    }
  })

  it('need a token for HEAD, and only endpoints that read accept HEAD', async () => {
    expect((await new Client(world.url).ask('groups', { method: 'HEAD' })).status).to.equal(401)
    const answer = await head('bookings/check')
    expect(answer.status).to.equal(405)
    expect(answer.headers.get('Allow')).to.include('POST').and.not.include('HEAD')
  })

  it('get 204 and the allowed methods for OPTIONS, without a token or a body', async () => {
    const nobody = new Client(world.url)
    const options = async (path: string) => nobody.ask(path, { method: 'OPTIONS' })
    const answer = await options('groups')
    expect([answer.status, answer.text]).to.deep.equal([204, ''])
    expect(answer.headers.get('Allow')).to.equal('HEAD, GET, POST, OPTIONS')
    expect((await options('/healthz')).status).to.equal(204)
    expect((await options('nothing')).status).to.equal(404)
  })
})
