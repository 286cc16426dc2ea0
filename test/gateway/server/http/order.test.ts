import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import Koa from 'koa'
import { createOpenApiDocument } from '../../../../gateway/api/openapi/document.ts'
import type { Endpoint } from '../../../../gateway/server/http/endpoint.ts'
import { answerErrors } from '../../../../gateway/server/http/middleware/errors.ts'
import { createRequestContext } from '../../../../gateway/server/http/middleware/request-context.ts'
import { createRoutes } from '../../../../gateway/server/http/router.ts'
import type { State } from '../../../../gateway/server/services/context.ts'
import { openServices, type Services } from '../../../../gateway/server/services/services.ts'
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { object, pathId, pathText, queryFlag, required, text } from '../../../../shared/schemas/fields.ts'
import { createToken } from '../../../../shared/tokens/token-store.ts'
import { createLog } from '../../../../shared/utilities/log.ts'
import { useWorld } from '../../../support/world.ts'

const EXISTING_ID = 7

const thing: Endpoint = {
  method: 'PATCH',
  path: '/things/{id}',
  ability: 'object-write',
  name: 'changeThing',
  tag: 'Things',
  summary: 'Change a thing',
  params: object({ id: pathId() }),
  query: object({ loud: queryFlag() }),
  body: object({ name: required(text({ max: 5 })) }),
  answer: { status: 200 },
  refusals: [],
  missing: message`There is no such thing.`,
  async handle({ params, body }) {
    const { id } = params as { id: number }
    const { name } = body as { name: string }
    if (id !== EXISTING_ID) throw new Refusal('not_found', message`There is no such thing.`)
    if (name === 'taken') throw new Refusal('booking_conflict', message`It is taken.`)
    return { status: 200, body: JSON.stringify({ id, name }) }
  },
}
const found = { status: 200, body: '"one"' }
const things: Endpoint[] = [
  { ...thing, method: 'GET', ability: 'read', body: undefined, handle: async () => found },
  thing,
  { ...thing, method: 'POST', path: '/things/import', params: object({}) },
  { ...thing, method: 'GET', path: '/things/{id}/parts', body: undefined, handle: async () => found },
  {
    ...thing,
    method: 'GET',
    path: '/things/old',
    params: object({}),
    body: undefined,
    name: 'getOldThing',
    deprecation: { since: '2026-01-15', sunset: '2027-01-15' },
    handle: async () => found,
  },
  {
    ...thing,
    method: 'GET',
    path: '/things/by-name/{name}',
    params: object({ name: pathText() }),
    body: undefined,
    handle: async ({ params }) => ({ status: 200, body: JSON.stringify(params) }),
  },
]

