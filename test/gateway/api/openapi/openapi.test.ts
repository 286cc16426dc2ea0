// Tests the documents of the API: the OpenAPI document, the reference page, and the page of errors.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import { expect } from 'chai'
import Koa from 'koa'
import { renderOnce } from '../../../../gateway/api/openapi/docs-routes.ts'
import type { OpenApiDocument } from '../../../../gateway/api/openapi/document.ts'
import type { ResponseContent } from '../../../../gateway/api/openapi/responses.ts'
import type { ServedDocument } from '../../../../gateway/api/openapi/shared-parts.ts'
import { endpoints } from '../../../../gateway/app.ts'
import { isWrite } from '../../../../gateway/server/http/endpoint.ts'
import { API_PREFIX } from '../../../../gateway/server/http/router.ts'
import type { Context, State } from '../../../../gateway/server/services/context.ts'
import { projectDirectory } from '../../../../local/tools/folders.ts'
import { REFUSALS } from '../../../../shared/messages/refusal-kinds.ts'
import { CHANGE_TYPES } from '../../../../shared/webhooks/changes.ts'
import { WEBHOOK_TEST } from '../../../../shared/webhooks/webhooks.ts'
import { Client } from '../../../support/http/http.ts'
import { expandReferences } from '../../../support/http/openapi.ts'
import { sendRaw } from '../../../support/http/raw-http.ts'
import { useWorld } from '../../../support/world.ts'

