// Tests that the route tree finds the same routes as a router that tries one pattern after the other.
import { Router } from '@koa/router'
import { expect } from 'chai'
import fc from 'fast-check'
import { createOpenApiDocument } from '../../../../gateway/api/openapi/document.ts'
import { endpoints } from '../../../../gateway/app.ts'
import { Routes } from '../../../../gateway/server/http/router.ts'

const doNothing = async () => undefined

describe('the route tree', () => {
  const routes = new Routes()
  const router = new Router({ sensitive: true })
  // The document lists paths in the order of their precedence.
  const paths = Object.entries(createOpenApiDocument(endpoints, '').paths)
  for (const [path, operations] of paths) {
    for (const method of Object.keys(operations)) {
      routes.add(method.toUpperCase(), path, doNothing)
      router.register(path.replace(/\{(\w+)\}/g, ':$1'), [method], doNothing)
    }
  }

  const parts = [...new Set(paths.flatMap(([path]) => path.split('/')))].filter(
    (part) => !part.startsWith('{'),
  )
  const anyPart = fc.oneof(
    fc.constantFrom(...parts, 'Users', '7', 'ada@example.com', 'a%20b', '%2F', '%', '', '.', '{id}'),
    fc.webSegment(),
  )
  const ours = fc.constantFrom(...paths.map(([path]) => path)).chain((path) =>
    fc
      .array(fc.oneof(fc.constantFrom(...parts), fc.webSegment({ size: 'small' })), {
        minLength: 3,
        maxLength: 3,
      })
      .map((values) => path.replace(/\{\w+\}/g, () => values.pop() ?? '1')),
  )
  const anyPath = fc.oneof(
    fc.array(anyPart, { maxLength: 8 }).map((each) => `/${each.join('/')}`),
    fc.array(anyPart, { maxLength: 5 }).map((each) => `/api/v1/${each.join('/')}`),
    ours,
    ours.map((path) => `${path}/`),
    ours.map((path) => `${path}//`),
  )

  it('finds the same routes as the router, with the same methods and parameters', () => {
    fc.assert(
      fc.property(anyPath, (path) => {
        const layers = router.match(path, 'GET').path
        const meant = layers.filter((layer) => layer.path === layers[0]?.path)
        const found = routes.find(path)
        expect([...(found?.methods.keys() ?? [])].sort()).to.deep.equal(
          meant.flatMap((layer) => layer.methods).sort(),
        )
        for (const layer of meant) {
          const [method = ''] = layer.methods
          const other = found?.methods.get(method)?.layer
          expect(other?.params(path, other.captures(path))).to.deep.equal(
            layer.params(path, layer.captures(path)),
          )
        }
      }),
      { numRuns: 500 },
    )
  })

  it('finds every declared path', () => {
    for (const [path] of paths) expect(routes.find(path.replace(/\{\w+\}/g, '7'))?.path).to.equal(path)
  })

  it('refuses to declare a path twice, because no request would reach the second one', () => {
    const twice = new Routes()
    twice.add('GET', '/users/{id}', doNothing)
    twice.add('PUT', '/users/{id}', doNothing)
    expect(() => twice.add('GET', '/users/{id}', doNothing)).to.throw('declared twice')
    expect(() => twice.add('DELETE', '/users/{user_id}', doNothing)).to.throw('the same path')
  })
})
