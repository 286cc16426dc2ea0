// Tests the examples of the OpenAPI document: each JSON request and response has an example that matches its
// schema.
import { expect } from 'chai'
import { createOpenApiDocument } from '../../../../gateway/api/openapi/document.ts'
import { endpoints } from '../../../../gateway/app.ts'
import { checkInput } from '../../../../gateway/server/http/middleware/validate.ts'
import type { FieldErrors } from '../../../../shared/messages/refusal.ts'
import { compileContract, encodePointer } from '../../../support/http/openapi.ts'

const BASE_URL = 'https://desk.example.com'
const document = createOpenApiDocument(endpoints, BASE_URL)
const { validate } = compileContract(document)
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)

describe('the examples of the OpenAPI document', () => {
  for (const { path, method, operation } of operations) {
    it(`${operation.operationId} has examples that match its schemas`, () => {
      const endpoint = endpoints.find(({ name }) => name === operation.operationId)
      const request = operation.requestBody?.content['application/json']
      if (request) {
        const errors: FieldErrors = {}
        const context = { now: '2026-11-20T08:00:00.000000Z' }
        checkInput(endpoint?.body as never, request.example, errors, { part: 'body', context })
        expect(errors).to.deep.equal({})
      }
      for (const [status, { content }] of Object.entries(operation.responses)) {
        const media = content?.['application/json']
        if (!media || !status.startsWith('2')) continue
        const pointer = ['paths', path, method, 'responses', status, 'content', 'application/json', 'schema']
        const isValid = validate(`#/${pointer.map(encodePointer).join('/')}`)
        expect(isValid(media.example), JSON.stringify(isValid.errors)).to.equal(true)
        expect(JSON.stringify(media.example), 'a text without a name of its own').to.not.include('"text"')
      }
    })
  }

  it('contain each refusal only once, as a component to which operations refer', () => {
    const { examples } = document.components as { examples: Record<string, { value: { code: string } }> }
    for (const [code, { value }] of Object.entries(examples)) {
      expect(validate('#/components/schemas/Problem')(value), code).to.equal(true)
      expect(value.code).to.equal(code)
    }
    for (const { operation } of operations)
      for (const { content, description } of Object.values(operation.responses)) {
        const codes = [...description.matchAll(/`(\w+)`: /g)].map(([, code = '']) => code)
        const shown = Object.keys(content?.['application/json']?.examples ?? {})
        expect(shown, operation.operationId).to.deep.equal(codes)
        expect(examples).to.include.all.keys(...codes, 'not_found')
      }
  })

  it('include an example of an error response', () => {
    const { examples } = document.components.schemas.Problem as { examples: unknown[] }
    expect(validate('#/components/schemas/Problem')(examples[0])).to.equal(true)
  })

  it('use the public address of the service', () => {
    expect(JSON.stringify(document)).to.include(`${BASE_URL}/api/v1/bookings/1/livemap`)
  })
})