describe('the published API documents', () => {
  const world = useWorld({ workers: [] })
  let nobody: Client
  before(async () => {
    nobody = new Client(world.url)
  })

  describe('the file openapi.json', () => {
    let served: ServedDocument
    let document: OpenApiDocument
    before(async () => {
      const answer = await nobody.get('openapi.json')
      expect(answer.status).to.equal(200)
      expect(answer.headers.get('Content-Type')).to.equal('application/json; charset=utf-8')
      served = answer.json
      document = expandReferences(served)
    })

    const operations = () => Object.values(document.paths).flatMap((methods) => Object.values(methods))

    it('is valid OpenAPI 3.1', async () => {
      const result = await new Validator().validate(structuredClone(served))
      expect(result.errors).to.equal(undefined)
      expect(result.valid).to.equal(true)
      expect(document.openapi).to.match(/^3\.1\./)
    })

    it('names this service as its server', () => {
      expect(document.servers).to.deep.equal([{ url: world.url }])
    })

    it('lists every endpoint of the API, and no other endpoint', () => {
      const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
      )
      expect(documented).to.have.members(
        endpoints.map(({ method, path }) => `${method} ${API_PREFIX}${path}`),
      )
    })

    for (const { method, path, ability, query, body, answer, refusals, takesFile, ...rest } of endpoints) {
      it(`describes ${method} ${path}`, () => {
        const operation = document.paths[API_PREFIX + path]?.[method.toLowerCase()]
        if (!operation) throw new Error('It is missing')
        const named = (place: string) =>
          operation.parameters.filter((each) => each.in === place).map(({ name }) => name)
        const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
        expect(named('path')).to.have.members(inPath)
        expect(named('query')).to.have.members(Object.keys('fields' in query ? Object(query.fields) : {}))
        const headers = {
          'Idempotency-Key': isWrite({ method, ...rest }) || rest.isLong,
          Prefer: true,
          'If-None-Match': rest.hasETag,
          'If-Match': rest.takesIfMatch,
        }
        const taken = Object.entries(headers).filter(([, isTaken]) => isTaken)
        expect(named('header')).to.have.members(taken.map(([name]) => name))
        for (const { name, in: place, required, schema } of operation.parameters) {
          if (place === 'path') expect(required, name).to.equal(true)
          expect(schema, name).to.have.property('type')
        }
        const bodyType = takesFile ? 'multipart/form-data' : 'application/json'
        if (body) expect(operation.requestBody?.content).to.have.property(bodyType)
        expect(operation.responses).to.have.property(String(answer.status))
        if (rest.alsoNeeds) expect(operation.description).to.include(`\`${rest.alsoNeeds}\``)
        expect(operation.description).to.include(
          ability ? `\`${ability}\`` : rest.isOpen ? 'no token' : 'any token',
        )
        const described = Object.values(operation.responses)
          .map(({ description }) => description)
          .join(' ')
        for (const code of [...refusals, ...(ability ? ['missing_ability'] : []), 'rate_limited']) {
          expect(described).to.include(`\`${code}\``)
        }
      })
    }

    it('gives each operation a unique name, a listed tag, and token authentication', () => {
      const ids = operations().map(({ operationId }) => operationId)
      expect(new Set(ids).size).to.equal(ids.length)
      const tags = document.tags.map(({ name }) => name)
      for (const { operationId, tags: own, security, summary } of operations()) {
        expect(tags).to.include.members(own)
        const isOpen = ['getCalendar', 'getSignedLivemap'].includes(operationId)
        expect(security).to.deep.equal(isOpen ? [] : [{ token: [] }])
        expect(summary).to.match(/^[A-Z]/)
      }
    })

    it('gives operations names that suit the methods of a client', () => {
      const names = operations().map(({ operationId }) => operationId)
      for (const name of names)
        expect(name).to.match(
          /^(list|get|check|create|update|replace|cancel|delete|move|rotate|send|test|import|export|download|deactivate|restore|release|approve|decline|answer)[A-Z][A-Za-z]+$/,
        )
      expect(names).to.include.members(['listUserBookings', 'getOccupancy', 'createBooking'])
    })

    it('describes the headers of all responses, including errors', () => {
      const headersOf = (path: string, method: string, status: number) =>
        Object.keys(document.paths[API_PREFIX + path]?.[method]?.responses[status]?.headers ?? {})
      expect(headersOf('/bookings', 'get', 200)).to.include.members(['ETag', 'Link', 'RateLimit'])
      expect(headersOf('/bookings', 'get', 304)).to.include('ETag')
      expect(headersOf('/bookings', 'get', 401))
        .to.include('WWW-Authenticate')
        .and.not.include('RateLimit')
      expect(headersOf('/bookings', 'get', 429)).to.include.members(['Retry-After', 'RateLimit'])
      expect(headersOf('/bookings', 'get', 503)).to.include('Retry-After')
      expect(headersOf('/bookings', 'post', 200))
        .to.include('Idempotency-Replayed')
        .and.not.include('ETag')
      for (const [path, method] of [
        ['/bookings/{id}', 'put'],
        ['/bookings/{id}', 'patch'],
        ['/bookings/{id}/check-in', 'post'],
        ['/bookings/{id}/move', 'post'],
        ['/bookables/{id}', 'patch'],
        ['/events', 'post'],
        ['/events/{id}', 'put'],
        ['/events/{id}', 'patch'],
      ] as const)
        expect(headersOf(path, method, 200), path).to.include('ETag')
      expect(headersOf('/bookings', 'post', 409)).to.include.members(['Idempotency-Replayed', 'Retry-After'])
      expect(headersOf('/users/import', 'post', 202)).to.include.members([
        'Location',
        'Preference-Applied',
        'Retry-After',
        'Idempotency-Replayed',
      ])
      expect(headersOf('/bookings/{id}/livemap', 'get', 302)).to.include('Location')
      for (const { responses } of operations())
        for (const [status, { headers }] of Object.entries(responses))
          expect(headers, status).to.have.property('X-Request-Id')
    })

    it('allows additional members in responses, and describes the types of jobs and their results', () => {
      expect(JSON.stringify(document)).to.not.include('"additionalProperties":false')
      const { properties } = document.components.schemas.Job as { properties: Record<string, object> }
      const named = (name: string) => [{ $ref: `#/components/schemas/${name}` }, { type: 'null' }]
      expect(properties.result).to.deep.include({ oneOf: named('UserImportResult') })
      expect(properties.error).to.deep.include({ oneOf: named('Problem') })
      const { requestBody } = document.paths[`${API_PREFIX}/users/import`]?.post ?? {}
      const form = requestBody?.content['multipart/form-data']?.schema as { properties: { file: object } }
      expect(form.properties.file).to.include({ format: 'binary' })
    })

    it('lists every error code', () => {
      const { properties } = document.components.schemas.Problem as { properties: { code: object } }
      expect(properties.code).to.deep.include({ enum: Object.keys(REFUSALS) })
    })

    it('has no dangling references, and no unused components', () => {
      const text = JSON.stringify(served)
      for (const [kind, parts] of Object.entries(served.components))
        for (const name of kind === 'securitySchemes' ? [] : Object.keys(parts))
          expect(text, kind).to.include(`"#/components/${kind}/${name}"`)
      for (const [, kind, name] of JSON.stringify(served).matchAll(/"#\/components\/(\w+)\/(\w+)"/g)) {
        expect(served.components).to.have.nested.property(`${kind}.${name}`)
      }
    })

    it('distinguishes changes and deliveries by type, and batch results by status', () => {
      const { schemas } = served.components
      const kinds = (name: string) => schemas[name]?.discriminator as { mapping: Record<string, string> }
      for (const type of CHANGE_TYPES) {
        const name = type.replace(/(^|_)(\w)/g, (_all, _start, letter: string) => letter.toUpperCase())
        expect(kinds('Change').mapping[type]).to.equal(`#/components/schemas/${name}Change`)
        expect(schemas[`${name}Change`]).to.have.nested.property('properties.data.oneOf')
        const message = kinds('WebhookMessage').mapping[`${type}.created`]
        expect(message).to.equal(`#/components/schemas/${name}WebhookMessage`)
      }
      expect(kinds('WebhookMessage').mapping[WEBHOOK_TEST]).to.equal(
        '#/components/schemas/TestWebhookMessage',
      )
      expect(schemas.BookedBatchItem)
        .to.have.nested.property('properties.status.enum')
        .that.deep.equals([200])
      expect(schemas.RefusedBatchItem?.required).to.deep.equal(['status', 'code', 'detail'])
    })

    it('names the values of numeric codes in requests and responses', () => {
      const { schemas, parameters } = served.components
      const names = ['Desk', 'ParkingSpot', 'MeetingRoom', 'HomeOffice']
      expect(schemas.BookableType).to.deep.include({ enum: [0, 1, 2, 3], 'x-enum-varnames': names })
      const type = { $ref: '#/components/schemas/BookableType' }
      for (const name of ['Bookable', 'CreateBookableBody', 'UpdateBookableBody'])
        expect(schemas[name]).to.have.deep.nested.property('properties.type').that.deep.includes(type)
      expect(parameters.Type?.schema).to.deep.equal(type)
      expect(schemas.UpdateEventBody)
        .to.have.deep.nested.property('properties.classification')
        .that.deep.includes({
          oneOf: [{ $ref: '#/components/schemas/EventClassification' }, { type: 'null' }],
        })
      const unnamed = JSON.stringify(served)
        .match(/"type":"integer","enum":[^}]*?\]/g)
        ?.filter((text) => {
          const values: number[] = JSON.parse(text.slice(text.indexOf('[')))
          // Skips lists of HTTP statuses, which already have standard names.
          return values.some((value) => value < 200)
        })
      const named = JSON.stringify(served).match(/"type":"integer","enum":[^}]*?\],"x-enum-varnames"/g)
      expect(named).to.have.length(unnamed?.length ?? 0)
    })

    it('contains the version of the package, a contact and a licence', () => {
      const { version } = JSON.parse(readFileSync(join(projectDirectory, 'package.json'), 'utf8'))
      expect(served.info.version).to.equal(version)
      expect(served.info).to.include.all.keys('contact', 'license')
    })

    it('describes each export as a file download', () => {
      const file = { type: 'string', format: 'binary' }
      const { content } = document.paths[`${API_PREFIX}/users/export`]?.get?.responses[200] ?? {}
      for (const { schema } of Object.values(content ?? {})) expect(schema).to.deep.equal(file)
      expect(Object.keys(content ?? {})).to.have.length(2)
    })

    it('defines shared parts once, and gives each request and response body a name', () => {
      expect(JSON.stringify(served).length / endpoints.length, 'characters for each endpoint').to.be.below(
        3_700,
      )
      const { parameters = [], responses = {} } = served.paths[`${API_PREFIX}/bookings`]?.post ?? {}
      expect(parameters).to.deep.include({ $ref: '#/components/parameters/IdempotencyKey' })
      expect(responses).to.deep.include({
        401: { $ref: '#/components/responses/Unauthorized' },
        422: { $ref: '#/components/responses/WriteUnprocessableContent' },
      })
      expect(responses[200]).to.have.nested.property(
        'headers.X-Request-Id.$ref',
        '#/components/headers/RequestId',
      )
      for (const methods of Object.values(served.paths))
        for (const { operationId, requestBody, responses } of Object.values(methods)) {
          const bodies = [requestBody, ...Object.values(responses)] as Array<
            { content?: ResponseContent } | undefined
          >
          for (const { schema } of bodies.flatMap((body) => Object.values(body?.content ?? {})))
            expect(schema, operationId).to.not.have.property('properties')
        }
    })
  })

  describe('the cached API documents', () => {
    for (const path of ['/api/v1/openapi.json', '/api/docs', '/api/docs/errors']) {
      it(`answer 304 for an unchanged ${path}, and contain the host name from the request`, async () => {
        const first = await nobody.get(path)
        const etag = first.headers.get('ETag') ?? ''
        expect(etag).to.match(/^"[\w-]{27}(-gzip|-br)?"$/)
        expect(first.headers.get('Cache-Control')).to.equal('no-cache')
        const again = await fetch(world.url + path, { headers: { 'If-None-Match': `W/"x", ${etag}` } })
        expect([again.status, await again.text(), again.headers.get('ETag')]).to.deep.equal([304, '', etag])
        const { hostname, port } = new URL(world.url)
        const elsewhere = await sendRaw(world.url, [
          `GET ${path} HTTP/1.1\r\nHost: desk-7.example:81\r\nIf-None-Match: ${etag}\r\nConnection: close\r\n\r\n`,
        ])
        expect(elsewhere.status).to.equal(200)
        expect(elsewhere.text.replaceAll('http://desk-7.example:81', `http://${hostname}:${port}`)).to.equal(
          first.text,
        )
      })
    }

    it('are rendered once, even if clients use many host names, and again after a fault', async () => {
      let times = 0
      const send = renderOnce({
        contentType: 'text/plain',
        render: async (baseUrl) => {
          if (++times === 1) throw new Error('The code cannot be loaded')
          return `${times}: ${baseUrl}`
        },
        escape: (baseUrl) => baseUrl.replaceAll('&', '&amp;'),
      })
      const app = new Koa<State>().use((ctx: Context) => {
        ctx.state.baseUrl = `http://${ctx.query.as}`
        return send(ctx)
      })
      app.silent = true
      const server = app.listen(0, '127.0.0.1')
      await once(server, 'listening')
      try {
        const { port } = server.address() as AddressInfo
        expect((await fetch(`http://127.0.0.1:${port}/?as=a`)).status).to.equal(500)
        for (let number = 0; number < 50; number++) {
          const answer = await fetch(`http://127.0.0.1:${port}/?as=a${number}%26`)
          expect(await answer.text()).to.equal(`2: http://a${number}&amp;`)
        }
      } finally {
        server.closeAllConnections()
        server.close()
      }
    })
  })

  describe('the documentation pages', () => {
    for (const path of ['/api/docs', '/api/docs/', '/api/docs/errors']) {
      it(`need no token, run no scripts, and load no files from other hosts: ${path}`, async () => {
        const answer = await nobody.get(path)
        expect(answer.status).to.equal(200)
        expect(answer.headers.get('Content-Type')).to.equal('text/html; charset=utf-8')
        expect(answer.headers.get('X-Content-Type-Options')).to.equal('nosniff')
        const policy = answer.headers.get('Content-Security-Policy')?.split('; ')
        expect(policy).to.have.members([
          "default-src 'none'",
          "style-src 'self'",
          "base-uri 'none'",
          "form-action 'none'",
          "frame-ancestors 'none'",
        ])
        expect(answer.text).to.not.match(/<script|<iframe|<img|<form|\bon\w+=|\bstyle=|<style|javascript:/i)
        for (const [, place] of answer.text.matchAll(/(?:href|src)="([^"]*)"/g)) {
          expect(place).to.match(/^(#\w+|\/api\/[\w./#-]+)$/)
        }
      })

      it(`have no broken links: ${path}`, async () => {
        const { text } = await nobody.get(path)
        const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
        expect(new Set(ids).size).to.equal(ids.length)
        for (const [, place = ''] of text.matchAll(/href="([^"]*)"/g)) {
          if (place.startsWith('#')) expect(ids).to.include(place.slice(1))
          else expect((await nobody.get(place)).status, place).to.equal(200)
        }
      })
    }

    it('are also served below the path of PUBLIC_URL', async () => {
      const gateway = await world.startGateway({ PUBLIC_URL: 'https://example.com/berth' })
      const { text } = await new Client(gateway.url).get('/api/docs')
      const places = [...text.matchAll(/href="([^"#]+)"/g)].map(([, place]) => place)
      expect(places).to.include('/berth/api/docs/style.css')
      for (const place of places) expect(place).to.match(/^\/berth\/api\//)
    })

    it('list every endpoint in the reference, with its parameters and fields', async () => {
      const { text } = await nobody.get('/api/docs')
      const document = expandReferences((await nobody.get('openapi.json')).json)
      for (const [path, methods] of Object.entries(document.paths)) {
        for (const { operationId, parameters, summary, requestBody } of Object.values(methods)) {
          const [, section = ''] = text.split(`<section id="${operationId}"`)
          const own = section.split('</section>')[0]?.replaceAll('<wbr>', '') ?? ''
          const schema = requestBody?.content['application/json']?.schema as
            | { properties?: object }
            | undefined
          const names = parameters.map(({ name }) => name)
          for (const piece of [path, summary, ...names, ...Object.keys(schema?.properties ?? {})]) {
            expect(own, operationId).to.include(piece)
          }
        }
      }
    })

    it('explain every error code on the page to which the type of an error links', async () => {
      const { text } = await nobody.get('/api/docs/errors')
      for (const [code, { status, title }] of Object.entries(REFUSALS)) {
        const own = text.split(`<section id="${code}"`)[1]?.split('</section>')[0]
        expect(own).to.include(String(status)).and.include(title).and.include(`<code>${code}</code>`)
      }
      const { type } = (await nobody.get('nothing')).json
      expect(type).to.equal(`${world.url}/api/docs/errors#not_found`)
    })

    it('escape values that come from outside', async () => {
      const { text } = await nobody.get('/api/docs', { Host: 'a' })
      expect(text).to.not.include('<API_TOKEN>')
      expect(text).to.include('&lt;API_TOKEN&gt;')
    })

    it('have a style sheet that is served with its content type and can be cached', async () => {
      const answer = await nobody.get('/api/docs/style.css')
      expect(answer.headers.get('Content-Type')).to.equal('text/css; charset=utf-8')
      expect(answer.headers.get('Cache-Control')).to.equal('public, max-age=300')
      expect(answer.text).to.not.match(/url\(|@import/)
    })
  })
})
