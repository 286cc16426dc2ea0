// Tests the security headers of every answer, for all clients and statuses: they forbid sniffing, frames,
// scripts and caching.
import { expect } from 'chai'
import { createDocsRoutes } from '../../../../gateway/api/openapi/docs-routes.ts'
import { endpoints } from '../../../../gateway/app.ts'
import { healthRoutes } from '../../../../gateway/server/http/health.ts'
import { createBooking, hoursFromNow } from '../../../support/factories.ts'
import { Client } from '../../../support/http/http.ts'
import { sendRaw } from '../../../support/http/raw-http.ts'
import { useClient, useWorld } from '../../../support/world.ts'

describe('the security headers of every response', () => {
  const world = useWorld({ workers: [] })
  const client = useClient(world)

  function expectClosed({ headers }: { headers: Headers }, what: string) {
    expect(headers.get('X-Content-Type-Options'), what).to.equal('nosniff')
    expect(headers.get('Content-Security-Policy'), what)
      .to.include("default-src 'none'")
      .and.include("base-uri 'none'")
      .and.include("frame-ancestors 'none'")
    expect(headers.get('Referrer-Policy'), what).to.match(/^(no-referrer|same-origin)$/)
  }

  it('forbid other sites to embed an endpoint’s response, and shared caches to store it', async () => {
    for (const { method, path } of endpoints) {
      const somewhere = path.slice(1).replace(/\{\w+\}/g, '1')
      for (const someone of [client, new Client(world.url)]) {
        const answer = await someone.ask(somewhere, { method: method === 'GET' ? 'GET' : 'OPTIONS' })
        expectClosed(answer, `${method} ${path}`)
        expect(answer.headers.get('Cache-Control'), path).to.match(/^(no-store|private, no-cache)$/)
      }
    }
  })

  it('forbid embedding and caching the responses of all other URLs', async () => {
    const paths = [...healthRoutes, ...createDocsRoutes(endpoints)].map(({ path }) => path)
    for (const path of [
      ...paths,
      '/nothing',
      '/dashboard/sign-in',
      '/dashboard/nothing',
      '/dashboard/queues/writes',
    ]) {
      const answer = await fetch(world.url + path, { redirect: 'manual' })
      await answer.text()
      expectClosed(answer, path)
    }
  })

  it('are also set on responses to invalid HTTP', async () => {
    expectClosed(await sendRaw(world.url, ['nonsense\r\n\r\n']), 'nonsense')
  })

  it('let a browser show a floor plan as a picture, but run no scripts in it', async () => {
    const id = await createBooking(world.database, { from: hoursFromNow(1), to: hoursFromNow(2) })
    const picture = await client.get(`bookings/${id}/livemap`)
    expect(picture.headers.get('Content-Type')).to.match(/^image\/svg\+xml/)
    expectClosed(picture, 'livemap')
    expect(picture.headers.get('Content-Security-Policy'))
      .to.include('img-src data:')
      .and.not.include('script-src')
  })
})
