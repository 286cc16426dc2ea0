// Tests the base URL of links in API responses.
import { expect } from 'chai'
import { createDesk, hoursFromNow } from '../../../support/factories.ts'
import { type ApiAnswer, Client } from '../../../support/http/http.ts'
import { sendRaw } from '../../../support/http/raw-http.ts'
import { useWorld } from '../../../support/world.ts'

const suffix = '/api/docs/errors#not_found'

describe('links in API responses', () => {
  const world = useWorld()

  const ask = (host: string, ...lines: string[]): Promise<ApiAnswer> =>
    sendRaw(world.url, [`${['GET /nothing HTTP/1.1', `Host: ${host}`, ...lines].join('\r\n')}\r\n\r\n`])
  const baseOf = (answer: ApiAnswer) => {
    expect(answer.json.type.endsWith(suffix)).to.equal(true)
    return answer.json.type.slice(0, -suffix.length)
  }

  it('start with the host to which the client sent the request', async () => {
    for (const host of ['desk.example.com', 'desk.example.com:8443', '10.0.0.1', '[::1]:3000', 'a_b.local']) {
      expect(baseOf(await ask(host))).to.equal(`http://${host}`)
    }
  })

  it('start with localhost if the Host header of the request is invalid', async () => {
    const odd = [
      '',
      'a b',
      'a"><script>',
      'x/y',
      'x?y',
      'user@',
      'x:port',
      '[::1',
      'ü.de',
      '#',
      'x\\y',
      'a'.repeat(254),
    ]
    for (const host of odd) {
      const answer = await ask(host)
      expect(answer.status, host).to.equal(404)
      expect(baseOf(answer), host).to.equal(`http://localhost:${world.config.port}`)
    }
  })

  it('ignore forwarded headers', async () => {
    const answer = await ask('desk.example.com', 'X-Forwarded-Host: evil.com', 'X-Forwarded-Proto: https')
    expect(baseOf(answer)).to.equal('http://desk.example.com')
  })

  it('use forwarded headers if TRUST_PROXY is set', async () => {
    const gateway = await world.startGateway({ TRUST_PROXY: 'true' })
    const base = async (headers: Record<string, string>) =>
      baseOf(await new Client(gateway.url).get('/nothing', headers))
    expect(await base({})).to.equal(gateway.url)
    expect(await base({ 'X-Forwarded-Host': 'desk.example.com', 'X-Forwarded-Proto': 'https' })).to.equal(
      'https://desk.example.com',
    )
    expect(
      await base({ 'X-Forwarded-Host': 'a.example.com, b', 'X-Forwarded-Proto': 'https, http' }),
    ).to.equal('https://a.example.com')
    expect(await base({ 'X-Forwarded-Host': 'a"b', 'X-Forwarded-Proto': 'javascript' })).to.equal(
      `http://localhost:${world.config.port}`,
    )
  })

  it('start with PUBLIC_URL if set, regardless of the request’s headers', async () => {
    const gateway = await world.startGateway({
      PUBLIC_URL: 'https://desk.example.com/berth/',
      TRUST_PROXY: '1',
    })
    const client = new Client(gateway.url, (await world.client()).token)
    const answer = await client.get('/nothing', { 'X-Forwarded-Host': 'evil.com' })
    expect(baseOf(answer)).to.equal('https://desk.example.com/berth')
    const document = (await client.get('openapi.json')).json
    expect(document.servers).to.deep.equal([{ url: 'https://desk.example.com/berth' }])
  })

  it('use the host of the request in answers to writes, because the job contains it', async () => {
    const gateway = await world.startGateway({ PUBLIC_URL: 'https://desk.example.com' })
    const { token } = await world.client()
    const urls = []
    for (const url of [world.url, gateway.url]) {
      const desk = await createDesk(world.database)
      const client = new Client(url, token)
      const booked = await client.post('bookings', { ...desk, to_time: hoursFromNow(2) })
      const [{ id, livemap }] = booked.json.data
      urls.push(livemap.replace(`/api/v1/bookings/${id}/livemap`, ''))
      const taken = await client.post('bookings', { ...desk, to_time: hoursFromNow(2) })
      expect(taken.json.type).to.equal(`${urls.at(-1)}/api/docs/errors#booking_conflict`)
    }
    expect(urls).to.deep.equal([world.url, 'https://desk.example.com'])
  })
})