describe('the order of the checks of a request', () => {
  const world = useWorld({ workers: [] })
  let services: Services
  let server: Server
  let root: string

  before(async () => {
    services = openServices({ ...world.config, bodyBytesMax: 1_024 }, createLog('test', 'silent'))
    const app = new Koa<State>()
    for (const step of [createRequestContext(services), answerErrors(services)]) app.use(step)
    app.use(createRoutes(things, [], services))
    server = createServer(app.callback()).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    root = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`
  })
  after(async () => {
    server.close()
    server.closeAllConnections()
    await services.close()
  })

  const tokenOf = async (abilities: Array<'read' | 'object-write'>, rateLimitPerMinute?: number) =>
    (await createToken(world.database, { name: 't', abilities, createdBy: 't', rateLimitPerMinute })).token

  type RequestOptions = { method: string; path: string; token?: string; type?: string; body?: string }
  async function ask({ method, path, token, type, body }: RequestOptions) {
    const response = await fetch(root + path, {
      method,
      headers: {
        ...(token ? { Authorization: `Bearer ${token}` } : {}),
        ...(type ? { 'Content-Type': type } : {}),
      },
      body: body === undefined ? null : Buffer.from(body),
    })
    const answer = method === 'HEAD' || response.status === 204 ? {} : await response.json()
    return { status: response.status, headers: response.headers, answer: answer as { code?: string } }
  }

  it('is path, method, token, ability, rate, type, size, form, fields, id, conflict', async () => {
    const unable = await tokenOf(['read'], 1)
    const spent = await tokenOf(['object-write'], 1)
    const able = await tokenOf(['object-write'])
    const large = `{"name":"${'x'.repeat(2_000)}`
    for (const token of [unable, spent]) await ask({ method: 'GET', path: `/things/${EXISTING_ID}`, token })

    const request: RequestOptions = {
      method: 'DELETE',
      path: '/nothings/0?loud=maybe',
      token: 'wrong',
      body: large,
    }
    const steps: Array<[Partial<RequestOptions>, number, string | undefined]> = [
      [{}, 404, 'not_found'],
      [{ path: '/things/0?loud=maybe' }, 405, 'method_not_allowed'],
      [{ method: 'PATCH' }, 401, 'invalid_token'],
      [{ token: unable }, 403, 'missing_ability'],
      [{ token: spent }, 429, 'rate_limited'],
      [{ token: able }, 415, 'unsupported_media_type'],
      [{ type: 'application/json' }, 413, 'too_large'],
      [{ body: '{"name":' }, 400, 'malformed_body'],
      [{ body: '{"name":null}' }, 422, 'validation_failed'],
      [{ body: '{"name":"taken"}' }, 422, 'validation_failed'],
      [{ path: '/things/0' }, 404, 'not_found'],
      [{ path: '/things/8' }, 404, 'not_found'],
      [{ path: `/things/${EXISTING_ID}` }, 409, 'booking_conflict'],
      [{ body: '{"name":"free"}' }, 200, undefined],
    ]
    for (const [change, status, code] of steps) {
      Object.assign(request, change)
      const { answer, ...rest } = await ask(request)
      expect({ status: rest.status, code: answer.code }, JSON.stringify(change)).to.deep.equal({
        status,
        code,
      })
    }
  })

  it('reports all invalid fields of the query and the body in one refusal', async () => {
    const { answer } = await ask({
      method: 'PATCH',
      path: '/things/0?loud=maybe',
      token: await tokenOf(['object-write']),
      type: 'application/json',
      body: '{"name":"too long"}',
    })
    expect(answer).to.deep.include({
      detail: 'loud must be true or false. name must be at most 5 characters long.',
      errors: { loud: ['loud must be true or false.'], name: ['name must be at most 5 characters long.'] },
    })
  })

  it('matches a literal path before one with an id, so that a wrong method on it gets 405', async () => {
    const { status, headers } = await ask({ method: 'GET', path: '/things/import' })
    expect(status).to.equal(405)
    expect(headers.get('Allow')).to.equal('POST, OPTIONS')
    const token = await tokenOf(['object-write', 'read'])
    expect((await ask({ method: 'GET', path: `/things/${EXISTING_ID}`, token })).answer).to.equal('one')
    const posted = { method: 'POST', path: '/things/import', token, type: 'application/json', body: '{}' }
    expect((await ask(posted)).status).to.equal(422)
  })

  it('matches the path whose literal segment comes first', async () => {
    const token = await tokenOf(['object-write'])
    const { answer } = await ask({ method: 'GET', path: '/things/by-name/parts', token })
    expect(answer).to.deep.equal({ name: 'parts' })
  })

  it('adds the deprecation and sunset dates of a deprecated endpoint even to refusals', async () => {
    const able = await tokenOf(['object-write'])
    for (const [token, status] of [
      [able, 200],
      ['wrong', 401],
    ] as const) {
      const answered = await ask({ method: 'GET', path: '/things/old', token })
      expect(answered.status).to.equal(status)
      expect(answered.headers.get('Deprecation')).to.equal('@1768435200')
      expect(answered.headers.get('Sunset')).to.equal('Fri, 15 Jan 2027 00:00:00 GMT')
    }
    const { headers } = await ask({ method: 'GET', path: `/things/${EXISTING_ID}`, token: able })
    expect(headers.get('Deprecation')).to.equal(null)
    const { paths } = createOpenApiDocument(things, '')
    expect(paths['/api/v1/things/old']?.get).to.include({ deprecated: true })
    expect(paths['/api/v1/things/old']?.get?.description).to.include('works until 2027-01-15 at least')
  })

  it('treats paths as case-sensitive', async () => {
    expect((await ask({ method: 'GET', path: `/Things/${EXISTING_ID}` })).status).to.equal(404)
  })

  it('lists every method of a path in the Allow header', async () => {
    const answered = await ask({ method: 'POST', path: `/things/${EXISTING_ID}` })
    expect(answered.status).to.equal(405)
    expect(answered.headers.get('Allow')?.split(', ')).to.have.members(['GET', 'HEAD', 'PATCH', 'OPTIONS'])
    const options = await ask({ method: 'OPTIONS', path: `/things/${EXISTING_ID}` })
    expect(options.status).to.equal(204)
    expect(options.headers.get('Allow')).to.equal(answered.headers.get('Allow'))
  })

  it('adds the remaining rate limit to every answer to a valid token, even to refusals', async () => {
    const token = await tokenOf(['read'], 3)
    const left = async (asked: Partial<RequestOptions>) => {
      const { status, headers } = await ask({
        method: 'GET',
        path: `/things/${EXISTING_ID}`,
        token,
        ...asked,
      })
      expect(headers.get('RateLimit-Policy')).to.equal('default;q=3;w=60')
      expect(headers.get('RateLimit')).to.match(/^default;r=\d;t=([1-9]|[1-5]\d|60)$/)
      return [status, headers.get('RateLimit')?.slice(8, 11)]
    }
    expect(await left({})).to.deep.equal([200, 'r=2'])
    expect(await left({ method: 'PATCH' })).to.deep.equal([403, 'r=1'])
    expect(await left({ method: 'HEAD' })).to.deep.equal([200, 'r=0'])
    expect(await left({})).to.deep.equal([429, 'r=0'])
    expect(await left({ method: 'PATCH' })).to.deep.equal([403, 'r=0'])
  })
})
