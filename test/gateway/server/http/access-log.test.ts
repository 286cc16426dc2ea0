// Tests the log line of a request, which identifies the request and contains the address of refused clients.
import { expect } from 'chai'
import { createUser } from '../../../support/factories.ts'
import { Client } from '../../../support/http/http.ts'
import { eventually } from '../../../support/time.ts'
import { useWorld } from '../../../support/world.ts'

describe('the access log', () => {
  const lines: string[] = []
  const environment = { TRUST_PROXY: 'true', FAILED_SIGN_INS_PER_MINUTE: '1' }
  const world = useWorld({ workers: [], onLog: (line) => void lines.push(line), environment })

  /** Sends a request with a given id, and returns its only log line. */
  async function lineOf(ask: (headers: Record<string, string>) => Promise<unknown>, requestId: string) {
    await ask({ 'X-Request-Id': requestId, 'X-Forwarded-For': '192.0.2.7' })
    const found = await eventually(() => {
      const all = lines.filter((line) => line.includes(`"${requestId}"`) && line.includes('"request"'))
      expect(all).to.have.length(1)
      return all[0] ?? ''
    })
    expect(found.trimEnd()).to.not.include('\n')
    return JSON.parse(found)
  }

  it('shows the time, the request, the token, the route and the outcome of each request', async () => {
    await createUser(world.database, { email: 'ada@example.com' })
    const client = await world.client('read')
    const line = await lineOf((headers) => client.get('users/by-email/ada@example.com', headers), 'read-1')
    expect(line).to.include({ method: 'GET', route: '/api/v1/users/by-email/{user_email}', status: 200 })
    expect(line).to.include.keys('time', 'ms', 'tokenId', 'pid', 'severity')
    expect(Math.abs(line.time - Date.now())).to.be.below(60_000)
    expect(line).to.not.have.any.keys('address', 'path', 'adminId')
    expect(JSON.stringify(line)).to.not.include('ada@')
  })

  it('shows the IP address of a client refused for its token, its rate or its abilities', async () => {
    const wrong = new Client(world.url, 'berth_wrong')
    const attempts = [
      { ask: (headers: Record<string, string>) => new Client(world.url).get('groups', headers), status: 401 },
      { ask: (headers: Record<string, string>) => wrong.get('groups', headers), status: 401 },
      { ask: (headers: Record<string, string>) => wrong.get('groups', headers), status: 429 },
    ]
    for (const [number, { ask, status }] of attempts.entries()) {
      const line = await lineOf(ask, `away-${number}`)
      expect(line).to.include({ status, address: '192.0.2.7' }).and.not.have.property('tokenId')
    }
    const unable = await world.client('object-write')
    const line = await lineOf((headers) => unable.get('groups', headers), 'away-403')
    expect(line).to.include({ status: 403, address: '192.0.2.7' }).and.have.property('tokenId')
  })

  it('writes one line for each request, regardless of the headers', async () => {
    const client = await world.client('read')
    const line = await lineOf(
      (headers) => client.get('groups', { ...headers, Referer: '"}%0a{"level":60' }),
      'odd-1',
    )
    expect(line).to.include({ status: 200, severity: 'info' })
  })
})
