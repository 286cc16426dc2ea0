// Tests that pages of other origins are refused unless CORS_ORIGINS lists the origin.
import { expect } from 'chai'
import { Client } from '../../../support/http/http.ts'
import { useClient, useWorld } from '../../../support/world.ts'

describe('CORS_ORIGINS', () => {
  const origins = 'https://app.example.com, https://other.example.com'
  const world = useWorld({ workers: [], environment: { CORS_ORIGINS: origins } })
  const client = useClient(world)

  it('lets the listed origins read responses, errors and headers', async () => {
    for (const path of ['groups', 'users/999999', 'nothing']) {
      const { headers } = await client.get(path, { Origin: 'https://other.example.com' })
      expect(headers.get('Access-Control-Allow-Origin')).to.equal('https://other.example.com')
      const exposed = headers.get('Access-Control-Expose-Headers')
      for (const name of [
        'X-Request-Id',
        'RateLimit',
        'Retry-After',
        'Link',
        'ETag',
        'Idempotency-Replayed',
      ]) {
        expect(exposed).to.include(name)
      }
      expect(headers.get('Vary')).to.include('Origin')
    }
  })

  it('answers the preflight requests of the listed origins', async () => {
    const nobody = new Client(world.url)
    const { status, headers } = await nobody.ask('bookings', {
      method: 'OPTIONS',
      headers: { Origin: 'https://app.example.com', 'Access-Control-Request-Method': 'POST' },
    })
    expect(status).to.equal(204)
    expect(headers.get('Access-Control-Allow-Origin')).to.equal('https://app.example.com')
    for (const name of [
      'Authorization',
      'Content-Type',
      'Idempotency-Key',
      'Prefer',
      'If-Match',
      'If-None-Match',
    ]) {
      expect(headers.get('Access-Control-Allow-Headers')).to.include(name)
    }
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      expect(headers.get('Access-Control-Allow-Methods')).to.include(method)
    }
  })

  it('refuses origins that it does not list', async () => {
    for (const Origin of ['https://evil.example.com', 'https://app.example.com.evil.com', 'null', '*']) {
      const { headers } = await client.get('groups', { Origin })
      expect(headers.get('Access-Control-Allow-Origin'), Origin).to.equal(null)
      expect(headers.get('Vary')).to.include('Origin')
    }
  })

  it('is empty by default, and then allows no origin', async () => {
    const gateway = await world.startGateway({ CORS_ORIGINS: '' })
    const answer = await new Client(gateway.url).ask('groups', {
      method: 'OPTIONS',
      headers: { Origin: 'https://app.example.com', 'Access-Control-Request-Method': 'GET' },
    })
    const names = [...answer.headers.keys()].filter((name) => name.startsWith('access-control'))
    expect(names).to.deep.equal([])
    expect(answer.headers.get('Vary')).to.equal(null)
  })
})
